"""The engine forgets what is older than the operator wants to keep, a little in each pass."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from crossway.ports.logs import LoggedRequest, RequestFilter
from crossway.usecases.operating import retention
from tests.databases import new_sqlite
from tests.harness import Harness


@pytest.fixture
def world(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Harness]:
    world = Harness(
        new_sqlite(tmp_path, tmp_path_factory.getbasetemp() / "migrated.db"),
        chains=("BASE_MAINNET",),
    )
    yield world
    world.store.close()


def asked(world: Harness, count: int) -> None:
    now = world.clock.now()
    one = LoggedRequest(0, now, "r", "GET", "/v1/chains", 200, 1, "c-1", None, None, None)
    world.store.write(lambda unit: unit.request_log.add([one] * count))


def remembered(world: Harness) -> int:
    with world.store.read() as unit:
        return len(unit.request_log.list_page(RequestFilter(), 10_000))


def test_requests_are_remembered_for_seven_days(world: Harness) -> None:
    asked(world, 3)
    world.machine.seconds += timedelta(days=7).total_seconds() - 60
    world.engine.tick()
    asked(world, 2)
    world.machine.seconds += 59
    world.engine.tick()
    assert remembered(world) == 5
    world.machine.seconds += 10
    world.engine.tick()
    assert remembered(world) == 2


def test_a_pass_forgets_so_much_and_no_more(world: Harness) -> None:
    asked(world, retention.BATCH_SIZE + 5)
    world.machine.seconds += timedelta(days=8).total_seconds()
    assert [retention.delete_expired(world.services) for _ in range(3)] == [
        retention.BATCH_SIZE,
        5,
        0,
    ]
