"""Providers that are down, lie, repeat themselves or speak out of order; races; late money."""

from dataclasses import replace
from pathlib import Path

import pytest

from crossway.domain.errors import InvalidStatus, Unreachable
from crossway.domain.intent import State
from crossway.domain.ledger import Account
from crossway.domain.ramps import OrderState as S
from crossway.ports.ramp_repository import OrderFilter
from crossway.ports.ramps import OrderRequest, ProviderOrder
from crossway.usecases.ramps import orders as ramp_orders
from tests.audit import audit
from tests.usecases.ramp_worlds import RampWorld, a_world, expected


@pytest.fixture
def world(tmp_path: Path) -> RampWorld:
    return a_world(tmp_path)


def intent_state(world: RampWorld, order_id: int) -> State:
    with world.store.read() as unit:
        order = unit.orders.get(order_id)
        assert order is not None
        assert order.intent_id is not None
        intent = unit.intents.get(order.intent_id)
    assert intent is not None
    return intent.state


class Answering:
    """A sandbox provider whose answer to an opening is something else."""

    def __init__(self, provider: object, answer: object) -> None:
        self._provider, self._answer = provider, answer

    def __getattr__(self, name: str) -> object:
        return getattr(self._provider, name)

    def create_order(self, request: OrderRequest) -> ProviderOrder:
        return self._answer(self._provider.create_order, request)  # type: ignore[attr-defined,operator]


def answering(world: RampWorld, answer: object) -> None:
    ramps = [Answering(one, answer) for one in world.services.ramps]
    world.services = replace(world.services, ramps=ramps)
    world.engine = type(world.engine)(world.services, "test", sole=True)


def silent(_: object, __: OrderRequest) -> ProviderOrder:
    raise Unreachable("the provider is down")


def test_a_provider_that_is_down_opens_the_order_once_it_is_back(world: RampWorld) -> None:
    whole = world.services
    for make in (world.buy, world.sell):
        answering(world, silent)
        order = make()
        assert order.state is S.PENDING
        world.pass_time(100, step=5)
        assert world.order(order).state is S.PENDING
        assert world.alarms("provider")
        world.services = whole
        world.engine = type(world.engine)(world.services, "test", sole=True)
        order = world.until_order(order, S.INITIATED)
        assert world.alarms("provider") == []
        assert world.order(order).provider_reference


def test_an_order_that_cannot_be_opened_in_time_fails_and_its_intent_is_withdrawn(
    world: RampWorld,
) -> None:
    answering(world, silent)
    order = world.buy()
    world.pass_time(3700, step=30)
    order = world.order(order)
    assert order.state is S.FAILED
    assert order.failure_reason == "The provider could not be reached in time"
    assert intent_state(world, order.id) is State.EXPIRED


@pytest.mark.parametrize("selling", [False, True])
def test_a_refusal_is_the_end_and_says_why(world: RampWorld, selling: bool) -> None:
    world.fault(refuse_next=1)
    order = world.sell() if selling else world.buy()
    assert order.state is S.FAILED
    assert order.failure_reason
    if not selling:
        assert intent_state(world, order.id) is State.EXPIRED
    assert world.fiat(order) == {}


@pytest.mark.parametrize("selling", [False, True])
def test_another_price_at_the_opening_than_was_quoted_ends_it_and_names_both(
    world: RampWorld, selling: bool
) -> None:
    world.fault(overcharge_bps=100)
    order = world.sell() if selling else world.buy()
    assert order.state is S.FAILED
    assert "NGN, not" in order.failure_reason
    assert "as it quoted" in order.failure_reason
    world.pass_time(10)
    notes = [
        m.note for m in ramp_orders.list_order_history(world.services, world.operator, order.id)
    ]
    assert "YELLOW_CARD has closed the order" in notes


def test_a_short_delivery_completes_nothing_and_goes_back(world: RampWorld) -> None:
    world.fault(short_bps=500)
    order = world.buy()
    world.report(order, "paid")
    order = world.until_order(order, S.PROCESSING)
    world.pass_time(300, step=10)
    assert world.order(order).state is S.PROCESSING
    assert any("reports that it has delivered" in words for words in world.alarms())
    world.pass_time(5000, step=50)
    order = world.order(order)
    assert order.state in (S.FAILED, S.REFUNDED)
    world.pass_time(300, step=10)
    order = world.until_order(order, S.REFUNDED)
    assert world.received(order) == 0
    assert world.fiat(order) == {}
    assert world.alarms() == []
    audit(world)


def test_a_short_payout_is_told_and_the_order_stays_open(world: RampWorld) -> None:
    world.fault(short_bps=500)
    order = world.sell()
    world.deposit_for(order)
    world.pass_time(120, step=2)
    order = world.order(order)
    assert order.state is S.PROCESSING
    assert any("it owes" in words for words in world.alarms())
    assert world.fiat(order)[Account.PROVIDER] == order.fiat_minor + order.fee_minor


@pytest.mark.parametrize("selling", [False, True])
def test_what_is_said_twice_and_out_of_order_is_done_once(world: RampWorld, selling: bool) -> None:
    world.fault(repeat=True, shuffle=True)
    order = world.sell() if selling else world.buy()
    if selling:
        world.deposit_for(order)
    else:
        world.report(order, "paid")
    order = world.until_order(order, S.COMPLETED)
    assert world.events(order) == ["CREATED", "ACCEPTED", "PAID", "DELIVERED"]
    assert world.fiat(order) == expected(order)


def test_a_failed_order_is_refunded_and_the_books_are_even(world: RampWorld) -> None:
    world.fault(deliver_seconds=-1)
    for make in (world.buy, world.sell):
        order = make()
        if order.direction == "on-ramp":
            world.report(order, "paid")
        else:
            world.deposit_for(order)
            world.pass_time(60)
        world.until_order(order, S.PROCESSING)
        world.report(order, "failed")
        order = world.until_order(order, S.FAILED)
        assert world.alarms()
        world.report(order, "refunded")
        order = world.until_order(order, S.REFUNDED)
        assert world.fiat(order) == {}
        assert world.alarms() == []


def test_a_cancelled_order_is_closed_at_the_provider_and_takes_no_money(world: RampWorld) -> None:
    order = world.buy()
    order = ramp_orders.cancel_order(world.services, world.caller, order.id)
    assert order.state is S.CANCELLED
    assert intent_state(world, order.id) is State.EXPIRED
    for act in (ramp_orders.cancel_order, ramp_orders.confirm_order):
        with pytest.raises(InvalidStatus, match="Order has invalid status: CANCELLED"):
            act(world.services, world.caller, order.id)


def test_a_deposit_after_the_cancellation_goes_back_and_the_provider_gets_nothing(
    world: RampWorld,
) -> None:
    order = world.sell()
    order = ramp_orders.cancel_order(world.services, world.caller, order.id)
    assert order.state is S.CANCELLED
    world.deposit_for(order)
    world.pass_time(60)
    # The deposit address gives nothing back before its own expiry.
    assert intent_state(world, order.id) is State.EXPIRED
    world.pass_time(3200, step=40)
    world.pass_time(60)
    assert intent_state(world, order.id) is State.REFUNDED
    assert world.order(order).state is S.CANCELLED
    assert world.at_provider(order, order.pay_to) == 0
    assert world.sent_back(order) == order.gross_units
    audit(world)


def test_a_deposit_that_is_quicker_than_the_cancellation_wins(world: RampWorld) -> None:
    order = world.sell()
    world.deposit_for(order)
    world.pass_time(8)
    with pytest.raises(InvalidStatus, match="Order has invalid status: PROCESSING"):
        ramp_orders.cancel_order(world.services, world.caller, order.id)
    order = world.until_order(order, S.COMPLETED)
    assert world.fiat(order) == expected(order)


def test_an_on_ramp_that_was_paid_cannot_be_cancelled_and_its_payment_is_taken_in(
    world: RampWorld,
) -> None:
    order = world.buy()
    world.report(order, "paid")
    with pytest.raises(InvalidStatus, match="Order has invalid status: PROCESSING"):
        ramp_orders.cancel_order(world.services, world.caller, order.id)
    order = world.until_order(order, S.COMPLETED)
    assert world.fiat(order) == expected(order)


def test_a_cancellation_that_the_provider_does_not_answer_changes_nothing(
    world: RampWorld,
) -> None:
    order = world.buy()
    world.fault(down_seconds=100)
    with pytest.raises(Unreachable):
        ramp_orders.cancel_order(world.services, world.caller, order.id)
    assert world.order(order).state is S.INITIATED


def test_money_that_a_provider_takes_after_the_end_is_owed_back(world: RampWorld) -> None:
    world.fault(deliver_seconds=40)
    order = world.buy()
    order = ramp_orders.cancel_order(world.services, world.caller, order.id)
    world.report(order, "paid")
    world.pass_time(20)
    assert world.order(order).state is S.CANCELLED
    assert any("it owes" in words for words in world.alarms())
    assert world.fiat(order)[Account.PROVIDER] == order.fiat_minor
    world.pass_time(400, step=10)
    assert world.fiat(order) == {}
    assert world.alarms() == []


def test_a_confirmation_without_a_payment_ends_as_failed(world: RampWorld) -> None:
    order = world.sell()
    order = ramp_orders.confirm_order(world.services, world.caller, order.id)
    assert order.state is S.PROCESSING
    world.pass_time(3300, step=50)
    order = world.order(order)
    assert order.state is S.FAILED
    assert world.fiat(order) == {}


@pytest.mark.parametrize(
    ("selling", "lie", "words"),
    [
        (True, {"pay_to": "nowhere"}, "returned no address on"),
        (True, {"pay_to": "0x" + "0" * 40}, "returned no address on"),
        (True, {"reference": ""}, "a reference that is not this order's"),
        (False, {"reference": ""}, "a reference that is not this order's"),
        (False, {"reference": "taken"}, "a reference that is not this order's"),
    ],
)
def test_an_answer_that_cannot_be_is_the_end_of_the_order(
    selling: bool, lie: dict[str, str], words: str, world: RampWorld
) -> None:
    first = world.buy()
    wrong = {name: first.provider_reference if v == "taken" else v for name, v in lie.items()}
    answering(world, lambda honest, asked: replace(honest(asked), **wrong))
    order = world.sell() if selling else world.buy()
    assert order.state is S.FAILED
    assert words in order.failure_reason
    world.pass_time(10)
    assert world.order(first).state is S.INITIATED


@pytest.mark.parametrize("selling", [False, True])
def test_a_better_price_at_the_opening_is_the_users(world: RampWorld, selling: bool) -> None:
    def better(honest: object, asked: OrderRequest) -> ProviderOrder:
        opened = honest(asked)  # type: ignore[operator]
        more = 1_000 if selling else -1_000
        return replace(opened, fiat_minor=opened.fiat_minor + more)

    usual = world.sell() if selling else world.buy()
    answering(world, better)
    order = world.sell() if selling else world.buy()
    assert order.state is S.INITIATED
    assert abs(order.fiat_minor - usual.fiat_minor) == 1_000
    assert order.fees_minor == usual.fees_minor - 1_000


def test_an_opening_that_answers_after_the_cancellation_is_closed_again(world: RampWorld) -> None:
    whole = world.services

    def cancelled_meanwhile(honest: object, asked: OrderRequest) -> ProviderOrder:
        opened: ProviderOrder = honest(asked)  # type: ignore[operator]
        with world.store.read() as unit:
            order = unit.orders.list_page(OrderFilter(), 1)[0]
        ramp_orders.cancel_order(whole, world.caller, order.id)
        return opened

    answering(world, cancelled_meanwhile)
    order = world.sell()
    assert order.state is S.CANCELLED
    world.pass_time(60)
    notes = [
        m.note for m in ramp_orders.list_order_history(world.services, world.operator, order.id)
    ]
    assert notes[-1] == "YELLOW_CARD has closed the order"
    assert world.order(order).provider_reference
