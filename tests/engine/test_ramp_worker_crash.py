"""After a crash at any step, ramp orders continue: none is lost, none is placed twice."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import select

from crossway.adapters.ramps.sandbox.orders import derive_reference
from crossway.adapters.ramps.sandbox.tables import orders as theirs
from crossway.domain.ramps import FINAL_ORDER_STATES, Direction, RampOrder
from crossway.domain.ramps import OrderState as S
from crossway.ports.ramp_repository import OrderFilter
from crossway.usecases.ramps import orders as ramp_orders
from tests.invariants import check_invariants
from tests.usecases.ramp_world import RampWorld, completed_balances

STEPS = [
    "ramp-created",
    "ramp-opened",
    "before-ramp-open",
    "ramp-open",
    "before-ramp-confirm",
    "ramp-confirm",
    "ramp-cancelled-there",
    "before-ramp-cancel",
    "ramp-cancel",
]


def run_orders(world: RampWorld) -> None:
    """Place orders in both directions; cancel one of each."""
    bought, sold = world.create_on_ramp(), world.create_off_ramp()
    world.pass_time(40, step=4)
    if world.reload_order(bought).state is S.INITIATED:
        ramp_orders.confirm_order(world.services, world.caller, bought.id)
    world.deposit_for(world.reload_order(sold))
    for make in (world.create_on_ramp, world.create_off_ramp):
        ramp_orders.cancel_order(world.services, world.caller, make().id)
    world.pass_time(60)


def main(url: str, step: str) -> None:
    """Run `run_orders` in a process that crashes at a step."""
    left_to_the_engine = step in ("before-ramp-open", "ramp-open")
    created: list[str] = []

    def reached(at: str) -> None:
        if at == step:
            os.kill(os.getpid(), signal.SIGKILL)
        created.extend([at] if at == "ramp-created" else [])
        if left_to_the_engine and len(created) == 2:
            # Between its quote and its creation.
            created.append("silenced")
            world.inject_faults(down_seconds=20)

    world = RampWorld(url, reached=reached)
    run_orders(world)


def all_orders(world: RampWorld) -> list[RampOrder]:
    with world.store.read() as unit:
        return unit.orders.list_page(OrderFilter(), 100)


def continue_after_restart(world: RampWorld) -> None:
    """After the restart, pay all open orders and let time pass."""
    world.pass_time(150, step=2)
    for order in all_orders(world):
        if order.state not in (S.INITIATED, S.PROCESSING) or order.paid_at is not None:
            continue
        if order.direction is Direction.OFF:
            if not world.sandbox.holdings(order.intent_address):
                world.deposit_for(order)
        elif order.state is S.INITIATED:
            ramp_orders.confirm_order(world.services, world.caller, order.id)
    world.pass_time(120, step=2)


@pytest.mark.parametrize("step", STEPS)
def test_a_crash_at_this_step_loses_no_order_and_places_none_twice(
    step: str, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path / 'crossway.db'}"
    died = subprocess.run(
        [sys.executable, "-m", "tests.engine.test_ramp_worker_crash", url, step],
        capture_output=True,
        timeout=120,
    )
    assert died.returncode == -signal.SIGKILL, died.stderr.decode()[-2000:]
    world = RampWorld(url)
    continue_after_restart(world)
    ours = all_orders(world)
    assert ours
    assert {order.state for order in ours} <= {S.COMPLETED, S.CANCELLED}
    for order in ours:
        assert order.state in FINAL_ORDER_STATES
        assert order.command is None
        assert world.fiat_balances(order) == (
            completed_balances(order) if order.state is S.COMPLETED else {}
        )
    with world.store.reader.connect() as db:
        taken = select(theirs.c.reference).where(theirs.c.refusal_reason == "")
        opened = set(db.execute(taken).scalars())
    assert opened == {
        derive_reference(o.provider, o.reference) for o in ours if o.provider_reference
    }
    check_invariants(world)


if __name__ == "__main__":
    main(*sys.argv[1:])
