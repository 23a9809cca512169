"""Partitions come and go while events are written, numbered and read."""

import threading
from collections.abc import Iterator
from contextlib import closing

import pytest
from sqlalchemy import select

from crossway.engine.fan_out import fan_out
from crossway.storage.store import SqlStore, open_store
from crossway.storage.webhook_tables import outbox
from tests.harness import Harness
from tests.storage.records import VAULT, a_client, store_intent
from tests.storage.test_event_positions import FIRST, engine_of, read_all
from tests.storage.test_partitions import DAY, add, drop, parts, places

WRITERS, EACH = 3, 20


@pytest.fixture
def kind() -> str:
    """SQLite has no partitions."""
    return "postgresql"


@pytest.fixture
def world(url: str) -> Iterator[Harness]:
    world = Harness(url, chains=("BASE_MAINNET", "ARBITRUM_MAINNET"))
    yield world
    world.store.close()


def test_every_event_has_one_position_while_rows_move_to_new_partitions(store: SqlStore) -> None:
    written = threading.Event()

    def write() -> None:
        for _ in range(EACH):
            store_intent(store)

    def give_positions() -> None:
        while fan_out(engine_of(store)) or not written.is_set():
            pass

    writers = [threading.Thread(target=write) for _ in range(WRITERS)]
    numbering = threading.Thread(target=give_positions)
    for thread in (*writers, numbering):
        thread.start()
    made = 0
    while made < 2:  # the week of the events, which are in the default partition, and the next
        made += add(store, "outbox", 0)
    for thread in writers:
        thread.join()
    written.set()
    numbering.join()
    events = read_all(store, FIRST)
    assert [event.position for event in events] == list(range(1, WRITERS * EACH + 1))
    assert set(places(store, outbox).values()) == {parts(store, "outbox")[0].name}
    assert drop(store, "outbox", 8) == 1
    store_intent(store)
    fan_out(engine_of(store))
    assert [event.position for event in read_all(store, FIRST)] == [60, 61]


def test_the_engine_makes_partitions_ahead_and_drops_old_ones(world: Harness) -> None:
    intent = world.create_intent()
    world.engine.tick()
    first, second = (part.name for part in parts(world.store, "outbox") if part.end)
    assert set(places(world.store, outbox).values()) == {first}
    world.machine.seconds += 38 * DAY
    later = world.create_intent()
    world.engine.tick()
    names = [part.name for part in parts(world.store, "outbox")]
    assert first not in names
    assert second in names
    with world.store.reader.connect() as db:
        about = select(outbox.c.resource_id).order_by(outbox.c.id)
        assert {intent.id, later.id} >= set(db.execute(about).scalars())


def test_a_clock_that_is_ahead_for_a_moment_costs_one_partition(world: Harness) -> None:
    for _ in range(4):
        world.engine.tick()
        world.machine.seconds += 7 * DAY
    before = set(parts(world.store, "outbox"))
    world.machine.seconds += 400 * DAY
    world.engine.tick()
    world.machine.seconds -= 400 * DAY
    for _ in range(2):
        world.engine.tick()
    assert [part.start for part in before - set(parts(world.store, "outbox"))] == [
        min(part.start for part in before if part.start)
    ]


def test_a_store_goes_on_whose_statements_were_prepared_before_a_drop(url: str) -> None:
    with closing(open_store(url)) as store:
        store.unlock(VAULT)
        store.write(lambda unit: unit.api_keys.add_client(a_client()))
        add(store, "outbox", 0)
        for _ in range(8):  # the driver prepares statements after five
            store_intent(store)
            fan_out(engine_of(store))
        drop(store, "outbox", 8)
        for _ in range(8):
            store_intent(store)
            fan_out(engine_of(store))
        assert [event.position for event in read_all(store, FIRST)] == list(range(8, 17))
