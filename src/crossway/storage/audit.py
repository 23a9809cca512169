"""The audit log as stored: each entry carries a hash over itself and the one before it."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from typing import Any

from sqlalchemy import ColumnElement, Connection, insert, select

from crossway.ports.logs import AuditEntry, AuditFilter
from crossway.storage.network_tables import audit
from crossway.storage.rows import instant, micros


class Audit:
    """`ports.logs.AuditRecords` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def add(self, entry: AuditEntry) -> None:
        """Store an entry behind the last one; whoever calls holds the log's lock."""
        newest = select(audit.c.hash).order_by(audit.c.id.desc()).limit(1)
        previous = self._db.execute(newest).scalar() or ""
        row = {
            "at": micros(entry.at),
            "who": entry.who,
            "what": entry.what,
            "subject": entry.subject,
            "detail": _text(entry.detail),
            "before": _maybe_text(entry.before),
            "after": _maybe_text(entry.after),
        }
        # As it will be read: JSON has no tuples and no numbers for keys.
        row["hash"] = self.expected_hash(previous, replace(entry, **_read(row)))
        self._db.execute(insert(audit), row)

    def page(self, wanted: AuditFilter, limit: int) -> list[AuditEntry]:
        query = select(audit).where(*_conditions(wanted)).order_by(audit.c.id.desc()).limit(limit)
        return [_entry(row) for row in self._db.execute(query)]

    def chain(self, after_id: int, limit: int) -> list[AuditEntry]:
        query = select(audit).where(audit.c.id > after_id).order_by(audit.c.id).limit(limit)
        return [_entry(row) for row in self._db.execute(query)]

    def names(self) -> tuple[list[str], list[str]]:
        who, what = (
            list(self._db.execute(select(column).distinct().order_by(column)).scalars())
            for column in (audit.c.who, audit.c.what)
        )
        return who, what

    def expected_hash(self, previous: str, entry: AuditEntry) -> str:
        told = [
            previous,
            micros(entry.at),
            entry.who,
            entry.what,
            entry.subject,
            entry.detail,
            entry.before,
            entry.after,
        ]
        return sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def _conditions(wanted: AuditFilter) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    for column, value in (
        (audit.c.who, wanted.who),
        (audit.c.what, wanted.what),
        (audit.c.subject, wanted.subject),
    ):
        if value:
            found.append(column == value)
    if wanted.start is not None:
        found.append(audit.c.at >= micros(wanted.start))
    if wanted.end is not None:
        found.append(audit.c.at < micros(wanted.end))
    if wanted.before_id is not None:
        found.append(audit.c.id < wanted.before_id)
    return found


def _text(value: Mapping[str, Any]) -> str:
    return json.dumps(dict(value))


def _maybe_text(value: Mapping[str, Any] | None) -> str | None:
    return None if value is None else _text(value)


def _read(row: Mapping[str, Any]) -> dict[str, Any]:
    told = {name: row[name] for name in ("detail", "before", "after")}
    return {name: None if text is None else json.loads(text) for name, text in told.items()}


def _entry(row: Any) -> AuditEntry:
    facts = _read(row._mapping)
    return AuditEntry(
        row.id, instant(row.at), row.who, row.what, row.subject, hash=row.hash, **facts
    )


def entry_of(
    who: str,
    what: str,
    detail: Mapping[str, Any],
    at: datetime,
    subject: str,
    before: Mapping[str, Any] | None,
    after: Mapping[str, Any] | None,
) -> AuditEntry:
    """An entry that is not stored yet."""
    return AuditEntry(0, at, who, what, subject, detail, before, after, "")
