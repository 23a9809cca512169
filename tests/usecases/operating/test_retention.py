"""The engine deletes records beyond their retention, a limited number in each pass."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from crossway.ports.logs import LoggedRequest, RequestFilter
from crossway.usecases.operating import retention
from tests.databases import new_sqlite
from tests.harness import Harness


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Harness]:
    world = Harness(new_sqlite(tmp_path), chains=("BASE_MAINNET",))
    yield world
    world.store.close()


def add_requests(world: Harness, count: int) -> None:
    now = world.clock.now()
    request = LoggedRequest(0, now, "r", "GET", "/v1/chains", 200, 1, "c-1", None, None, None)
    world.store.write(lambda unit: unit.request_log.add([request] * count))


def count_requests(world: Harness) -> int:
    with world.store.read() as unit:
        return len(unit.request_log.list_page(RequestFilter(), 10_000))


def test_requests_are_kept_for_seven_days(world: Harness) -> None:
    add_requests(world, 3)
    world.machine.seconds += timedelta(days=7).total_seconds() - 60
    world.engine.tick()
    add_requests(world, 2)
    world.machine.seconds += 59
    world.engine.tick()
    assert count_requests(world) == 5
    world.machine.seconds += 10
    world.engine.tick()
    assert count_requests(world) == 2


def test_each_pass_deletes_a_limited_number(world: Harness) -> None:
    add_requests(world, retention.BATCH_SIZE + 5)
    world.machine.seconds += timedelta(days=8).total_seconds()
    assert [retention.delete_expired(world.services) for _ in range(3)] == [
        retention.BATCH_SIZE,
        5,
        0,
    ]
