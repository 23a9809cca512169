"""The engine forgets what is older than the operator wants to keep, a little in each pass."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from crossway.ports.logs import AskedRequest, RequestFilter
from crossway.usecases.operating import retention
from tests.databases import new_sqlite
from tests.world import World


@pytest.fixture
def world(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    world = World(
        new_sqlite(tmp_path, tmp_path_factory.getbasetemp() / "migrated.db"),
        chains=("BASE_MAINNET",),
    )
    yield world
    world.store.close()


def asked(world: World, count: int) -> None:
    now = world.clock.now()
    one = AskedRequest(0, now, "r", "GET", "/v1/chains", 200, 1, "c-1", None, None, None)
    world.store.write(lambda unit: unit.requests.add([one] * count))


def remembered(world: World) -> int:
    with world.store.read() as unit:
        return len(unit.requests.page(RequestFilter(), 10_000))


def test_requests_are_remembered_for_seven_days(world: World) -> None:
    asked(world, 3)
    world.hand.seconds += timedelta(days=7).total_seconds() - 60
    world.engine.tick()
    asked(world, 2)
    world.hand.seconds += 59
    world.engine.tick()
    assert remembered(world) == 5
    world.hand.seconds += 10
    world.engine.tick()
    assert remembered(world) == 2


def test_a_pass_forgets_so_much_and_no_more(world: World) -> None:
    asked(world, retention.BATCH + 5)
    world.hand.seconds += timedelta(days=8).total_seconds()
    assert [retention.sweep(world.services) for _ in range(3)] == [retention.BATCH, 5, 0]
