"""Ramp orders from the first word to the last, on the simulated network (wire.md §4)."""

from pathlib import Path

import pytest

from crossway.domain.ledger import Account
from crossway.domain.ramps import OrderState as S
from crossway.usecases.ramps import orders as ramp_orders
from tests.audit import audit
from tests.usecases.ramp_worlds import CHAINS, RampWorld, a_world, expected


@pytest.fixture
def world(tmp_path: Path) -> RampWorld:
    return a_world(tmp_path)


@pytest.mark.parametrize("provider", ["YELLOW_CARD", "FONBNK", "PAYCREST"])
@pytest.mark.parametrize("chain", CHAINS)
def test_an_on_ramp_is_paid_for_delivered_and_booked_to_the_unit(
    provider: str, chain: str, world: RampWorld
) -> None:
    order = world.buy(provider, destination_chain=chain, recipient=world.address(chain, "buyer"))
    assert order.state is S.INITIATED
    assert order.instructions
    world.report(order, "paid")
    order = world.until_order(order, S.COMPLETED)
    assert world.events(order) == ["CREATED", "ACCEPTED", "PAID", "DELIVERED"]
    assert world.received(order) == order.crypto_units
    assert world.fiat(order) == expected(order)
    assert order.provider_tx
    assert order.completed_at
    world.pass_time(60, step=3)
    audit(world)


@pytest.mark.parametrize("chain", CHAINS)
def test_an_off_ramp_is_paid_on_chain_paid_out_and_booked_to_the_unit(
    chain: str, world: RampWorld
) -> None:
    order = world.sell(source_chain=chain, sender=world.address(chain, "seller"))
    assert order.state is S.INITIATED
    assert order.gross_units > order.crypto_units
    world.deposit_for(order)
    order = world.until_order(order, S.COMPLETED)
    assert world.events(order) == ["CREATED", "ACCEPTED", "PAID", "DELIVERED"]
    assert world.at_provider(order, order.pay_to) == order.ramp_units
    assert world.fiat(order) == expected(order)
    world.pass_time(60, step=3)
    audit(world)


def test_what_the_user_confirms_is_told_to_the_provider(world: RampWorld) -> None:
    order = world.buy()
    order = ramp_orders.confirm_order(world.services, world.caller, order.id)
    assert order.state is S.PROCESSING
    assert order.paid_at is None
    order = world.until_order(order, S.COMPLETED)
    assert world.fiat(order) == expected(order)


def test_an_order_that_nobody_pays_expires_and_nothing_is_booked(world: RampWorld) -> None:
    for make in (world.buy, world.sell):
        order = make()
        left = order.expires_at.timestamp() - world.machine.seconds
        world.pass_time(left - 10, step=120)
        assert world.order(order).state is S.INITIATED
        world.pass_time(60, step=5)
        assert world.order(order).state is S.EXPIRED
        assert world.fiat(order) == {}
    audit(world)


def test_the_books_show_what_a_provider_holds_of_an_order_under_way(world: RampWorld) -> None:
    world.fault(deliver_seconds=-1)
    order = world.buy()
    world.report(order, "paid")
    order = world.until_order(order, S.PROCESSING)
    fiat = order.fiat_minor
    assert world.fiat(order) == {Account.PROVIDER: fiat, Account.CUSTOMER: -fiat}
    world.report(order, "delivered")
    order = world.until_order(order, S.COMPLETED)
    assert Account.PROVIDER not in world.fiat(order)
