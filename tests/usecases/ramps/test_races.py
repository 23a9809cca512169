"""People, providers and deposits at once: whoever wins, the money is in one place."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from crossway.domain.errors import InvalidStatus, Unreachable
from crossway.domain.ramps import OrderState as S
from crossway.domain.ramps import RampOrder
from crossway.usecases.ramps import orders as ramp_orders
from tests.audit import audit
from tests.usecases.ramp_worlds import RampWorld, a_world, expected

ROUNDS = 6


@pytest.fixture
def world(tmp_path: Path) -> Iterator[RampWorld]:
    made = a_world(tmp_path)
    yield made
    made.store.close()


def at_once(*acts: Callable[[], object]) -> list[object]:
    """Everybody acts in the same moment; what they got, a refusal as itself."""
    barrier = Barrier(len(acts))

    def run(act: Callable[[], object]) -> object:
        barrier.wait()
        try:
            return act()
        except (InvalidStatus, Unreachable) as refusal:
            return refusal

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


def ends(world: RampWorld, order: RampOrder) -> RampOrder:
    """The order at its end, its books even."""
    order = world.order(order)
    assert order.state in (S.COMPLETED, S.CANCELLED, S.FAILED)
    assert world.fiat(order) == (expected(order) if order.state is S.COMPLETED else {})
    return order


def test_a_confirmation_and_a_cancellation_at_once_never_both_win(world: RampWorld) -> None:
    made = []
    for make in (world.buy, world.sell) * (ROUNDS // 2):
        order = make()
        made.append(order)
        confirmed, cancelled = at_once(
            lambda order=order: ramp_orders.confirm_order(world.services, world.caller, order.id),  # type: ignore[misc]
            lambda order=order: ramp_orders.cancel_order(world.services, world.caller, order.id),  # type: ignore[misc]
        )
        assert isinstance(confirmed, InvalidStatus) or isinstance(cancelled, InvalidStatus)
    world.pass_time(4000, step=20)
    for order in made:
        ends(world, order)
    audit(world)


def test_a_deposit_and_a_cancellation_at_once_leave_the_crypto_in_one_place(
    world: RampWorld,
) -> None:
    made = []
    for seconds in range(ROUNDS):
        order = world.sell(sender=world.address("ARBITRUM_MAINNET", f"seller {seconds}"))
        made.append(order)
        world.deposit_for(order)
        world.pass_time(seconds)
        at_once(
            lambda: world.engine.tick(),
            lambda order=order: ramp_orders.cancel_order(world.services, world.caller, order.id),  # type: ignore[misc]
        )
    world.pass_time(60)
    world.pass_time(3400, step=20)
    found = {ends(world, order).state for order in made}
    for order in map(world.order, made):
        sold = order.state is S.COMPLETED
        assert world.sent_back(order) == (0 if sold else order.gross_units)
        assert world.at_provider(order, order.pay_to) == (order.ramp_units if sold else 0)
    assert found == {S.COMPLETED, S.CANCELLED}
    audit(world)


def test_ten_cancellations_at_once_are_one(world: RampWorld) -> None:
    order = world.buy()
    got = at_once(*[lambda: ramp_orders.cancel_order(world.services, world.caller, order.id)] * 10)
    assert any(isinstance(one, RampOrder) for one in got)
    assert world.order(order).state is S.CANCELLED
    assert sum(move == "CANCEL>CANCELLED" for move in world.history(order)) == 1
