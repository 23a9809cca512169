"""Approvals as stored: one open for each subject, locked by one who decides, and the lock that
whoever stops all signing waits for."""

import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from crossway.domain.approvals import Actor, ApprovalKind, ApprovalState, NewApproval
from crossway.ports.store import Store, UnitOfWork
from tests.processes import PATIENCE_SECONDS

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
ADA, BOB = Actor("Ada", "staff:1"), Actor("Bob", "staff:2")
Kind, S = ApprovalKind, ApprovalState
ASKED = NewApproval(
    Kind.REFUND_ELSEWHERE, "intent:7", 12_000_000_000, ADA, NOW, NOW + HOUR, {"to": "0xa", "n": 1}
)


def test_what_is_asked_for_is_stored_whole(store: Store) -> None:
    stored = store.write(lambda unit: unit.approvals.add(ASKED))
    assert stored is not None
    with store.read() as unit:
        assert unit.approvals.get(stored.id) == stored
        assert unit.approvals.get(stored.id + 1) is None
    assert (stored.kind, stored.subject, stored.detail) == (
        Kind.REFUND_ELSEWHERE, "intent:7", {"to": "0xa", "n": 1},
    )  # fmt: skip
    assert (stored.micro_usd, stored.state) == (12_000_000_000, S.REQUESTED)
    assert (stored.requested_by, stored.requested_at, stored.expires_at) == (ADA, NOW, NOW + HOUR)
    assert (stored.decided_by, stored.decided_at, stored.reason) == (Actor("", ""), None, "")


def test_one_of_a_kind_and_subject_is_open(store: Store) -> None:
    def add(new: NewApproval) -> bool:
        return store.write(lambda unit: unit.approvals.add(new) is not None)

    assert add(ASKED)
    assert not add(replace(ASKED, requested_by=BOB))
    assert add(replace(ASKED, subject="intent:8"))
    assert add(replace(ASKED, kind=Kind.MANUAL_RETURN))

    def end(unit: UnitOfWork) -> None:
        found = unit.approvals.find_open(Kind.REFUND_ELSEWHERE, "intent:7")
        assert found is not None
        ended = replace(found, state=S.CARRIED_OUT, decided_by=BOB, decided_at=NOW, reason="done")
        unit.approvals.update(ended)

    store.write(end)
    assert add(ASKED)
    with store.read() as unit:
        open_ones, ended = unit.approvals.list_open(10), unit.approvals.list_ended(10)
        assert unit.approvals.list_ended(10, before_id=ended[0].id) == []
    assert [one.subject for one in open_ones] == ["intent:8", "intent:7", "intent:7"]
    assert [(one.state, one.decided_by, one.reason) for one in ended] == [
        (S.CARRIED_OUT, BOB, "done")
    ]


def test_those_whose_time_is_over_are_found(store: Store) -> None:
    later = replace(ASKED, subject="intent:8", expires_at=NOW + 2 * HOUR)
    store.write(lambda unit: [unit.approvals.add(ASKED), unit.approvals.add(later)])

    def overdue(at: datetime) -> list[str]:
        with store.read() as unit:
            return [one.subject for one in unit.approvals.list_overdue(at, 10)]

    assert overdue(NOW) == []
    assert overdue(NOW + HOUR) == ["intent:7"]
    assert overdue(NOW + 2 * HOUR) == ["intent:7", "intent:8"]


def test_of_many_who_decide_at_once_one_finds_it_undecided(store: Store) -> None:
    stored = store.write(lambda unit: unit.approvals.add(ASKED))
    assert stored is not None
    found: list[str] = []
    start = threading.Barrier(6)

    def decide() -> None:
        start.wait(PATIENCE_SECONDS)

        def work(unit: UnitOfWork) -> str:
            locked = unit.approvals.lock(stored.id)
            assert locked is not None
            if locked.state is S.REQUESTED:
                unit.approvals.update(replace(locked, state=S.CARRIED_OUT, decided_by=BOB))
            return locked.state

        found.append(store.write(work))

    threads = [threading.Thread(target=decide) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_SECONDS)
    assert sorted(found) == [S.CARRIED_OUT] * 5 + [S.REQUESTED]


def test_whoever_locks_waits_for_those_who_share(store: Store) -> None:
    sharing, go_on = threading.Event(), threading.Event()
    order: list[str] = []

    def share() -> None:
        def work(unit: UnitOfWork) -> None:
            unit.leases.lock_shared("signing")
            sharing.set()
            go_on.wait(PATIENCE_SECONDS)
            order.append("signed")

        store.write(work)

    def lock() -> None:
        def work(unit: UnitOfWork) -> None:
            unit.leases.lock("signing")
            order.append("stopped")

        store.write(work)

    threads = [threading.Thread(target=share), threading.Thread(target=lock)]
    threads[0].start()
    assert sharing.wait(PATIENCE_SECONDS)
    threads[1].start()
    go_on.set()
    for thread in threads:
        thread.join(PATIENCE_SECONDS)
    assert order == ["signed", "stopped"]
