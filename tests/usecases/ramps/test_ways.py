"""Ramp orders on PostgreSQL, on test networks, by a provider's own page, and partly paid."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from crossway.domain.clients import Mode
from crossway.domain.errors import InvalidInput, Unreachable
from crossway.domain.intent import State
from crossway.domain.ramps import OrderState as S
from crossway.engine.loop import Engine
from crossway.usecases.ramps import orders as ramp_orders
from crossway.usecases.simulator import chain_controls
from tests.audit import audit
from tests.databases import new_postgres
from tests.engine.test_two_engines import ticking
from tests.usecases.ramp_worlds import ARBITRUM, CHAINS, RampWorld, a_world, expected

TESTNET = "BASE_TESTNET"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[RampWorld]:
    made = a_world(tmp_path, chains=(*CHAINS, TESTNET))
    yield made
    made.store.close()


def test_orders_go_both_ways_on_postgresql_with_two_engines_at_once(postgres_url: str) -> None:
    with new_postgres(postgres_url) as url:
        world = RampWorld(url)
        made = [world.buy() for _ in range(3)] + [world.sell() for _ in range(3)]
        cancelled = ramp_orders.cancel_order(world.services, world.caller, world.sell().id)
        for order in made:
            if order.direction == "on-ramp":
                ramp_orders.confirm_order(world.services, world.caller, order.id)
            else:
                world.deposit_for(order)
        engines = [Engine(world.services, name) for name in ("first", "second")]
        with ticking(engines) as raised:  # type: ignore[arg-type]
            for _ in range(600):
                world.machine.seconds += 0.5
                if all(world.order(one).state is S.COMPLETED for one in made):
                    break
        assert raised == []
        for order in map(world.order, made):
            assert order.state is S.COMPLETED
            assert world.fiat(order) == expected(order)
            assert world.events(order)[-1] == "DELIVERED"
        assert world.order(cancelled).state is S.CANCELLED
        world.pass_time(40, step=2)
        audit(world)
        world.store.close()


def test_an_on_ramp_to_a_test_network_needs_nobody_to_trigger_it(world: RampWorld) -> None:
    order = world.buy(destination_chain=TESTNET, recipient=world.address(TESTNET, "buyer"))
    assert order.ramp_chain == TESTNET
    world.report(order, "paid")
    order = world.until_order(order, S.COMPLETED)
    assert world.received(order) == order.crypto_units


def test_a_live_key_opens_no_order_on_a_test_network(world: RampWorld) -> None:
    live = replace(world.caller, mode=Mode.LIVE)
    asked = world.buying(destination_chain=TESTNET, recipient=world.address(TESTNET, "buyer"))
    with pytest.raises(InvalidInput, match="A live key cannot be used with test networks"):
        ramp_orders.create_order(world.services, live, asked)


def test_a_provider_with_a_page_of_its_own_needs_no_address(world: RampWorld) -> None:
    order = world.buy(
        "ONRAMP_MONEY", currency="INR", amount=50, country="IN", email=None, fields=None
    )
    assert order.state is S.INITIATED
    assert order.widget_url
    assert order.customer_id is None
    world.report(order, "paid")
    order = world.until_order(order, S.COMPLETED)
    assert world.fiat(order) == expected(order)


@pytest.mark.parametrize("cancelled", [True, False])
def test_a_part_of_the_deposit_goes_back_after_the_end(cancelled: bool, world: RampWorld) -> None:
    order = world.sell()
    world.deposit_for(order, order.gross_units - 1)
    world.pass_time(15)
    assert world.order(order).state is S.INITIATED
    if cancelled:
        ramp_orders.cancel_order(world.services, world.caller, order.id)
        world.pass_time(60)
        assert world.sent_back(order) == 0
    world.pass_time(3300, step=60)
    world.pass_time(30)
    order = world.order(order)
    assert order.state is (S.CANCELLED if cancelled else S.EXPIRED)
    assert world.sent_back(order) == order.gross_units - 1
    assert world.at_provider(order, order.pay_to) == 0
    assert world.fiat(order) == {}
    audit(world)


def test_what_is_missing_can_be_topped_up_past_the_time_to_pay(world: RampWorld) -> None:
    order = world.sell()
    world.deposit_for(order, order.gross_units - 1)
    world.pass_time(order.expires_at.timestamp() - world.machine.seconds + 30, step=30)
    assert world.order(order).state is S.INITIATED
    world.deposit_for(order, 1)
    order = world.until_order(order, S.COMPLETED)
    assert world.fiat(order) == expected(order)


def test_an_on_ramp_is_not_called_expired_while_its_provider_is_silent(world: RampWorld) -> None:
    order = world.buy()
    left = order.expires_at.timestamp() - world.machine.seconds
    world.pass_time(left - 20, step=60)
    world.report(order, "paid")
    world.fault(down_seconds=120, deliver_seconds=60)
    world.pass_time(60)
    assert world.order(order).state is S.INITIATED
    order = world.until_order(order, S.COMPLETED, within=900)
    assert world.fiat(order) == expected(order)


def test_a_recipient_that_refuses_ends_the_order_and_the_money_goes_back(
    world: RampWorld,
) -> None:
    order = world.buy()
    with world.store.read() as unit:
        assert order.intent_id is not None
        intent = unit.intents.get(order.intent_id)
    assert intent is not None
    chain_controls.inject_faults(
        world.services, world.operator, ARBITRUM, {"refuse": [order.recipient]}
    )
    world.report(order, "paid")
    order = world.until_order(order, S.FAILED, within=600)
    assert any("it owes" in words for words in world.alarms())
    world.until(intent, State.REFUNDED)
    # What comes from the collecting account names no order: somebody at the provider looks it up.
    world.report(order, "refunded")
    order = world.until_order(order, S.REFUNDED)
    assert world.alarms() == []
    assert world.received(order) == 0
    assert world.fiat(order) == {}


def test_a_cancellation_is_known_to_the_provider_once_it_answers_again(world: RampWorld) -> None:
    order = world.sell()
    world.fault(down_seconds=60)
    order = ramp_orders.cancel_order(world.services, world.caller, order.id)
    assert order.state is S.CANCELLED
    world.pass_time(150, step=2)
    notes = [
        m.note for m in ramp_orders.list_order_history(world.services, world.operator, order.id)
    ]
    assert notes[-1] == "YELLOW_CARD has closed the order"
    bought = world.buy()
    world.fault(down_seconds=60)
    with pytest.raises(Unreachable):
        ramp_orders.cancel_order(world.services, world.caller, bought.id)
