"""Every provider update in every order state, and access to orders."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count, product
from pathlib import Path

import pytest

from crossway.domain.clients import Client
from crossway.domain.errors import (
    FieldError,
    Forbidden,
    InvalidInput,
    InvalidStatus,
    InvalidTransition,
    KycRequired,
    NotFound,
    Unauthorized,
)
from crossway.domain.ramps import (
    ORDER_TRANSITIONS,
    OrderEvent,
    OrderState,
    RampOrder,
    advance_order,
    next_order_state,
)
from crossway.ports.ramp_repository import OrderFilter
from crossway.ports.ramps import ProviderOrderStatus as O
from crossway.ports.ramps import ProviderUpdate
from crossway.usecases.ramps import orders as ramp_orders
from crossway.usecases.ramps import provider_updates as ramp_reports
from tests.usecases.ramp_world import RampWorld, new_ramp_world

S = OrderState
ALL = tuple(O)
_numbers = count(1)
# By order state: the state after WAITING, PAID, DELIVERED, FAILED, REFUNDED, CANCELLED and EXPIRED,
# one letter each.
CODES = {state.value[0]: state for state in (S.PENDING, S.INITIATED, S.FAILED, S.REFUNDED)}
CODES |= {"+": S.PROCESSING, "D": S.COMPLETED, "C": S.CANCELLED, "E": S.EXPIRED}
ON = {
    "initiated": "I++CRCE",
    "confirmed": "+++FRFF",
    "paid": "+++FRFF",
    "completed": "DDDDDDD",
    "cancelled": "CCCCCCC",
    "expired": "EEEEEEE",
    "failed": "FFFFRFF",
    "refunded": "RRRRRRR",
}
OFF = {
    "initiated": "IIICICE",
    "confirmed": "+++F+FF",
    # Its crypto is on the way and cannot be called back.
    "paid": "+++F+++",
    "sold": "++DFRFF",
    "completed": "DDDDDDD",
    "cancelled": "CCCCCCC",
    "expired": "EEEEEEE",
    "failed": "FFFFRFF",
    "refunded": "RRRRRRR",
}
PAIRS = list(product(S, OrderEvent))


@pytest.fixture
def world(tmp_path: Path) -> Iterator[RampWorld]:
    # A world for each test: every pass of an engine looks at all open orders.
    world = new_ramp_world(tmp_path)
    world.inject_faults(deliver_seconds=-1)
    yield world
    world.store.close()


def report_status(world: RampWorld, order: RampOrder, outcome: O, **more: object) -> RampOrder:
    order = world.reload_order(order)
    report = ProviderUpdate(
        f"r{next(_numbers)}", order.provider_reference, outcome, world.clock.now(), **more
    )  # type: ignore[arg-type]
    ramp_reports.apply_updates(world.services, order.provider, [report])
    return world.reload_order(order)


def create_order_in_state(world: RampWorld, selling: bool, where: str) -> RampOrder:
    """A new order in a given state."""
    order = world.create_off_ramp() if selling else world.create_on_ramp()
    if where == "confirmed":
        return ramp_orders.confirm_order(world.services, world.caller, order.id)
    if where in ("cancelled", "expired"):
        return report_status(world, order, O(where))
    if where == "initiated":
        return order
    if selling:
        world.deposit_for(order)
        reached = {"paid": "FUNDED"}.get(where, "COMPLETED")
        for _ in range(60):
            world.pass_time(1)
            with world.store.read() as unit:
                assert order.intent_id is not None
                intent = unit.intents.get(order.intent_id)
            if intent is not None and intent.state in (reached, "COMPLETED"):
                break
    else:
        report_status(world, order, O.PAID)
    if where == "completed" and not selling:
        sent = order.ramp_token, order.ramp_units
        world.sandbox.deposit(order.ramp_chain, order.intent_address, *sent)
        return world.wait_for_order(order, S.COMPLETED)
    if where in ("failed", "refunded"):
        report_status(world, order, O.FAILED)
    if where in ("completed", "refunded"):
        report_status(world, order, O.DELIVERED if where == "completed" else O.REFUNDED)
    return world.reload_order(order)


@pytest.mark.parametrize(("selling", "where"), [(False, w) for w in ON] + [(True, w) for w in OFF])
def test_every_update_in_every_state_leads_to_its_transition(
    selling: bool, where: str, world: RampWorld
) -> None:
    for outcome, letter in zip(ALL, (OFF if selling else ON)[where], strict=True):
        order = create_order_in_state(world, selling, where)
        after = report_status(world, order, outcome)
        assert after.state is CODES[letter], f"{where} then {outcome}: {after.state}"
        books = world.fiat_balances(after)
        if after.state in (S.REFUNDED,):
            assert books == {}


@pytest.mark.parametrize(("state", "event"), PAIRS, ids=str)
def test_an_event_follows_the_transition_table_or_is_rejected(
    state: OrderState, event: OrderEvent
) -> None:
    to = ORDER_TRANSITIONS.get((state, event))
    if to is not None:
        assert advance_order(state, event) is next_order_state(state, event) is to
        return
    with pytest.raises(InvalidTransition):
        advance_order(state, event)
    with pytest.raises(InvalidStatus, match=f"Order has invalid status: {state}"):
        next_order_state(state, event)


def test_a_repeated_update_changes_nothing(world: RampWorld) -> None:
    order = create_order_in_state(world, False, "initiated")
    report = ProviderUpdate("again", order.provider_reference, O.PAID, world.clock.now())
    for _ in range(3):
        ramp_reports.apply_updates(world.services, order.provider, [report, report])
    assert world.state_changes(order) == ["CREATED", "ACCEPTED", "PAID"]
    assert sum(move == "PAID>PROCESSING" for move in world.order_history(order)) == 1


def test_a_failure_after_payment_is_failed_instead_of_cancelled(world: RampWorld) -> None:
    order = create_order_in_state(world, False, "initiated")
    after = report_status(world, order, O.FAILED, fiat_minor=order.fiat_minor)
    assert after.state is S.FAILED
    assert after.paid_at is not None


def test_a_partial_provider_refund_does_not_count_as_refunded(world: RampWorld) -> None:
    order = create_order_in_state(world, False, "failed")
    after = report_status(world, order, O.REFUNDED, fiat_minor=order.fiat_minor - 1)
    assert after.state is S.FAILED
    assert any("it owes" in alert for alert in world.active_alerts())


@pytest.mark.parametrize("where", ["cancelled", "expired", "failed"])
def test_a_payout_for_an_ended_order_is_noted_and_raises_an_alert(
    where: str, world: RampWorld
) -> None:
    order = (
        world.create_off_ramp() if where == "failed" else create_order_in_state(world, True, where)
    )
    if where == "failed":
        ramp_orders.confirm_order(world.services, world.caller, order.id)
        report_status(world, order, O.FAILED)
    before = len(world.order_history(order))
    report_status(world, order, O.DELIVERED)
    state = world.reload_order(order).state.lower()
    message = f"reports that it has paid out, although the order is {state}"
    assert any(
        message in alarm and f"Order {order.id}:" in alarm for alarm in world.active_alerts()
    )
    assert len(world.order_history(order)) == before + 1


def test_an_update_for_an_unknown_order_is_ignored(world: RampWorld) -> None:
    report = ProviderUpdate("strange", "nobody", O.PAID, world.clock.now())
    provider = world.services.ramps[0].name
    assert ramp_reports.apply_updates(world.services, provider, [report]) == 0


def test_an_unsigned_webhook_is_rejected(world: RampWorld) -> None:
    with pytest.raises((Unauthorized, InvalidInput)):
        ramp_reports.receive_webhook(world.services, "YELLOW_CARD", {}, b"{}")
    with pytest.raises(NotFound, match="Provider not found"):
        ramp_reports.receive_webhook(world.services, "NOBODY", {}, b"{}")


def test_another_clients_order_is_not_found(world: RampWorld) -> None:
    order = create_order_in_state(world, False, "initiated")
    stranger = replace(
        world.caller, client=Client("c-2", "Another shop", 0, None, 250, world.clock.now())
    )
    for act in (
        ramp_orders.get_order,
        ramp_orders.confirm_order,
        ramp_orders.cancel_order,
        ramp_orders.list_order_history,
    ):
        with pytest.raises(NotFound, match="Order not found"):
            act(world.services, stranger, order.id)
    with pytest.raises(NotFound):
        ramp_orders.get_order_by_intent(world.services, stranger, order.intent_address)
    assert ramp_orders.list_orders(world.services, stranger, OrderFilter(), 10) == []
    result = ramp_orders.get_order_by_intent(
        world.services, world.caller, order.intent_address.lower()
    )
    assert result.id == order.id


def test_operator_actions_are_audited(world: RampWorld) -> None:
    order = create_order_in_state(world, True, "initiated")
    ramp_orders.cancel_order(world.services, world.operator, order.id)
    with world.store.read() as unit:
        audited = [action for _, _, action, detail in unit.audit_log.list_recent(5)]
    assert "ramp order cancelled" in audited


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"recipient": None}, "recipientAddress is required"),
        ({"recipient": "nonsense"}, "recipientAddress"),
        ({"recipient": "0x" + "0" * 40}, "recipientAddress is the zero address"),
        ({"provider": "NOBODY"}, "provider must be one of"),
        ({"direction": "sideways"}, "type must be one of on-ramp, off-ramp"),
        ({"currency": "XXX"}, "fiatCurrency"),
        ({"amount": 0}, "cryptoAmount"),
        ({"destination_chain": None}, "destinationChain is required"),
        ({"country": "KE"}, "countryCode"),
        ({"fields": []}, "fields must be a JSON object"),
        ({"fields": {"strange": "1"}}, "fields.strange is not a field"),
        ({"fields": {"channel": "none"}}, "channel"),
        ({"field_errors": (FieldError("colour is not a known field"),)}, "colour is not a known"),
    ],
)
def test_an_invalid_order_field_is_rejected_by_name(
    more: dict[str, object], message: str, world: RampWorld
) -> None:
    with pytest.raises(InvalidInput, match=message):
        world.create_on_ramp(**more)


def test_a_direct_order_needs_an_email_address(world: RampWorld) -> None:
    with pytest.raises(Forbidden, match="userEmail"):
        world.create_on_ramp(email=None)


def test_a_rejection_for_kyc_names_what_is_missing(world: RampWorld, tmp_path: Path) -> None:
    with world.store.read() as unit:
        before = unit.orders.count(OrderFilter(), 1)
    with pytest.raises(KycRequired, match="identity check") as refused:
        world.create_on_ramp(email="new@example.com")
    assert refused.value.assessment.missing
    with world.store.read() as unit:
        assert unit.orders.count(OrderFilter(), 1) == before
