"""The audit log: each entry has a signed hash over itself and the hash of the entry before it."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, insert, select

from crossway.ports.logs import AuditEntry, AuditFilter
from crossway.ports.topics import Topic
from crossway.storage.leases import SqlLeases
from crossway.storage.row_mapper import RowMapper, from_micros, to_micros
from crossway.storage.sealing import vault_of
from crossway.storage.service_tables import audit_log

ENTRIES: Final = RowMapper(AuditEntry, audit_log)


class SqlAuditLog:
    """`ports.logs.AuditLogRepository` on one connection."""

    def __init__(self, db: Connection, changed_topics: set[Topic]) -> None:
        self._db = db
        self._changed_topics = changed_topics

    def add(self, entry: AuditEntry) -> None:
        """Append an entry; the caller holds the lock of the log."""
        newest = select(audit_log.c.hash).order_by(audit_log.c.id.desc()).limit(1)
        previous = self._db.execute(newest).scalar() or ""
        row = {
            "at": to_micros(entry.at),
            "actor": entry.actor,
            "action": entry.action,
            "subject": entry.subject,
            "detail": _to_json(entry.detail),
            "before": _to_json_or_none(entry.before),
            "after": _to_json_or_none(entry.after),
        }
        # The hash covers the values as they are read back: JSON turns tuples to lists.
        digest = self.compute_hash(previous, replace(entry, **_parse_json(row)))
        row["hash"] = digest
        row["mac"] = vault_of(self._db).sign(digest)
        self._db.execute(insert(audit_log), row)

    def record(
        self,
        actor: str,
        action: str,
        detail: Mapping[str, Any],
        at: datetime,
        subject: str = "",
        before: Mapping[str, Any] | None = None,
        after: Mapping[str, Any] | None = None,
    ) -> None:
        # Each hash covers the previous one, so entries are appended one at a time.
        SqlLeases(self._db).lock("audit")
        self._changed_topics.add(Topic.REST)
        self.add(new_entry(actor, action, detail, at, subject, before, after))

    def list_recent(self, limit: int) -> list[tuple[datetime, str, str, Mapping[str, Any]]]:
        rows = self._db.execute(select(audit_log).order_by(audit_log.c.id.desc()).limit(limit))
        return [
            (from_micros(row.at), row.actor, row.action, json.loads(row.detail)) for row in rows
        ]

    def list_page(self, filter: AuditFilter, limit: int) -> list[AuditEntry]:
        query = (
            select(audit_log)
            .where(*_conditions(filter))
            .order_by(audit_log.c.id.desc())
            .limit(limit)
        )
        return [ENTRIES.decode(row) for row in self._db.execute(query)]

    def list_after(self, after_id: int, limit: int) -> list[AuditEntry]:
        query = (
            select(audit_log).where(audit_log.c.id > after_id).order_by(audit_log.c.id).limit(limit)
        )
        return [ENTRIES.decode(row) for row in self._db.execute(query)]

    def list_actors_and_actions(self) -> tuple[list[str], list[str]]:
        actors, actions = (
            list(self._db.execute(select(column).distinct().order_by(column)).scalars())
            for column in (audit_log.c.actor, audit_log.c.action)
        )
        return actors, actions

    def is_signed(self, entry: AuditEntry) -> bool:
        return bool(entry.hash) and vault_of(self._db).is_signed(entry.hash, entry.mac)

    def has_signature(self) -> bool:
        query = select(audit_log.c.id).where(audit_log.c.mac != "").limit(1)
        return self._db.execute(query).first() is not None

    def is_empty(self) -> bool:
        return self._db.execute(select(audit_log.c.id).limit(1)).first() is None

    def compute_hash(self, previous: str, entry: AuditEntry) -> str:
        values = [
            previous,
            to_micros(entry.at),
            entry.actor,
            entry.action,
            entry.subject,
            entry.detail,
            entry.before,
            entry.after,
        ]
        return sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def _conditions(filter: AuditFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    for column, value in (
        (audit_log.c.actor, filter.actor),
        (audit_log.c.action, filter.action),
        (audit_log.c.subject, filter.subject),
    ):
        if value:
            conditions.append(column == value)
    if filter.start is not None:
        conditions.append(audit_log.c.at >= to_micros(filter.start))
    if filter.end is not None:
        conditions.append(audit_log.c.at < to_micros(filter.end))
    if filter.before_id is not None:
        conditions.append(audit_log.c.id < filter.before_id)
    return conditions


def _to_json(value: Mapping[str, Any]) -> str:
    return json.dumps(dict(value))


def _to_json_or_none(value: Mapping[str, Any] | None) -> str | None:
    return None if value is None else _to_json(value)


def _parse_json(row: Mapping[str, Any]) -> dict[str, Any]:
    values = {name: row[name] for name in ("detail", "before", "after")}
    return {name: None if text is None else json.loads(text) for name, text in values.items()}


def new_entry(
    actor: str,
    action: str,
    detail: Mapping[str, Any],
    at: datetime,
    subject: str,
    before: Mapping[str, Any] | None,
    after: Mapping[str, Any] | None,
) -> AuditEntry:
    """An entry that is not stored yet."""
    return AuditEntry(0, at, actor, action, subject, detail, before, after, "")
