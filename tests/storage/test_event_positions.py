"""Positions of events: each client has its own, given under a lock of its own, and none is skipped.

What two writers do at once is only seen on PostgreSQL; SQLite runs the same, one after the other.
"""

import threading
from types import SimpleNamespace
from typing import Any

from sqlalchemy import insert, text, update

from crossway.domain.clients import Mode, Owner
from crossway.domain.webhooks import OutboxEvent
from crossway.engine.fan_out import fan_out
from crossway.storage.store import SqlStore
from crossway.storage.webhook_tables import outbox
from tests.storage.records import NOW, a_client, an_intent, run_concurrently, store_intent

CLIENTS = ("c-1", "c-2")
FIRST, SECOND = (Owner(client, Mode.TEST) for client in CLIENTS)


def engine_of(store: SqlStore) -> Any:
    """The services that `fan_out` uses."""
    return SimpleNamespace(store=store, clock=SimpleNamespace(now=lambda: NOW))


def add_events(store: SqlStore, client: str, count: int = 1) -> None:
    for _ in range(count):
        store_intent(store, client_id=client)


def read_all(store: SqlStore, owner: Owner, after: int = 0) -> list[OutboxEvent]:
    with store.read() as unit:
        last = unit.outbox.last_positions([owner.client_id])[owner.client_id]
        return unit.outbox.list_after(after, owner, last, 1_000)


def positions(store: SqlStore, owner: Owner) -> list[int | None]:
    return [event.position for event in read_all(store, owner)]


def test_each_client_has_positions_of_its_own(store: SqlStore) -> None:
    store.write(lambda unit: unit.api_keys.add_client(a_client("c-2")))
    for client, count in (("c-1", 2), ("c-2", 3), ("c-1", 1)):
        add_events(store, client, count)
    assert fan_out(engine_of(store)) == 6
    assert fan_out(engine_of(store)) == 0
    assert (positions(store, FIRST), positions(store, SECOND)) == ([1, 2, 3], [1, 2, 3])


def test_positions_from_before_go_on_and_their_events_stay_known(store: SqlStore) -> None:
    """They were given to all clients in turn."""
    store.write(lambda unit: unit.api_keys.add_client(a_client("c-2")))
    for client in ("c-1", "c-2", "c-1"):
        add_events(store, client)
    with store.writer.begin() as db:
        for event_id, position in ((1, 40), (2, 41), (3, 42)):
            db.execute(update(outbox).where(outbox.c.id == event_id).values(position=position))
    received = read_all(store, FIRST)[0]
    add_events(store, "c-1")
    add_events(store, "c-2")
    fan_out(engine_of(store))
    assert (positions(store, FIRST), positions(store, SECOND)) == ([40, 42, 43], [41, 42])
    with store.read() as unit:
        assert unit.outbox.get_position(FIRST, received.event_id) == 40
        assert unit.outbox.get_position(SECOND, received.event_id) is None
    assert [event.position for event in read_all(store, FIRST, 40)] == [42, 43]


def test_one_clients_events_do_not_wait_for_those_of_another(store: SqlStore, kind: str) -> None:
    store.write(lambda unit: unit.api_keys.add_client(a_client("c-2")))
    for client in CLIENTS:
        add_events(store, client)
    fan_out(engine_of(store))
    for client in CLIENTS:
        add_events(store, client)
    if kind == "sqlite":
        return
    with store.writer.begin() as other:
        # Another process gives the first client's events their positions, and is not done.
        lock = text("SELECT name FROM leases WHERE name = 'event positions:c-1' FOR UPDATE")
        assert other.execute(lock).all()
        # It would never return if it waited.
        assert fan_out(engine_of(store)) == 1
        assert (positions(store, FIRST), positions(store, SECOND)) == ([1], [1, 2])
        # What is locked does not hide what comes behind it.
        add_events(store, "c-2")
        assert fan_out(engine_of(store)) == 1
        assert fan_out(engine_of(store)) == 0
    assert fan_out(engine_of(store)) == 1
    assert positions(store, FIRST) == [1, 2]


def test_an_event_that_is_committed_later_gets_a_later_position(store: SqlStore, kind: str) -> None:
    row = {"client_id": "c-1", "type": "intent_created", "kind": "intent", "resource_id": 1}
    row |= {"at": 0, "snapshot": "{}", "mode": "test"}
    if kind == "sqlite":
        return
    with store.writer.begin() as slow:
        slow.execute(insert(outbox).values(event_id="evt_slow", **row))
        with store.writer.begin() as fast:
            fast.execute(insert(outbox).values(event_id="evt_fast", **row))
        fan_out(engine_of(store))
        [read] = read_all(store, FIRST)
        assert (read.event_id, read.position) == ("evt_fast", 1)
    fan_out(engine_of(store))
    [later] = read_all(store, FIRST, 1)
    assert (later.event_id, later.position) == ("evt_slow", 2)


def test_a_reader_sees_every_event_once_while_all_write_at_once(store: SqlStore) -> None:
    store.write(lambda unit: unit.api_keys.add_client(a_client("c-2")))
    written, seen = threading.Event(), dict[str, list[OutboxEvent]]()

    def write() -> None:
        for _ in range(10):
            for client in CLIENTS:
                # Two events of one transaction among those of others.
                made = [an_intent(client_id=client) for _ in range(2)]
                store.write(
                    lambda unit, made=made: [  # type: ignore[misc]
                        unit.intents.add(one, f"evt_{one.address}") for one in made
                    ]
                )

    def give_positions() -> None:
        while fan_out(engine_of(store)) or not written.is_set():
            pass

    def read(owner: Owner) -> None:
        found: list[OutboxEvent] = []
        while len(found) < 80:
            found += read_all(store, owner, found[-1].position or 0 if found else 0)
        seen[owner.client_id] = found

    background = [threading.Thread(target=give_positions) for _ in range(2)]
    background += [threading.Thread(target=read, args=(one,)) for one in (FIRST, SECOND)]
    for thread in background:
        thread.start()
    run_concurrently([write] * 4, threads=4)
    written.set()
    for thread in background:
        thread.join()
    for owner in (FIRST, SECOND):
        assert [event.position for event in seen[owner.client_id]] == list(range(1, 81))
        assert len({event.event_id for event in seen[owner.client_id]}) == 80
