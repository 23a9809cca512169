"""The audit log: entries follow one another, and one that was changed shows."""

from dataclasses import replace
from functools import partial
from typing import Any

from sqlalchemy import update

from crossway.ports.logs import AuditEntry, AuditFilter
from crossway.storage.network_tables import audit
from crossway.storage.store import SqlStore
from tests.storage.records import NOW, at_once, later


def note(store: SqlStore, who: str = "Ada", what: str = "refund", **more: Any) -> None:
    facts: dict[str, Any] = {"detail": {"why": "late"}, "at": NOW, **more}
    store.write(lambda unit: unit.network.audit(who, what, **facts))


def entries(store: SqlStore, **wanted: Any) -> list[AuditEntry]:
    with store.read() as unit:
        return unit.audits.page(AuditFilter(**wanted), 100)


def broken(store: SqlStore) -> list[int]:
    """Numbers of the entries whose hash is not what it must be."""
    with store.read() as unit:
        previous, found = "", []
        for entry in unit.audits.chain(0, 1_000):
            if unit.audits.expected_hash(previous, entry) != entry.hash:
                found.append(entry.id)
            previous = entry.hash
    return found


def test_an_entry_comes_back_as_it_was_noted(store: SqlStore) -> None:
    before, after = {"fee": 0, "of": [1, 2]}, {"fee": 25}
    note(store, subject="client:c-1", before=before, after=after, at=later(1.5))
    (entry,) = entries(store)
    assert (entry.who, entry.what, entry.subject, entry.at) == (
        "Ada",
        "refund",
        "client:c-1",
        later(1.5),
    )
    assert (entry.detail, entry.before, entry.after) == ({"why": "late"}, before, after)


def test_entries_are_found_by_who_what_subject_and_time_and_paged_by_number(
    store: SqlStore,
) -> None:
    note(store, who="Ada", what="key created", subject="key:1", at=later(1))
    note(store, who="Bob", what="key revoked", subject="key:1", at=later(2))
    note(store, who="Bob", what="refund", subject="intent:1", at=later(3))
    assert [e.what for e in entries(store, who="Bob")] == ["refund", "key revoked"]
    assert [e.who for e in entries(store, what="key created")] == ["Ada"]
    assert len(entries(store, subject="key:1")) == 2
    assert [e.at for e in entries(store, start=later(2), end=later(3))] == [later(2)]
    newest = entries(store)[0]
    assert [e.at for e in entries(store, before_id=newest.id)] == [later(2), later(1)]


def test_entries_noted_at_once_follow_one_another(store: SqlStore) -> None:
    at_once([partial(note, store, detail={1: number, "t": (1, 2)}) for number in range(16)])
    assert len(entries(store)) == 16
    assert broken(store) == []


def test_an_entry_that_was_changed_or_taken_out_shows(store: SqlStore) -> None:
    for number in range(4):
        note(store, detail={"number": number})
    second, third = [entry.id for entry in reversed(entries(store))][1:3]
    with store.writer.begin() as db:
        db.execute(update(audit).where(audit.c.id == second).values(who="Nobody"))
    assert broken(store) == [second]
    with store.writer.begin() as db:
        db.execute(audit.delete().where(audit.c.id == second))
    assert broken(store) == [third]


def test_a_hash_names_every_field(store: SqlStore) -> None:
    note(store, subject="a", before={"b": 1}, after={"c": 2})
    (entry,) = entries(store)
    changes: list[dict[str, Any]] = [
        *({"at": later(1)}, {"who": "x"}, {"what": "x"}, {"subject": "x"}),
        *({"detail": {}}, {"before": None}, {"after": {"c": 3}}),
    ]
    with store.read() as unit:
        hashes = {unit.audits.expected_hash("", replace(entry, **one)) for one in changes}
        hashes |= {unit.audits.expected_hash("x", entry), unit.audits.expected_hash("", entry)}
    assert len(hashes) == len(changes) + 2
