"""Cursors, leases, alerts, kill switches and change stamps."""

import threading
from collections.abc import Mapping
from typing import Any

from crossway.ports.alert_repository import AlertFilter
from crossway.ports.chain import Cursor
from crossway.ports.records import Alert
from crossway.ports.topics import Topic
from crossway.storage.store import SqlStore, open_store
from tests.storage.records import BASE, NOW, later, run_concurrently

NAMES = [f"chain:{number}" for number in range(10)]


def lease(store: SqlStore, owner: str, most: int, seconds: float = 15) -> set[str]:
    return set(acquire(store, owner, most, seconds))


def acquire(store: SqlStore, owner: str, most: int, seconds: float = 15) -> dict[str, int]:
    """The epochs of the leases; those of negative `seconds` expired so long ago."""
    return store.write(lambda unit: unit.leases.acquire(NAMES, owner, seconds, most))


def test_a_cursor_advances_only_from_its_current_position(store: SqlStore) -> None:
    first, second = Cursor(5, "five"), Cursor(6, "six")

    def save(before: Cursor | None, after: Cursor) -> bool:
        return store.write(lambda unit: unit.cursors.save(BASE, before, after))

    assert not save(first, second)
    assert save(None, first)
    assert not save(None, second)
    assert not save(Cursor(5, "other"), second)
    assert not save(Cursor(4, "five"), second)
    assert save(first, second)
    with store.read() as unit:
        assert unit.cursors.get_all() == {BASE: second}
    moves = run_concurrently([lambda n=n: save(second, Cursor(7, str(n))) for n in range(16)])  # type: ignore[misc]
    assert moves.count(True) == 1


def test_one_engine_holds_everything(store: SqlStore) -> None:
    assert lease(store, "a", 10) == set(NAMES)
    assert lease(store, "a", 10) == set(NAMES)


def test_two_engines_share_and_neither_takes_what_the_other_holds(store: SqlStore) -> None:
    assert lease(store, "a", 10) == set(NAMES)
    assert lease(store, "b", 5) == set()
    first_leases = lease(store, "a", 5)
    assert len(first_leases) == 5
    assert lease(store, "b", 5) == set(NAMES) - first_leases
    assert lease(store, "a", 5) == first_leases
    assert lease(store, "a", 0) == set()


def test_a_lease_can_be_taken_only_after_it_expires(store: SqlStore) -> None:
    lease(store, "a", 10)
    assert lease(store, "b", 10) == set()
    assert lease(store, "a", 10, seconds=-0.001) == set(NAMES)
    assert lease(store, "b", 10) == set(NAMES)
    assert lease(store, "a", 10) == set()


def test_a_lease_from_before_the_clock_was_set_back_has_expired(store: SqlStore) -> None:
    """It seems to last for two hours more, which no engine asks for."""
    lease(store, "dead", 10, seconds=2 * 3600 + 15)
    assert lease(store, "b", 10) == set(NAMES)


def test_an_owner_holds_a_lease_until_another_takes_it(store: SqlStore) -> None:
    def holds(owner: str, epochs: dict[str, int]) -> bool:
        return store.write(lambda unit: unit.leases.holds(owner, epochs))

    first = acquire(store, "a", 10)
    assert holds("a", first)
    assert not holds("b", first)
    assert acquire(store, "a", 10, seconds=-1) == first
    assert holds("a", first)
    second = acquire(store, "b", 10, seconds=-1)
    assert set(second.values()) == {2}
    assert not holds("a", first)
    third = acquire(store, "a", 10)
    assert set(third.values()) == {3}
    assert not holds("a", first)
    assert not holds("a", third | {NAMES[0]: 1})
    assert holds("a", third)


def test_a_released_lease_is_free_at_once(store: SqlStore) -> None:
    lease(store, "a", 6)
    lease(store, "b", 4)
    store.write(lambda unit: unit.leases.release("a"))
    assert len(lease(store, "c", 10)) == 6
    assert len(lease(store, "b", 10)) == 4


def test_a_take_over_takes_all_leases(store: SqlStore) -> None:
    lease(store, "a", 6)
    lease(store, "b", 4)
    store.write(lambda unit: unit.leases.take_over("b"))
    assert lease(store, "b", 10) == set(NAMES)


def test_many_engines_at_once_hold_each_chain_once(store: SqlStore) -> None:
    leases = run_concurrently([lambda n=n: lease(store, f"engine {n}", 3) for n in range(8)])  # type: ignore[misc]
    names = [name for item in leases for name in item]
    assert len(names) == len(set(names))
    assert all(len(item) <= 3 for item in leases)
    rest = run_concurrently([lambda n=n: lease(store, f"engine {n}", 10) for n in range(8)])  # type: ignore[misc]
    assert sorted(name for item in rest for name in item) == NAMES


def test_engines_count_live_engines_only(store: SqlStore) -> None:
    def present(owner: str, seconds: float = 15) -> int:
        return store.write(lambda unit: unit.leases.register_engine(owner, seconds))

    assert [present("a"), present("b"), present("c", -0.001)] == [0, 1, 2]
    assert present("a") == 1
    assert present("b", -0.001) == 1
    assert present("a") == 0
    store.write(lambda unit: unit.leases.lock("inventory:x"))
    assert present("b") == 1
    store.write(lambda unit: unit.leases.release("a"))
    assert present("b") == 0
    assert present("clock set back", 7_200) == 1
    assert present("b") == 0


def test_a_named_lock_is_exclusive(store: SqlStore) -> None:
    inside = threading.Semaphore(1)

    def enter() -> bool:
        def work(unit: Any) -> bool:
            unit.leases.lock("inventory:base")
            alone = inside.acquire(blocking=False)
            unit.cursors.get_all()
            if alone:
                inside.release()
            return alone

        return store.write(work)

    assert all(run_concurrently([enter] * 24))


def an_alarm(key: str = "k", message: str = "first", at: float = 0) -> Alert:
    return Alert(key, "chain", BASE, message, later(at), later(at), None)


def raise_alarm(store: SqlStore, alarm: Alert) -> None:
    store.write(lambda unit: unit.alerts.raise_alert(alarm))


def test_an_alert_that_is_raised_again_stays_the_same_alert(store: SqlStore) -> None:
    raise_alarm(store, an_alarm())
    raise_alarm(store, an_alarm(message="second", at=60))
    with store.read() as unit:
        [alarm] = unit.alerts.list_active()
    assert (alarm.message, alarm.since, alarm.last_seen_at) == ("second", NOW, later(60))


def test_a_resolved_alert_that_is_raised_again_is_new(store: SqlStore) -> None:
    raise_alarm(store, an_alarm())
    store.write(lambda unit: unit.alerts.resolve(["k", "unknown"], later(10)))
    store.write(lambda unit: unit.alerts.resolve(["k"], later(20)))
    store.write(lambda unit: unit.alerts.resolve([], later(20)))
    with store.read() as unit:
        assert unit.alerts.list_active() == []
        [past] = unit.alerts.list_resolved(AlertFilter(), 10)
    assert past.alert.resolved_at == later(10)
    raise_alarm(store, an_alarm(at=30))
    with store.read() as unit:
        [alarm] = unit.alerts.list_active()
    assert (alarm.since, alarm.resolved_at) == (later(30), None)


def see_to(store: SqlStore, keys: list[str], by: str, at: float) -> list[str]:
    return store.write(lambda unit: unit.alerts.acknowledge(keys, by, "on it", later(at)))


def test_an_acknowledged_alert_stays_acknowledged_until_it_is_resolved(store: SqlStore) -> None:
    raise_alarm(store, an_alarm())
    assert see_to(store, ["k", "unknown"], "ann", 5) == ["k"]
    assert see_to(store, ["k"], "bob", 6) == []
    raise_alarm(store, an_alarm(message="second", at=60))
    with store.read() as unit:
        [alarm] = unit.alerts.list_active()
    seen_to = (alarm.acknowledged_by, alarm.note, alarm.acknowledged_at)
    assert seen_to == ("ann", "on it", later(5))
    store.write(lambda unit: unit.alerts.resolve(["k"], later(70)))
    raise_alarm(store, an_alarm(at=80))
    with store.read() as unit:
        [again] = unit.alerts.list_active()
        [past] = unit.alerts.list_resolved(AlertFilter(kinds=("chain",), acknowledged=True), 10)
        assert unit.alerts.list_resolved(AlertFilter(kinds=("stock",)), 10) == []
        assert unit.alerts.list_resolved(AlertFilter(acknowledged=False), 10) == []
        assert unit.alerts.list_resolved(AlertFilter(before_id=past.id), 10) == []
    assert (again.acknowledged_at, again.acknowledged_by) == (None, "")
    assert (past.alert.acknowledged_by, past.alert.note) == ("ann", "on it")


def test_an_assigned_or_snoozed_alert_stays_so_until_it_is_resolved(store: SqlStore) -> None:
    raise_alarm(store, an_alarm())
    assert store.write(lambda unit: unit.alerts.assign(["k", "unknown"], "ann")) == ["k"]
    assert store.write(lambda unit: unit.alerts.assign(["k"], "ann")) == []
    assert store.write(lambda unit: unit.alerts.snooze(["k"], later(50))) == ["k"]
    raise_alarm(store, an_alarm(message="second", at=10))
    with store.read() as unit:
        [alarm] = unit.alerts.list_active()
    assert (alarm.owner, alarm.snoozed_until) == ("ann", later(50))
    assert (alarm.is_snoozed(later(49)), alarm.is_snoozed(later(50))) == (True, False)
    store.write(lambda unit: unit.alerts.end_snoozes(later(49)))
    with store.read() as unit:
        assert unit.alerts.list_active()[0].snoozed_until == later(50)
    before = store.stamp()
    store.write(lambda unit: unit.alerts.end_snoozes(later(50)))
    assert store.stamp()[Topic.ALERTS] != before[Topic.ALERTS], "open screens are told"
    store.write(lambda unit: unit.alerts.resolve(["k"], later(60)))
    raise_alarm(store, an_alarm(at=70))
    with store.read() as unit:
        [again] = unit.alerts.list_active()
        [past] = unit.alerts.list_resolved(AlertFilter(), 10)
    assert (again.owner, again.snoozed_until, past.alert.owner) == ("", None, "ann")


def test_a_stamp_changes_with_visible_changes_only(store: SqlStore, url: str) -> None:
    def now() -> Mapping[Topic, object]:
        return other.stamp()

    other = open_store(url)
    raise_alarm(store, an_alarm())
    first = now()
    lease(store, "a", 3)
    raise_alarm(store, an_alarm(message="again", at=60))
    assert now() == first
    see_to(store, ["k"], "ann", 61)
    seen_to = now()
    assert seen_to[Topic.ALERTS] != first[Topic.ALERTS]
    assert seen_to[Topic.PAYMENTS] == first[Topic.PAYMENTS]
    store.write(lambda unit: unit.alerts.resolve(["k"], later(70)))
    assert now()[Topic.ALERTS] != seen_to[Topic.ALERTS]
    store.write(lambda unit: unit.kill_switches.set("chain:X", True, "slow", "ann", NOW))
    mine = store.stamp()
    store.write(lambda unit: unit.kill_switches.set("chain:X", False, "", "ann", NOW))
    assert store.stamp()[Topic.REST] != mine[Topic.REST]
    other.close()


def test_alerts_are_listed_newest_first(store: SqlStore) -> None:
    for number in range(3):
        raise_alarm(store, an_alarm(str(number), at=number))
    with store.read() as unit:
        assert [alarm.key for alarm in unit.alerts.list_active(limit=2)] == ["2", "1"]


def test_a_kill_switch_keeps_its_newest_reason_until_cleared(store: SqlStore) -> None:
    def switch(off: bool, reason: str) -> None:
        store.write(lambda unit: unit.kill_switches.set("chain:X", off, reason, "ann", NOW))

    run_concurrently([lambda n=n: switch(True, f"reason {n}") for n in range(8)])  # type: ignore[misc]
    switch(True, "the last")
    with store.read() as unit:
        assert unit.kill_switches.get_reasons() == {"chain:X": "the last"}
    switch(False, "")
    switch(False, "")
    with store.read() as unit:
        assert unit.kill_switches.get_reasons() == {}


def test_the_audit_log_is_newest_first_and_complete(store: SqlStore) -> None:
    for number in range(3):
        detail = {"number": number, "name": "Zürich ✓", "none": None}
        store.write(
            lambda unit, n=number, d=detail: unit.audit_log.record("ann", f"did {n}", d, later(n))  # type: ignore[misc]
        )
    with store.read() as unit:
        recent = unit.audit_log.list_recent(2)
    assert recent == [
        (later(2), "ann", "did 2", {"number": 2, "name": "Zürich ✓", "none": None}),
        (later(1), "ann", "did 1", {"number": 1, "name": "Zürich ✓", "none": None}),
    ]
