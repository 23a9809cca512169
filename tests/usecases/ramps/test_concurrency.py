"""Concurrent actions of users, providers and deposits: the money ends in one account."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from crossway.domain.errors import InvalidStatus, Unreachable
from crossway.domain.ramps import OrderState as S
from crossway.domain.ramps import RampOrder
from crossway.usecases.ramps import orders as ramp_orders
from tests.invariants import check_invariants
from tests.usecases.ramp_world import RampWorld, completed_balances, new_ramp_world

ROUNDS = 6


@pytest.fixture
def world(tmp_path: Path) -> Iterator[RampWorld]:
    world = new_ramp_world(tmp_path)
    yield world
    world.store.close()


def run_concurrently(*acts: Callable[[], object]) -> list[object]:
    """Run all actions at the same time; returns results and domain errors."""
    barrier = Barrier(len(acts))

    def run(act: Callable[[], object]) -> object:
        barrier.wait()
        try:
            return act()
        except (InvalidStatus, Unreachable) as refusal:
            return refusal

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


def wait_for_end(world: RampWorld, order: RampOrder) -> RampOrder:
    """Wait until the order has ended and its books balance."""
    order = world.reload_order(order)
    assert order.state in (S.COMPLETED, S.CANCELLED, S.FAILED)
    assert world.fiat_balances(order) == (
        completed_balances(order) if order.state is S.COMPLETED else {}
    )
    return order


def test_concurrent_confirm_and_cancel_never_both_succeed(world: RampWorld) -> None:
    made = []
    for make in (world.create_on_ramp, world.create_off_ramp) * (ROUNDS // 2):
        order = make()
        made.append(order)
        confirmed, cancelled = run_concurrently(
            lambda order=order: ramp_orders.confirm_order(world.services, world.caller, order.id),  # type: ignore[misc]
            lambda order=order: ramp_orders.cancel_order(world.services, world.caller, order.id),  # type: ignore[misc]
        )
        assert isinstance(confirmed, InvalidStatus) or isinstance(cancelled, InvalidStatus)
    world.pass_time(4000, step=100)
    for order in made:
        wait_for_end(world, order)
    check_invariants(world)


def test_a_concurrent_deposit_and_cancellation_leave_the_crypto_in_one_account(
    world: RampWorld,
) -> None:
    made = []
    for seconds in range(ROUNDS):
        order = world.create_off_ramp(sender=world.wallet("ARBITRUM_MAINNET", f"seller {seconds}"))
        made.append(order)
        world.deposit_for(order)
        world.pass_time(seconds)
        run_concurrently(
            lambda: world.engine.tick(),
            lambda order=order: ramp_orders.cancel_order(world.services, world.caller, order.id),  # type: ignore[misc]
        )
    world.pass_time(60)
    world.pass_time(3400, step=100)
    states = {wait_for_end(world, order).state for order in made}
    for order in map(world.reload_order, made):
        sold = order.state is S.COMPLETED
        assert world.sender_balance(order) == (0 if sold else order.gross_units)
        assert world.provider_balance(order, order.pay_to) == (order.ramp_units if sold else 0)
    assert states == {S.COMPLETED, S.CANCELLED}
    check_invariants(world)


def test_concurrent_cancellations_count_once(world: RampWorld) -> None:
    order = world.create_on_ramp()
    received = run_concurrently(
        *[lambda: ramp_orders.cancel_order(world.services, world.caller, order.id)] * 10
    )
    assert any(isinstance(item, RampOrder) for item in received)
    assert world.reload_order(order).state is S.CANCELLED
    assert sum(move == "CANCEL>CANCELLED" for move in world.order_history(order)) == 1
