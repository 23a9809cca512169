"""When an hour's prices are asked for: at once, and rarely while their source is silent."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from crossway.domain.errors import Unreachable
from crossway.domain.money import Price
from crossway.engine.profit_keeper import ProfitKeeper
from crossway.usecases.money.profit_counting import hour_number
from tests.databases import new_sqlite
from tests.harness import Harness

HOUR = 3_600


class Source:
    """A price source that counts its requests, and answers or does not."""

    def __init__(self) -> None:
        self.prices: dict[str, Price] | None = None
        self.requests = 0

    def get_usd_prices(self, symbols: Collection[str]) -> Mapping[str, Price]:
        self.requests += 1
        if self.prices is None:
            raise Unreachable("no answer")
        return self.prices

    def max_age_seconds(self) -> float | None:
        return None


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Harness]:
    world = Harness(new_sqlite(tmp_path), chains=("BASE_MAINNET",))
    yield world
    world.store.close()


def recorded(world: Harness) -> set[int]:
    last = hour_number(world.clock.now())
    with world.store.read() as unit:
        return {hour for hour in range(last - 5, last + 1) if unit.profit.has_prices(hour)}


def count_for(world: Harness, keeper: ProfitKeeper, seconds: int) -> None:
    for _ in range(seconds):
        keeper.count(world.clock.machine())
        world.machine.seconds += 1


def test_a_silent_price_source_holds_up_one_pass_a_minute(world: Harness) -> None:
    """It is waited for, for as long as its timeout, while nothing else of the pass goes on."""
    source = Source()
    keeper = ProfitKeeper(replace(world.services, prices=source))
    count_for(world, keeper, 60)
    assert source.requests == 1
    count_for(world, keeper, 120)
    assert source.requests == 3
    source.prices = {"USDC": Price("USDC", 10**12, world.clock.now())}
    count_for(world, keeper, 60)
    assert recorded(world) == {hour_number(world.clock.now())}
    assert source.requests == 4


def test_each_hour_that_a_pass_sees_has_its_prices(world: Harness) -> None:
    """Also where the clock is moved over one between two counts."""
    keeper = ProfitKeeper(world.services)
    count_for(world, keeper, 3)
    first = hour_number(world.clock.now())
    for _ in range(2):
        world.machine.seconds += HOUR
        keeper.count(world.clock.machine() - timedelta(seconds=1))
    assert recorded(world) == {first, first + 1, first + 2}
