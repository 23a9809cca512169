"""The budget for returns, as its clock and its operator treat it."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from crossway.domain.return_budget import ReturnBudget
from crossway.usecases.payments.return_budgets import load_budget
from tests.harness import Harness

BASE, DAY = "BASE_MAINNET", 86_400


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Harness]:
    url = f"sqlite:///{tmp_path / 'crossway.db'}"
    made = Harness(url, chains=[BASE], return_allowance_micro_usd=DAY)
    yield made
    made.store.close()


def left(world: Harness) -> int:
    return world.store.write(lambda unit: load_budget(unit, world.services, BASE).micro_usd)


def store(world: Harness, budget: ReturnBudget) -> None:
    world.store.write(lambda unit: unit.treasury.save_return_budget(budget))


def test_a_budget_refills_after_a_clock_that_was_ahead_for_a_while(world: Harness) -> None:
    ahead = world.clock.now() + timedelta(days=365)
    store(world, ReturnBudget(BASE, 0, 0, ahead))
    assert left(world) == 0
    world.machine.seconds += 3_600
    assert left(world) == 3_600


def test_a_lower_allowance_counts_at_once_and_what_fees_brought_stays(world: Harness) -> None:
    store(world, ReturnBudget(BASE, 700, 5 * DAY, world.clock.now()))
    assert left(world) == 700 + DAY


@pytest.mark.parametrize("seconds", [1.9, 0.3])
def test_a_budget_that_is_used_all_the_time_refills_as_fast(world: Harness, seconds: float) -> None:
    store(world, ReturnBudget(BASE, 0, 0, world.clock.now()))
    for _ in range(100):
        world.machine.seconds += seconds

        def earn_and_spend(budget: ReturnBudget) -> ReturnBudget:
            return budget.earn(1).spend(1)

        world.store.write(
            lambda unit: unit.treasury.save_return_budget(
                earn_and_spend(load_budget(unit, world.services, BASE))
            )
        )
    assert left(world) == pytest.approx(100 * seconds, abs=1)


def test_a_budget_that_nobody_used_for_years_is_that_of_a_day(tmp_path: Path) -> None:
    allowance = 10**6 * 10**6
    url = f"sqlite:///{tmp_path / 'crossway.db'}"
    world = Harness(url, chains=[BASE], return_allowance_micro_usd=allowance)
    store(world, ReturnBudget(BASE, 0, 0, world.clock.now() - timedelta(days=3_650)))
    assert left(world) == allowance
    world.store.close()
