"""Units of work: atomic, none lost, with group commit on SQLite and retries on PostgreSQL."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, IntegrityError

from crossway.storage.intents import ConcurrentUpdate
from crossway.storage.store import SqlStore, open_store
from tests.processes import PATIENCE_SECONDS, wait_until
from tests.storage.records import NOW, a_client, later, run_concurrently, store_intent


def names(store: SqlStore) -> list[str]:
    with store.read() as unit:
        return sorted(client.id for client in unit.api_keys.list_clients())


def adding(id: str) -> Callable[[Any], str]:
    def work(unit: Any) -> str:
        unit.api_keys.add_client(a_client(id))
        return id

    return work


def failing(id: str) -> Callable[[Any], str]:
    def work(unit: Any) -> str:
        unit.api_keys.add_client(a_client(id))
        raise ZeroDivisionError(id)

    return work


def test_a_failed_unit_of_work_leaves_nothing_and_raises(store: SqlStore) -> None:
    with pytest.raises(ZeroDivisionError, match="x"):
        store.write(failing("x"))
    assert names(store) == ["c-1"]
    assert store.write(adding("y")) == "y"


def test_a_read_cannot_write(store: SqlStore) -> None:
    with pytest.raises(DBAPIError), store.read() as unit:
        unit.api_keys.add_client(a_client("x"))
    assert names(store) == ["c-1"]


def test_a_read_has_a_consistent_snapshot(store: SqlStore) -> None:
    with store.read() as unit:
        before = unit.api_keys.list_clients()
        store.write(adding("x"))
        assert unit.api_keys.list_clients() == before
    assert names(store) == ["c-1", "x"]


def test_two_stores_on_one_database_see_each_other(store: SqlStore, url: str) -> None:
    other = open_store(url)
    run_concurrently(
        [lambda s=s, n=n: s.write(adding(f"{n}")) for n, s in enumerate([store, other] * 20)]
    )  # type: ignore[misc]
    assert len(names(other)) == 41
    assert names(store) == names(other)
    other.close()


def test_updates_of_many_threads_are_all_kept(store: SqlStore, url: str) -> None:
    """Concurrent updates through two stores, as of two processes."""
    other = open_store(url)

    def take(at: SqlStore) -> None:
        for _ in range(20):
            at.write(lambda unit: unit.account_nonces.reserve("X", "relayer", 1, 0))

    run_concurrently([lambda at=at: take(at) for at in (store, other) * 4])  # type: ignore[misc]
    assert store.write(lambda unit: unit.account_nonces.reserve("X", "relayer", 1, 0)) == 160
    other.close()


def together(store: SqlStore, works: list[Callable[[Any], Any]]) -> list[Any]:
    """The results and errors of units of work in one group commit."""
    begun, full = threading.Event(), threading.Event()

    def first(_: Any) -> None:
        begun.set()
        assert full.wait(PATIENCE_SECONDS)

    outcomes: list[Any] = [None] * len(works)

    def run(number: int) -> None:
        try:
            outcomes[number] = store.write(works[number])
        except Exception as error:
            outcomes[number] = error

    opener = threading.Thread(target=lambda: store.write(first))
    opener.start()
    assert begun.wait(PATIENCE_SECONDS)
    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(works))]
    for thread in threads:
        thread.start()
    wait_until("all of them wait", lambda: store.waiting >= len(works), 10, 0.001)
    full.set()
    for thread in (opener, *threads):
        thread.join()
    return outcomes


@pytest.mark.parametrize("kind", ["sqlite"])
def test_a_failure_does_not_roll_back_others_in_its_group_commit(store: SqlStore) -> None:
    outcomes = together(store, [adding("a"), failing("b"), adding("c-1"), adding("d")])
    assert (outcomes[0], outcomes[3]) == ("a", "d")
    assert isinstance(outcomes[1], ZeroDivisionError)
    assert isinstance(outcomes[2], IntegrityError)
    assert names(store) == ["a", "c-1", "d"]


@pytest.mark.parametrize("kind", ["sqlite"])
def test_a_failed_commit_fails_every_unit_of_work_in_it(store: SqlStore) -> None:
    def breaks_at_commit(unit: Any) -> None:
        unit.api_keys._db.execute(text("PRAGMA defer_foreign_keys=ON"))
        unit.api_keys._db.execute(
            text(
                "INSERT INTO api_keys"
                " (client_id, mode, scopes, display_prefix, secret_hash, created_at)"
                " VALUES ('nobody', 'test', '', '', '', 0)"
            )
        )

    outcomes = together(store, [adding("a"), breaks_at_commit, adding("b")])
    assert [type(outcome) for outcome in outcomes] == [IntegrityError] * 3
    assert names(store) == ["c-1"]
    assert store.write(adding("a")) == "a"


@pytest.mark.parametrize("kind", ["sqlite"])
def test_an_interrupt_reaches_the_caller_and_the_next_write_works(store: SqlStore) -> None:
    def stop(_: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.write(stop)
    assert store.write(adding("a")) == "a"


@pytest.mark.parametrize("kind", ["postgresql"])
def test_both_of_two_deadlocked_transactions_succeed(store: SqlStore) -> None:
    intent, other = store_intent(store), store_intent(store)
    meet = threading.Barrier(2)
    tries: list[int] = []

    def crossing(first: int, second: int) -> None:
        met = False

        def work(unit: Any) -> None:
            nonlocal met
            tries.append(first)
            unit.intents.lock([first])
            if not met:
                met = True
                meet.wait(PATIENCE_SECONDS)
            unit.intents.lock([second])

        store.write(work)

    run_concurrently([lambda: crossing(intent.id, other.id), lambda: crossing(other.id, intent.id)])
    # The retried transaction can be faster than the waiting one; then they conflict again.
    assert len(tries) > 2


@pytest.mark.parametrize("kind", ["postgresql"])
def test_a_conflict_is_retried_a_limited_number_of_times(store: SqlStore) -> None:
    tries: list[int] = []

    def lose(times: int) -> Callable[[Any], int]:
        def work(_: Any) -> int:
            tries.append(1)
            if len(tries) <= times:
                raise ConcurrentUpdate
            return len(tries)

        return work

    assert store.write(lose(2)) == 3
    tries.clear()
    with pytest.raises(ConcurrentUpdate):
        store.write(lose(99))
    assert len(tries) == 5


def test_a_reachable_database_reports_no_problem(store: SqlStore) -> None:
    assert list(store.ping()) == []


def test_an_unreachable_database_is_reported_in_one_sentence() -> None:
    unreachable = open_store("postgresql+psycopg://nobody@127.0.0.1:1/none?connect_timeout=2")
    [finding] = unreachable.ping()
    assert finding.startswith("the database does not answer")
    unreachable.close()


def test_instants_are_kept_to_the_microsecond(store: SqlStore) -> None:
    at = later(0.123457)
    store.write(lambda unit: unit.audit_log.record("ann", "did", {}, at))
    with store.read() as unit:
        [(when, *_)] = unit.audit_log.list_recent(1)
    assert (when, when.tzinfo) == (at, NOW.tzinfo)
