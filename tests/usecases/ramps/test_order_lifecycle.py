"""The lifecycle of ramp orders on the simulated network."""

from pathlib import Path

import pytest

from crossway.domain.ledger import Account
from crossway.domain.ramps import OrderState as S
from crossway.usecases.ramps import orders as ramp_orders
from tests.invariants import check_invariants
from tests.usecases.ramp_world import CHAINS, RampWorld, completed_balances, new_ramp_world


@pytest.fixture
def world(tmp_path: Path) -> RampWorld:
    return new_ramp_world(tmp_path)


@pytest.mark.parametrize("provider", ["YELLOW_CARD", "FONBNK", "PAYCREST"])
@pytest.mark.parametrize("chain", CHAINS)
def test_an_on_ramp_is_paid_delivered_and_booked_exactly(
    provider: str, chain: str, world: RampWorld
) -> None:
    order = world.create_on_ramp(
        provider, destination_chain=chain, recipient=world.wallet(chain, "buyer")
    )
    assert order.state is S.INITIATED
    assert order.instructions
    world.report(order, "paid")
    order = world.wait_for_order(order, S.COMPLETED)
    assert world.state_changes(order) == ["CREATED", "ACCEPTED", "PAID", "DELIVERED"]
    assert world.recipient_balance(order) == order.crypto_units
    assert world.fiat_balances(order) == completed_balances(order)
    assert order.provider_tx
    assert order.completed_at
    world.pass_time(60, step=3)
    check_invariants(world)


@pytest.mark.parametrize("chain", CHAINS)
def test_an_off_ramp_is_deposited_paid_out_and_booked_exactly(chain: str, world: RampWorld) -> None:
    order = world.create_off_ramp(source_chain=chain, sender=world.wallet(chain, "seller"))
    assert order.state is S.INITIATED
    assert order.gross_units > order.crypto_units
    world.deposit_for(order)
    order = world.wait_for_order(order, S.COMPLETED)
    assert world.state_changes(order) == ["CREATED", "ACCEPTED", "PAID", "DELIVERED"]
    assert world.provider_balance(order, order.pay_to) == order.ramp_units
    assert world.fiat_balances(order) == completed_balances(order)
    world.pass_time(60, step=3)
    check_invariants(world)


def test_a_confirmed_payment_is_reported_to_the_provider(world: RampWorld) -> None:
    order = world.create_on_ramp()
    order = ramp_orders.confirm_order(world.services, world.caller, order.id)
    assert order.state is S.PROCESSING
    assert order.paid_at is None
    order = world.wait_for_order(order, S.COMPLETED)
    assert world.fiat_balances(order) == completed_balances(order)


def test_an_unpaid_order_expires_without_postings(world: RampWorld) -> None:
    for make in (world.create_on_ramp, world.create_off_ramp):
        order = make()
        left = order.expires_at.timestamp() - world.machine.seconds
        world.pass_time(left - 10, step=120)
        assert world.reload_order(order).state is S.INITIATED
        world.pass_time(60, step=5)
        assert world.reload_order(order).state is S.EXPIRED
        assert world.fiat_balances(order) == {}
    check_invariants(world)


def test_the_books_show_what_a_provider_holds_for_an_open_order(world: RampWorld) -> None:
    world.inject_faults(deliver_seconds=-1)
    order = world.create_on_ramp()
    world.report(order, "paid")
    order = world.wait_for_order(order, S.PROCESSING)
    fiat = order.fiat_minor
    assert world.fiat_balances(order) == {Account.PROVIDER: fiat, Account.CUSTOMER: -fiat}
    world.report(order, "delivered")
    order = world.wait_for_order(order, S.COMPLETED)
    assert Account.PROVIDER not in world.fiat_balances(order)
