"""Every kind of alert: reported once, linked to its next step, and resolved with its cause."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from crossway.dashboard.views import incidents as view
from crossway.domain.errors import Forbidden, InvalidInput, InvalidStatus
from crossway.domain.intent import State
from crossway.domain.ramps import OrderState
from crossway.domain.return_budget import ReturnBudget
from crossway.engine.alerts import TaskHealth
from crossway.ports.alert_repository import AlertFilter
from crossway.ports.sandbox import Faults
from crossway.usecases.developers import deliveries, webhooks
from crossway.usecases.developers.webhooks import WebhookUpdate
from crossway.usecases.operating import alerts
from crossway.usecases.operating.incidents import AlertContext, AlertGroup, list_alert_groups
from crossway.usecases.payments import manual_operations
from crossway_demo.scenarios.invariants import INTERNAL_NAMES
from tests.engine.webhook_world import WebhookWorld
from tests.harness import Harness
from tests.receivers import running_receiver
from tests.test_architecture import ROOT
from tests.usecases.ramp_world import ARBITRUM, BASE, RampWorld

LOTS = 10**24


@pytest.fixture
def world(tmp_path: Path) -> Iterator[RampWorld]:
    built = RampWorld(f"sqlite:///{tmp_path / 'crossway.db'}")
    yield built
    built.store.close()


def causes(world: Harness) -> dict[str, AlertGroup]:
    alert_groups = list_alert_groups(world.services, world.operator)
    assert len({cause.kind for cause in alert_groups}) == len(alert_groups)
    return {cause.kind: cause for cause in alert_groups}


def only(world: Harness, kind: str) -> AlertContext:
    """The only active alert group, which must be of this kind."""
    results = causes(world)
    assert list(results) == [kind], [m.alert.message for c in results.values() for m in c.contexts]
    [matter] = results[kind].contexts
    assert not INTERNAL_NAMES.search(matter.alert.message), matter.alert.message
    return matter


def own(world: RampWorld, chain: str, symbol: str, units: int) -> None:
    world.sandbox.inject_faults(chain, Faults(balances={"relayer": {symbol: units}}))


def test_returns_without_an_allowance_are_one_alert_with_their_payments(world: RampWorld) -> None:
    spent = ReturnBudget(BASE, 0, -50_000_000, world.clock.now())
    world.store.write(lambda unit: unit.treasury.save_return_budget(spent))
    for _ in range(2):
        world.deposit(world.create_intent(), "short")
    world.pass_time(3_700, 60)
    matter = only(world, "returns")
    href = f"intents?all=exception%3Astuck&any=from%3A{BASE}%3Bto%3A{BASE}"
    assert (matter.payments, view.next_step(matter).href) == (2, href)


def test_every_next_step_leads_to_a_page() -> None:
    pages = {page.stem for page in (ROOT / "pages").glob("*.py")}
    assert {step.href for step in view.NEXT_STEPS.values()} <= pages


@pytest.mark.parametrize(
    ("symbol", "kind", "href"),
    [
        ("USDC", "stock", f"treasury?lack={ARBITRUM}%3AUSDC"),
        ("ETH", "gas", f"chains?chain={BASE}"),
    ],
)
def test_an_inventory_shortage_is_one_alert_with_its_waiting_payments(
    world: RampWorld, symbol: str, kind: str, href: str
) -> None:
    own(world, ARBITRUM if kind == "stock" else BASE, symbol, 0)
    intents = [world.create_intent() for _ in range(2)]
    for intent in intents:
        world.deposit(intent)
    world.pass_time(420, 10)
    matter = only(world, kind)
    # Inventory is for the payouts, of 25 USDC each; without gas the deposits wait.
    at_risk = 50_000_000 if kind == "stock" else sum(i.terms.deposit_amount for i in intents)
    assert (matter.payments, matter.micro_usd) == (2, at_risk)
    assert view.next_step(matter).href == href
    own(world, ARBITRUM if kind == "stock" else BASE, symbol, LOTS)
    world.pass_time(60, 5)
    assert causes(world) == {}


def test_an_unreachable_chain_is_one_alert_however_old_its_head(world: RampWorld) -> None:
    world.deposit(world.create_intent())
    world.sandbox.inject_faults(ARBITRUM, Faults(outage_seconds=900))
    world.pass_time(600, 20)
    assert view.next_step(only(world, "chain")).href == f"chains?chain={ARBITRUM}"
    world.pass_time(400, 20)
    assert causes(world) == {}


def test_a_failed_refund_links_to_its_payment_and_is_resolved_once_sent(
    world: RampWorld,
) -> None:
    intent = world.create_intent()
    world.sandbox.inject_faults(BASE, Faults(refuse=[intent.terms.refund_address]))
    world.deposit(intent, "short")
    world.pass_time(4_000, 100)
    matter = only(world, "refund")
    assert view.next_step(matter).href == f"intent?id={intent.id}&act=redirect"
    assert matter.micro_usd == intent.terms.deposit_amount // 2 < 13_000_000, "what came in"
    elsewhere = world.book_address(BASE, world.wallet(BASE, "elsewhere"))
    manual_operations.redirect_refund(world.services, world.operator, intent.id, elsewhere)
    world.wait_for_state(intent, State.REFUNDED)
    world.pass_time(60, 5)
    assert causes(world) == {}


def test_an_overdue_payment_is_an_alert_until_it_progresses(world: RampWorld) -> None:
    intent = world.create_intent()
    world.deposit(intent)
    world.wait_for_state(intent, State.FUNDED)
    world.sandbox.inject_faults(BASE, Faults(drop_next=100_000))
    world.pass_time(360, 20)
    matter = only(world, "stuck")
    assert (matter.intent_id, view.next_step(matter).href) == (intent.id, f"intent?id={intent.id}")
    world.sandbox.inject_faults(BASE, Faults(drop_next=0))
    world.wait_for_state(intent, State.COMPLETED)
    world.pass_time(30, 5)
    assert causes(world) == {}


def test_an_unexpected_deposit_is_a_notice_until_returned(world: RampWorld) -> None:
    intent = world.create_intent()
    usdt = world.services.catalogue.tokens[BASE, "USDT"].address
    world.deposit(intent, "5000000", token=usdt)
    world.pass_time(30, 5)
    matter = only(world, "foreign")
    assert f"Payment {intent.id} received 5.00 USDT instead of USDC." in matter.alert.message
    assert matter.micro_usd == 5_000_000, "the deposit, not the payment of 25"
    assert view.next_step(matter).href == f"intent?id={intent.id}"
    with world.store.read() as unit:
        [deposit] = unit.deposits.list_by_intents([intent.id])
    manual_operations.return_deposit(world.services, world.operator, deposit.id)
    world.pass_time(60, 5)
    assert causes(world) == {}


def test_a_short_delivery_links_to_its_order(world: RampWorld) -> None:
    world.inject_faults(short_bps=500)
    order = world.create_off_ramp()
    world.deposit_for(order)
    world.pass_time(120, 2)
    matter = only(world, "ramp")
    assert view.next_step(matter).href == f"ramp_order?id={order.id}"


def test_an_unreachable_provider_is_an_alert_until_it_responds(world: RampWorld) -> None:
    order = world.create_on_ramp()
    world.inject_faults(down_seconds=120)
    world.report(order, "delivered")
    world.pass_time(60, 5)
    assert view.next_step(only(world, "provider")).href == "ramp_orders"
    world.wait_for_order(order, OrderState.COMPLETED, within=900)
    world.pass_time(8_000, 100)
    assert "provider" not in causes(world)


def test_a_disabled_webhook_is_an_alert_until_something_is_delivered(tmp_path: Path) -> None:
    world = WebhookWorld(f"sqlite:///{tmp_path / 'crossway.db'}")
    webhook = world.create_webhook("http://127.0.0.1:9/hook", events=["intent_created"])
    for _ in range(8):
        world.create_intent()
        world.deliver()
        world.advance_and_deliver(86_400)
    matter = only(world, "webhook")
    assert matter.alert.message.startswith("Every delivery failed for 7 days")
    assert "127.0.0.1" in matter.alert.message
    assert view.next_step(matter).href == f"webhook?id={webhook.endpoint.id}"
    with running_receiver() as receiver:
        change = WebhookUpdate(url=receiver.url, enabled=True)
        webhooks.update_webhook(world.services, world.caller, webhook.endpoint.id, change)
        assert "nothing has been delivered to it yet" in only(world, "webhook").alert.message
        deliveries.send_test_event(world.services, world.caller, webhook.endpoint.id)
        world.deliver()
    assert causes(world) == {}
    world.close()


def test_a_failing_component_is_an_alert_until_it_recovers(world: RampWorld) -> None:
    work = TaskHealth(world.services, "webhook deliveries")
    work.record_failure(ZeroDivisionError("a defect"))
    matter = only(world, "engine")
    assert "webhook deliveries" in matter.alert.message
    assert view.next_step(matter).href == "alerts?kind=engine"
    TaskHealth(world.services, "webhook deliveries").record_success()
    assert causes(world) == {}


def test_only_manual_alerts_can_be_resolved_manually(
    world: RampWorld,
) -> None:
    world.deposit(world.create_intent())
    world.pass_time(30, 5)
    world.sandbox.inject_faults(BASE, Faults(take_nonce=True))
    world.deposit(world.create_intent())
    world.pass_time(30, 5)
    services, key = world.services, only(world, "outside").alert.key
    with pytest.raises(InvalidInput, match="note"):
        alerts.resolve_alerts(services, world.operator, [key], " ")
    with pytest.raises(Forbidden):
        alerts.resolve_alerts(services, world.caller, [key], "mine")
    assert alerts.resolve_alerts(services, world.operator, [key], "A test of ours") == 1
    [past] = alerts.list_resolved_alerts(
        services, world.operator, AlertFilter(kinds=("outside",)), 10
    )
    assert past.alert.note == "A test of ours"
    world.sandbox.inject_faults(ARBITRUM, Faults(outage_seconds=900))
    world.pass_time(10, 5)
    with pytest.raises(InvalidStatus, match="automatically"):
        alerts.resolve_alerts(services, world.operator, ["unreachable:ARBITRUM_MAINNET"], "go away")


def test_an_acknowledged_alert_leaves_the_strip_and_a_recurrence_is_new(
    world: RampWorld,
) -> None:
    def counted() -> tuple[int, int]:
        standing = alerts.list_active_alerts(world.services, world.operator)
        results = alerts.summarize_alerts(standing, world.services.clock.now())
        return sum(results.counts.values()), results.acknowledged

    world.sandbox.inject_faults(ARBITRUM, Faults(outage_seconds=60))
    world.pass_time(10, 5)
    assert counted() == (1, 0)
    key = only(world, "chain").alert.key
    with pytest.raises(Forbidden):
        alerts.acknowledge_alerts(world.services, world.caller, [key], "")
    assert alerts.acknowledge_alerts(world.services, world.operator, [key], "calling the node") == 1
    assert (counted(), len(causes(world))) == ((0, 1), 1)
    with world.store.read() as unit:
        [(_, _, _, detail)] = [e for e in unit.audit_log.list_recent(5) if "acknow" in e[2]]
    assert detail == {"alerts": [key], "note": "calling the node"}
    world.pass_time(60, 5)
    assert causes(world) == {}
    world.sandbox.inject_faults(ARBITRUM, Faults(outage_seconds=60))
    world.pass_time(10, 5)
    assert counted() == (1, 0)


def test_alerts_of_one_cause_are_grouped_with_the_largest_listed(world: RampWorld) -> None:
    own(world, ARBITRUM, "USDC", LOTS)
    sizes = (30, 50, 40, 20, 60, 70)
    intents = [world.create_intent(amount=str(n * 1_000_000)) for n in sizes]
    world.sandbox.inject_faults(BASE, Faults(refuse=[intents[0].terms.refund_address]))
    for intent, size in zip(intents, sizes, strict=True):
        world.deposit(intent, str(size * 10_000))
    world.pass_time(4_000, 100)
    rows = view.build_rows(
        world.services.catalogue, list_alert_groups(world.services, world.operator)
    )
    assert rows[0].href == "alerts?kind=refund"
    assert rows[0].cells[0].text == "6 × Refunds failed"
    largest = [f"intent?id={intents[n].id}&act=redirect" for n in (5, 4, 1, 2)]
    assert [row.href for row in rows[1:]] == largest
