"""Ramp orders on PostgreSQL, on test networks, with hosted providers, and paid in part."""

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
from tests.databases import new_postgres
from tests.engine.test_two_engines import ticking
from tests.invariants import check_invariants
from tests.usecases.ramp_world import (
    ARBITRUM,
    CHAINS,
    RampWorld,
    completed_balances,
    new_ramp_world,
)

TESTNET = "BASE_TESTNET"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[RampWorld]:
    world = new_ramp_world(tmp_path, chains=(*CHAINS, TESTNET))
    yield world
    world.store.close()


def test_orders_in_both_directions_complete_on_postgresql_with_two_engines(
    postgres_url: str,
) -> None:
    with new_postgres(postgres_url) as url:
        world = RampWorld(url)
        made = [world.create_on_ramp() for _ in range(3)] + [
            world.create_off_ramp() for _ in range(3)
        ]
        cancelled = ramp_orders.cancel_order(
            world.services, world.caller, world.create_off_ramp().id
        )
        for order in made:
            if order.direction == "on-ramp":
                ramp_orders.confirm_order(world.services, world.caller, order.id)
            else:
                world.deposit_for(order)
        engines = [Engine(world.services, name) for name in ("first", "second")]
        with ticking(engines) as passes:  # type: ignore[arg-type]
            for _ in range(600):
                world.machine.seconds += 2
                passes.wait()
                if all(world.reload_order(item).state is S.COMPLETED for item in made):
                    break
        assert passes.raised == []
        for order in map(world.reload_order, made):
            assert order.state is S.COMPLETED
            assert world.fiat_balances(order) == completed_balances(order)
            assert world.state_changes(order)[-1] == "DELIVERED"
        assert world.reload_order(cancelled).state is S.CANCELLED
        world.pass_time(40, step=2)
        check_invariants(world)
        world.store.close()


def test_an_on_ramp_to_a_test_network_needs_no_trigger(world: RampWorld) -> None:
    order = world.create_on_ramp(
        destination_chain=TESTNET, recipient=world.wallet(TESTNET, "buyer")
    )
    assert order.ramp_chain == TESTNET
    world.report(order, "paid")
    order = world.wait_for_order(order, S.COMPLETED)
    assert world.recipient_balance(order) == order.crypto_units


def test_a_live_key_cannot_create_orders_on_a_test_network(world: RampWorld) -> None:
    live = replace(world.caller, mode=Mode.LIVE)
    request = world.on_ramp_request(
        destination_chain=TESTNET, recipient=world.wallet(TESTNET, "buyer")
    )
    with pytest.raises(InvalidInput, match="A live key cannot be used with test networks"):
        ramp_orders.create_order(world.services, live, request)


def test_a_hosted_provider_needs_no_email_address(world: RampWorld) -> None:
    order = world.create_on_ramp(
        "ONRAMP_MONEY", currency="INR", amount=50, country="IN", email=None, fields=None
    )
    assert order.state is S.INITIATED
    assert order.widget_url
    assert order.customer_id is None
    world.report(order, "paid")
    order = world.wait_for_order(order, S.COMPLETED)
    assert world.fiat_balances(order) == completed_balances(order)


@pytest.mark.parametrize("cancelled", [True, False])
def test_a_partial_deposit_is_refunded_after_expiry(cancelled: bool, world: RampWorld) -> None:
    order = world.create_off_ramp()
    world.deposit_for(order, order.gross_units - 1)
    world.pass_time(15)
    assert world.reload_order(order).state is S.INITIATED
    if cancelled:
        ramp_orders.cancel_order(world.services, world.caller, order.id)
        world.pass_time(60, step=3)
        assert world.sender_balance(order) == 0
    world.pass_time(3300, step=300)
    world.pass_time(30, step=3)
    order = world.reload_order(order)
    assert order.state is (S.CANCELLED if cancelled else S.EXPIRED)
    assert world.sender_balance(order) == order.gross_units - 1
    assert world.provider_balance(order, order.pay_to) == 0
    assert world.fiat_balances(order) == {}
    check_invariants(world)


def test_a_partial_deposit_can_be_topped_up_after_the_payment_deadline(world: RampWorld) -> None:
    order = world.create_off_ramp()
    world.deposit_for(order, order.gross_units - 1)
    world.pass_time(order.expires_at.timestamp() - world.machine.seconds + 30, step=120)
    assert world.reload_order(order).state is S.INITIATED
    world.deposit_for(order, 1)
    order = world.wait_for_order(order, S.COMPLETED)
    assert world.fiat_balances(order) == completed_balances(order)


def test_an_on_ramp_does_not_expire_while_its_provider_is_unreachable(world: RampWorld) -> None:
    order = world.create_on_ramp()
    left = order.expires_at.timestamp() - world.machine.seconds
    world.pass_time(left - 20, step=240)
    world.report(order, "paid")
    world.inject_faults(down_seconds=120, deliver_seconds=60)
    world.pass_time(60)
    assert world.reload_order(order).state is S.INITIATED
    order = world.wait_for_order(order, S.COMPLETED, within=900)
    assert world.fiat_balances(order) == completed_balances(order)


def test_an_order_whose_recipient_refuses_tokens_fails_and_is_refunded(
    world: RampWorld,
) -> None:
    order = world.create_on_ramp()
    with world.store.read() as unit:
        assert order.intent_id is not None
        intent = unit.intents.get(order.intent_id)
    assert intent is not None
    world.report(order, "paid")
    world.wait_for_state(intent, State.FUNDED, within=600)
    # The start is on its way: before it, the simulation would have shown the refusal.
    chain_controls.inject_faults(
        world.services, world.operator, ARBITRUM, {"refuse": [order.recipient]}
    )
    order = world.wait_for_order(order, S.FAILED, within=600)
    assert any("it owes" in alert for alert in world.active_alerts())
    world.wait_for_state(intent, State.REFUNDED)
    # A transfer from the collecting account names no order; the provider's staff resolve it.
    world.report(order, "refunded")
    order = world.wait_for_order(order, S.REFUNDED)
    assert world.active_alerts() == []
    assert world.recipient_balance(order) == 0
    assert world.fiat_balances(order) == {}


def test_a_cancellation_reaches_the_provider_once_it_responds_again(world: RampWorld) -> None:
    order = world.create_off_ramp()
    world.inject_faults(down_seconds=60)
    order = ramp_orders.cancel_order(world.services, world.caller, order.id)
    assert order.state is S.CANCELLED
    world.pass_time(150, step=2)
    notes = [
        m.note for m in ramp_orders.list_order_history(world.services, world.operator, order.id)
    ]
    assert notes[-1] == "YELLOW_CARD has closed the order"
    bought = world.create_on_ramp()
    world.inject_faults(down_seconds=60)
    with pytest.raises(Unreachable):
        ramp_orders.cancel_order(world.services, world.caller, bought.id)
