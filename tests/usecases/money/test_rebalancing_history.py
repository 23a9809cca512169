"""What is read of the past, from postings made by hand."""

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from crossway.domain.ledger import NO_INTENT, Account, Posting
from crossway.domain.rebalancing import LocationBalance
from crossway.domain.rebalancing_replay import InventoryHistory
from crossway.usecases.money.rebalancing_history import read_history
from crossway.usecases.money.rebalancing_inputs import read_inputs
from tests.engine.funding_world import BASE
from tests.engine.rebalancing_world import USDC, RebalancingWorld, usdc

INVENTORY, EQUITY, RECIPIENT = Account.INVENTORY, Account.EQUITY, Account.RECIPIENT
IN_TRANSIT = Account.IN_TRANSIT
HOUR = timedelta(hours=1)


@pytest.fixture
def world(tmp_path: Path) -> RebalancingWorld:
    """Base has 1 000 USDC now."""
    world = RebalancingWorld(tmp_path, "RHINOFI")
    world.set_inventory(BASE, 1_000 * USDC)
    return world


def post(
    world: RebalancingWorld,
    before: timedelta,
    debit: Account,
    credit: Account,
    dollars: int,
    owner: int = NO_INTENT,
) -> datetime:
    """Book something that happened so long ago."""
    at = world.services.clock.now() - before
    posting = Posting(owner, *usdc(BASE), debit, credit, dollars * USDC, f"{before}")
    world.store.write(lambda unit: unit.ledger.post([posting], at))
    return at


def base(world: RebalancingWorld) -> LocationBalance:
    inputs = read_inputs(
        world.services, by_targets=True, adjust=lambda inputs: replace(inputs, policies=[])
    )
    return next(b for b in inputs.balances if b.location == usdc(BASE))


def read(world: RebalancingWorld, most: int = 1_000) -> InventoryHistory:
    since = world.services.clock.now() - 10 * HOUR
    return read_history(world.services, [base(world)], since, lambda share: None, most)


def test_it_is_read_back_from_the_balance_of_now(world: RebalancingWorld) -> None:
    post(world, 11 * HOUR, INVENTORY, EQUITY, 5_000)
    added = post(world, 9 * HOUR, INVENTORY, EQUITY, 300)
    taken = post(world, 8 * HOUR, EQUITY, INVENTORY, 100)
    # A rebalancing transfer took 50.
    post(world, 7 * HOUR, IN_TRANSIT, INVENTORY, 50, owner=-3)
    history = read(world)
    assert [(b.location, b.balance) for b in history.opening] == [(usdc(BASE), 850 * USDC)]
    moved = [(m.at, m.units) for m in history.movements]
    assert moved == [(added, 300 * USDC), (taken, -100 * USDC)]
    assert history.demands == []


def test_it_begins_later_where_too_much_happened(world: RebalancingWorld) -> None:
    times = [post(world, number * HOUR, INVENTORY, EQUITY, 10) for number in range(9, 0, -1)]
    whole, short = read(world), read(world, most=4)
    assert [m.at for m in whole.movements] == times
    assert whole.opening[0].balance == 910 * USDC
    # The four newest are read, of which the oldest may have others at its time.
    assert short.began == times[-4]
    assert [m.at for m in short.movements] == times[-3:]
    assert short.opening[0].balance == 970 * USDC


def test_nothing_but_the_balance_is_taken_from_now(world: RebalancingWorld) -> None:
    now = replace(base(world), reserved=1, waiting=2, leaving=3, sending=4, arriving=5, expected=6)
    since = world.services.clock.now() - HOUR
    history = read_history(world.services, [now], since, lambda share: None)
    assert history.opening == [replace(base(world), balance=1_000 * USDC)]
