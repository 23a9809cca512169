"""The audit log: entries are chained by hashes, and a changed entry is detected."""

from dataclasses import replace
from functools import partial
from typing import Any

from sqlalchemy import update

from crossway.ports.logs import AuditEntry, AuditFilter
from crossway.storage.service_tables import audit_log
from crossway.storage.store import SqlStore
from tests.storage.records import NOW, later, run_concurrently


def note(store: SqlStore, actor: str = "Ada", action: str = "refund", **more: Any) -> None:
    fields: dict[str, Any] = {"detail": {"why": "late"}, "at": NOW, **more}
    store.write(lambda unit: unit.audit_log.record(actor, action, **fields))


def entries(store: SqlStore, **filters: Any) -> list[AuditEntry]:
    with store.read() as unit:
        return unit.audit_log.list_page(AuditFilter(**filters), 100)


def broken(store: SqlStore) -> list[int]:
    """The numbers of the entries with a wrong hash."""
    with store.read() as unit:
        previous, numbers = "", []
        for entry in unit.audit_log.list_after(0, 1_000):
            if unit.audit_log.compute_hash(previous, entry) != entry.hash:
                numbers.append(entry.id)
            previous = entry.hash
    return numbers


def test_an_entry_is_read_as_it_was_written(store: SqlStore) -> None:
    before, after = {"fee": 0, "of": [1, 2]}, {"fee": 25}
    note(store, subject="client:c-1", before=before, after=after, at=later(1.5))
    (entry,) = entries(store)
    assert (entry.actor, entry.action, entry.subject, entry.at) == (
        "Ada",
        "refund",
        "client:c-1",
        later(1.5),
    )
    assert (entry.detail, entry.before, entry.after) == ({"why": "late"}, before, after)


def test_entries_are_filtered_by_actor_action_subject_and_time_and_paged(
    store: SqlStore,
) -> None:
    note(store, actor="Ada", action="key created", subject="key:1", at=later(1))
    note(store, actor="Bob", action="key revoked", subject="key:1", at=later(2))
    note(store, actor="Bob", action="refund", subject="intent:1", at=later(3))
    assert [e.action for e in entries(store, actor="Bob")] == ["refund", "key revoked"]
    assert [e.actor for e in entries(store, action="key created")] == ["Ada"]
    assert len(entries(store, subject="key:1")) == 2
    assert [e.at for e in entries(store, start=later(2), end=later(3))] == [later(2)]
    newest = entries(store)[0]
    assert [e.at for e in entries(store, before_id=newest.id)] == [later(2), later(1)]


def test_concurrent_entries_are_chained(store: SqlStore) -> None:
    run_concurrently(
        [partial(note, store, detail={1: number, "t": (1, 2)}) for number in range(16)]
    )
    assert len(entries(store)) == 16
    assert broken(store) == []


def test_changed_or_removed_entries_are_detected(store: SqlStore) -> None:
    for number in range(4):
        note(store, detail={"number": number})
    second, third = [entry.id for entry in reversed(entries(store))][1:3]
    with store.writer.begin() as db:
        db.execute(update(audit_log).where(audit_log.c.id == second).values(actor="Nobody"))
    assert broken(store) == [second]
    with store.writer.begin() as db:
        db.execute(audit_log.delete().where(audit_log.c.id == second))
    assert broken(store) == [third]


def test_a_hash_covers_every_field(store: SqlStore) -> None:
    note(store, subject="a", before={"b": 1}, after={"c": 2})
    (entry,) = entries(store)
    changes: list[dict[str, Any]] = [
        *({"at": later(1)}, {"actor": "x"}, {"action": "x"}, {"subject": "x"}),
        *({"detail": {}}, {"before": None}, {"after": {"c": 3}}),
    ]
    with store.read() as unit:
        hashes = {unit.audit_log.compute_hash("", replace(entry, **change)) for change in changes}
        hashes |= {unit.audit_log.compute_hash("x", entry), unit.audit_log.compute_hash("", entry)}
    assert len(hashes) == len(changes) + 2
