"""Faulty providers: unavailable, wrong, duplicate or out-of-order updates; late payments."""

from dataclasses import replace
from pathlib import Path

import pytest

from crossway.domain.errors import InvalidStatus, Unreachable
from crossway.domain.intent import State
from crossway.domain.ledger import Account
from crossway.domain.ramps import OrderState as S
from crossway.domain.ramps import RampOrder
from crossway.ports.ramp_repository import OrderFilter
from crossway.ports.ramps import OrderRequest, ProviderOrder
from crossway.usecases.ramps import orders as ramp_orders
from tests.invariants import check_invariants
from tests.usecases.ramp_world import RampWorld, completed_balances, new_ramp_world


@pytest.fixture
def world(tmp_path: Path) -> RampWorld:
    return new_ramp_world(tmp_path)


def get_intent_state(world: RampWorld, order_id: int) -> State:
    with world.store.read() as unit:
        order = unit.orders.get(order_id)
        assert order is not None
        assert order.intent_id is not None
        intent = unit.intents.get(order.intent_id)
    assert intent is not None
    return intent.state


class ProviderWithResponse:
    """A sandbox provider whose response to a new order is replaced."""

    def __init__(self, provider: object, answer: object) -> None:
        self._provider, self._answer = provider, answer

    def __getattr__(self, name: str) -> object:
        return getattr(self._provider, name)

    def create_order(self, request: OrderRequest) -> ProviderOrder:
        return self._answer(self._provider.create_order, request)  # type: ignore[attr-defined,operator]


def replace_order_response(world: RampWorld, answer: object) -> None:
    ramps = [ProviderWithResponse(provider, answer) for provider in world.services.ramps]
    world.services = replace(world.services, ramps=ramps)
    world.engine = type(world.engine)(world.services, "test", sole=True)


def no_response(_: object, __: OrderRequest) -> ProviderOrder:
    raise Unreachable("the provider is down")


def test_an_order_is_placed_once_its_provider_responds_again(world: RampWorld) -> None:
    services = world.services
    for make in (world.create_on_ramp, world.create_off_ramp):
        replace_order_response(world, no_response)
        order = make()
        assert order.state is S.PENDING
        world.pass_time(100, step=5)
        assert world.reload_order(order).state is S.PENDING
        assert world.active_alerts("provider")
        world.services = services
        world.engine = type(world.engine)(world.services, "test", sole=True)
        order = world.wait_for_order(order, S.INITIATED)
        assert world.active_alerts("provider") == []
        assert world.reload_order(order).provider_reference


def test_an_order_not_placed_in_time_fails_and_its_intent_is_cancelled(
    world: RampWorld,
) -> None:
    replace_order_response(world, no_response)
    order = world.create_on_ramp()
    world.pass_time(3700, step=120)
    order = world.reload_order(order)
    assert order.state is S.FAILED
    assert order.failure_reason == "The provider could not be reached in time"
    assert get_intent_state(world, order.id) is State.EXPIRED


@pytest.mark.parametrize("selling", [False, True])
def test_a_rejected_order_fails_with_the_reason(world: RampWorld, selling: bool) -> None:
    world.inject_faults(refuse_next=1)
    order = world.create_off_ramp() if selling else world.create_on_ramp()
    assert order.state is S.FAILED
    assert order.failure_reason
    if not selling:
        assert get_intent_state(world, order.id) is State.EXPIRED
    assert world.fiat_balances(order) == {}


@pytest.mark.parametrize("selling", [False, True])
def test_a_price_worse_than_quoted_fails_the_order_naming_both(
    world: RampWorld, selling: bool
) -> None:
    world.inject_faults(overcharge_bps=100)
    order = world.create_off_ramp() if selling else world.create_on_ramp()
    assert order.state is S.FAILED
    assert "NGN, not" in order.failure_reason
    assert "as it quoted" in order.failure_reason
    world.pass_time(10)
    notes = [
        m.note for m in ramp_orders.list_order_history(world.services, world.operator, order.id)
    ]
    assert "YELLOW_CARD has closed the order" in notes


def test_a_short_delivery_is_returned_and_completes_nothing(world: RampWorld) -> None:
    world.inject_faults(short_bps=500)
    order = world.create_on_ramp()
    world.report(order, "paid")
    order = world.wait_for_order(order, S.PROCESSING)
    world.pass_time(300, step=20)
    assert world.reload_order(order).state is S.PROCESSING
    assert any("reports that it has delivered" in alert for alert in world.active_alerts())
    world.pass_time(5000, step=250)
    order = world.reload_order(order)
    assert order.state in (S.FAILED, S.REFUNDED)
    world.pass_time(300, step=20)
    order = world.wait_for_order(order, S.REFUNDED)
    assert world.recipient_balance(order) == 0
    assert world.fiat_balances(order) == {}
    assert world.active_alerts() == []
    check_invariants(world)


def test_a_short_payout_is_noted_and_the_order_stays_open(world: RampWorld) -> None:
    world.inject_faults(short_bps=500)
    order = world.create_off_ramp()
    world.deposit_for(order)
    world.pass_time(120, step=5)
    order = world.reload_order(order)
    assert order.state is S.PROCESSING
    assert any("it owes" in alert for alert in world.active_alerts())
    assert world.fiat_balances(order)[Account.PROVIDER] == order.fiat_minor + order.fee_minor


@pytest.mark.parametrize("selling", [False, True])
def test_duplicate_and_out_of_order_updates_apply_once(world: RampWorld, selling: bool) -> None:
    world.inject_faults(repeat=True, shuffle=True)
    order = world.create_off_ramp() if selling else world.create_on_ramp()
    if selling:
        world.deposit_for(order)
    else:
        world.report(order, "paid")
    order = world.wait_for_order(order, S.COMPLETED)
    assert world.state_changes(order) == ["CREATED", "ACCEPTED", "PAID", "DELIVERED"]
    assert world.fiat_balances(order) == completed_balances(order)


def test_a_failed_order_is_refunded_and_the_books_balance(world: RampWorld) -> None:
    world.inject_faults(deliver_seconds=-1)
    for make in (world.create_on_ramp, world.create_off_ramp):
        order = make()
        if order.direction == "on-ramp":
            world.report(order, "paid")
        else:
            world.deposit_for(order)
            world.pass_time(60)
        world.wait_for_order(order, S.PROCESSING)
        world.report(order, "failed")
        order = world.wait_for_order(order, S.FAILED)
        assert world.active_alerts()
        world.report(order, "refunded")
        order = world.wait_for_order(order, S.REFUNDED)
        assert world.fiat_balances(order) == {}
        assert world.active_alerts() == []


def test_a_cancelled_order_is_cancelled_at_the_provider_and_takes_no_payment(
    world: RampWorld,
) -> None:
    order = world.create_on_ramp()
    order = ramp_orders.cancel_order(world.services, world.caller, order.id)
    assert order.state is S.CANCELLED
    assert get_intent_state(world, order.id) is State.EXPIRED
    for act in (ramp_orders.cancel_order, ramp_orders.confirm_order):
        with pytest.raises(InvalidStatus, match="Order has invalid status: CANCELLED"):
            act(world.services, world.caller, order.id)


def test_a_deposit_after_the_cancellation_is_refunded(
    world: RampWorld,
) -> None:
    order = world.create_off_ramp()
    order = ramp_orders.cancel_order(world.services, world.caller, order.id)
    assert order.state is S.CANCELLED
    world.deposit_for(order)
    world.pass_time(60)
    # The deposit address refunds nothing before its expiry.
    assert get_intent_state(world, order.id) is State.EXPIRED
    world.pass_time(3200, step=200)
    world.pass_time(60)
    assert get_intent_state(world, order.id) is State.REFUNDED
    assert world.reload_order(order).state is S.CANCELLED
    assert world.provider_balance(order, order.pay_to) == 0
    assert world.sender_balance(order) == order.gross_units
    check_invariants(world)


def test_a_deposit_before_the_cancellation_prevents_it(world: RampWorld) -> None:
    order = world.create_off_ramp()
    world.deposit_for(order)
    world.pass_time(8)
    check_cancellation_is_refused(world, order)


def test_a_paid_on_ramp_cannot_be_cancelled_and_its_payment_is_booked(
    world: RampWorld,
) -> None:
    order = world.create_on_ramp()
    world.report(order, "paid")
    check_cancellation_is_refused(world, order)


def check_cancellation_is_refused(world: RampWorld, order: RampOrder) -> None:
    """A paid order cannot be cancelled, and completes."""
    with pytest.raises(InvalidStatus, match="Order has invalid status: PROCESSING"):
        ramp_orders.cancel_order(world.services, world.caller, order.id)
    order = world.wait_for_order(order, S.COMPLETED)
    assert world.fiat_balances(order) == completed_balances(order)


def test_a_cancellation_without_a_provider_response_changes_nothing(
    world: RampWorld,
) -> None:
    order = world.create_on_ramp()
    world.inject_faults(down_seconds=100)
    with pytest.raises(Unreachable):
        ramp_orders.cancel_order(world.services, world.caller, order.id)
    assert world.reload_order(order).state is S.INITIATED


def test_a_payment_after_the_order_ended_is_owed_back(world: RampWorld) -> None:
    world.inject_faults(deliver_seconds=40)
    order = world.create_on_ramp()
    order = ramp_orders.cancel_order(world.services, world.caller, order.id)
    world.report(order, "paid")
    world.pass_time(20)
    assert world.reload_order(order).state is S.CANCELLED
    assert any("it owes" in alert for alert in world.active_alerts())
    assert world.fiat_balances(order)[Account.PROVIDER] == order.fiat_minor
    world.pass_time(400, step=20)
    assert world.fiat_balances(order) == {}
    assert world.active_alerts() == []


def test_a_confirmed_but_unpaid_order_fails(world: RampWorld) -> None:
    order = world.create_off_ramp()
    order = ramp_orders.confirm_order(world.services, world.caller, order.id)
    assert order.state is S.PROCESSING
    world.pass_time(3300, step=200)
    order = world.reload_order(order)
    assert order.state is S.FAILED
    assert world.fiat_balances(order) == {}


@pytest.mark.parametrize(
    ("selling", "lie", "message"),
    [
        (True, {"pay_to": "nowhere"}, "returned no address on"),
        (True, {"pay_to": "0x" + "0" * 40}, "returned no address on"),
        (True, {"reference": ""}, "a reference that is not this order's"),
        (False, {"reference": ""}, "a reference that is not this order's"),
        (False, {"reference": "taken"}, "a reference that is not this order's"),
    ],
)
def test_an_implausible_provider_response_fails_the_order(
    selling: bool, lie: dict[str, str], message: str, world: RampWorld
) -> None:
    first = world.create_on_ramp()
    wrong = {name: first.provider_reference if v == "taken" else v for name, v in lie.items()}
    replace_order_response(world, lambda honest, asked: replace(honest(asked), **wrong))
    order = world.create_off_ramp() if selling else world.create_on_ramp()
    assert order.state is S.FAILED
    assert message in order.failure_reason
    world.pass_time(10)
    assert world.reload_order(first).state is S.INITIATED


@pytest.mark.parametrize("selling", [False, True])
def test_a_better_price_than_quoted_benefits_the_user(world: RampWorld, selling: bool) -> None:
    def better(honest: object, request: OrderRequest) -> ProviderOrder:
        opened = honest(request)  # type: ignore[operator]
        more = 1_000 if selling else -1_000
        return replace(opened, fiat_minor=opened.fiat_minor + more)

    usual = world.create_off_ramp() if selling else world.create_on_ramp()
    replace_order_response(world, better)
    order = world.create_off_ramp() if selling else world.create_on_ramp()
    assert order.state is S.INITIATED
    assert abs(order.fiat_minor - usual.fiat_minor) == 1_000
    assert order.fees_minor == usual.fees_minor - 1_000


def test_an_order_placed_after_its_cancellation_is_cancelled_again(world: RampWorld) -> None:
    services = world.services

    def cancelled_meanwhile(honest: object, request: OrderRequest) -> ProviderOrder:
        opened: ProviderOrder = honest(request)  # type: ignore[operator]
        with world.store.read() as unit:
            order = unit.orders.list_page(OrderFilter(), 1)[0]
        ramp_orders.cancel_order(services, world.caller, order.id)
        return opened

    replace_order_response(world, cancelled_meanwhile)
    order = world.create_off_ramp()
    assert order.state is S.CANCELLED
    world.pass_time(60)
    notes = [
        m.note for m in ramp_orders.list_order_history(world.services, world.operator, order.id)
    ]
    assert notes[-1] == "YELLOW_CARD has closed the order"
    assert world.reload_order(order).provider_reference
