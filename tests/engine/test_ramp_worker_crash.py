"""After a crash at any step, ramp orders continue: none is lost, none is placed twice."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import select

from crossway.adapters.ramps.sandbox.orders import derive_reference
from crossway.adapters.ramps.sandbox.tables import orders as theirs
from crossway.domain.ramps import FINAL_ORDER_STATES, Direction, RampOrder
from crossway.domain.ramps import OrderState as S
from crossway.ports.ramp_repository import OrderFilter
from crossway.usecases.ramps import orders as ramp_orders
from tests.databases import Snapshots, new_sqlite
from tests.invariants import check_invariants
from tests.processes import PATIENCE_SECONDS
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
PLACED_BY_ENGINE = ("before-ramp-open", "ramp-open")


def run_orders(world: RampWorld) -> None:
    """Place orders in both directions; cancel one of each."""
    bought, sold = world.create_on_ramp(), world.create_off_ramp()
    world.pass_time(40, step=4)
    if world.reload_order(bought).state is S.INITIATED:
        ramp_orders.confirm_order(world.services, world.caller, bought.id)
    world.deposit_for(world.reload_order(sold))
    for make in (world.create_on_ramp, world.create_off_ramp):
        ramp_orders.cancel_order(world.services, world.caller, make().id)
    world.pass_time(60, step=3)


def open_world(url: str, reached: Callable[[str], None], silent: bool) -> RampWorld:
    """A world that calls `reached` at each step. Where providers fall `silent`, the engine has to
    place the second order."""
    created = 0

    def reached_here(at: str) -> None:
        nonlocal created
        reached(at)
        created += at == "ramp-created"
        if silent and at == "ramp-created" and created == 2:
            # Between its quote and its creation.
            world.inject_faults(down_seconds=20)

    world = RampWorld(url, reached=reached_here)
    return world


def main(url: str, step: str) -> None:
    """Run `run_orders` in a process that is killed at a step."""

    def reached(at: str) -> None:
        if at == step:
            os.kill(os.getpid(), signal.SIGKILL)

    run_orders(open_world(url, reached, silent=False))


@pytest.fixture(scope="module")
def snapshots(tmp_path_factory: pytest.TempPathFactory) -> dict[bool, Snapshots]:
    """The database at every step of the orders, with answering and with silent providers."""
    taken = {}
    for silent in (False, True):
        folder = tmp_path_factory.mktemp("steps")
        url = new_sqlite(folder)
        taken[silent] = Snapshots(url, folder)
        world = open_world(url, taken[silent].take, silent)
        run_orders(world)
        world.store.close()
    return taken


def all_orders(world: RampWorld) -> list[RampOrder]:
    with world.store.read() as unit:
        return unit.orders.list_page(OrderFilter(), 100)


def continue_after_restart(world: RampWorld) -> None:
    """After the restart, pay all open orders and let time pass."""
    world.pass_time(150, step=5)
    for order in all_orders(world):
        if order.state not in (S.INITIATED, S.PROCESSING) or order.paid_at is not None:
            continue
        if order.direction is Direction.OFF:
            if not world.sandbox.holdings(order.intent_address):
                world.deposit_for(order)
        elif order.state is S.INITIATED:
            ramp_orders.confirm_order(world.services, world.caller, order.id)
    world.pass_time(120, step=5)


@pytest.mark.parametrize("step", STEPS)
def test_a_crash_at_this_step_loses_no_order_and_places_none_twice(
    step: str, snapshots: dict[bool, Snapshots]
) -> None:
    check_recovery(snapshots[step in PLACED_BY_ENGINE].url_of(step))


def test_a_process_killed_before_it_notes_what_it_placed_places_it_once(tmp_path: Path) -> None:
    url = new_sqlite(tmp_path)
    died = subprocess.run(
        [sys.executable, "-m", "tests.engine.test_ramp_worker_crash", url, "ramp-opened"],
        capture_output=True,
        timeout=PATIENCE_SECONDS,
    )
    assert died.returncode == -signal.SIGKILL, died.stderr.decode()[-2000:]
    check_recovery(url)


def check_recovery(url: str) -> None:
    """A new process finishes the orders of a crashed one."""
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
    world.store.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
