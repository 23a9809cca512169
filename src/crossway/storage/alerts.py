"""Active alerts by key, and resolved alerts."""

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Connection, delete, insert, select, update

from crossway.ports.alert_repository import AlertFilter, ResolvedAlert
from crossway.ports.records import Alert
from crossway.ports.topics import Topic
from crossway.sql.in_values import in_values
from crossway.storage.bulk_sql import insert_into
from crossway.storage.row_mapper import (
    from_micros,
    from_micros_or_none,
    to_micros,
    to_micros_or_none,
)
from crossway.storage.service_tables import alerts, resolved_alerts

_ALERT_COLUMNS = ("key", "kind", "subject", "message", "since", "last_seen_at")
_OWNER_COLUMNS = ("acknowledged_at", "acknowledged_by", "note", "assigned_to")


class SqlAlerts:
    """`ports.alert_repository.AlertRepository` on one connection."""

    def __init__(self, db: Connection, changed_topics: set[Topic]) -> None:
        self._db = db
        self._changed_topics = changed_topics

    def raise_alert(self, alert: Alert) -> None:
        upsert = insert_into(self._db, alerts)
        since = self._db.execute(
            upsert.on_conflict_do_update(
                index_elements=["key"],
                set_={
                    "message": upsert.excluded.message,
                    "last_seen_at": upsert.excluded.last_seen_at,
                },
            ).returning(alerts.c.since),
            {
                "key": alert.key,
                "kind": alert.kind,
                "subject": alert.subject,
                "message": alert.message,
                "since": to_micros(alert.since),
                "last_seen_at": to_micros(alert.last_seen_at),
            },
        ).scalar_one()
        if since == to_micros(alert.since):
            self._changed_topics.add(Topic.ALERTS)

    def resolve(self, keys: Collection[str], at: datetime) -> None:
        if not keys:
            return
        deleted = delete(alerts).where(in_values(alerts.c.key, keys))
        columns = [alerts.c[name] for name in (*_ALERT_COLUMNS, *_OWNER_COLUMNS)]
        rows = [dict(row._mapping) for row in self._db.execute(deleted.returning(*columns))]
        if rows:
            resolution = {"resolved_at": to_micros(at)}
            self._db.execute(insert(resolved_alerts), [row | resolution for row in rows])
            self._changed_topics.add(Topic.ALERTS)

    def list_active(self, limit: int = 200, kind: str | None = None) -> list[Alert]:
        query = select(alerts).order_by(alerts.c.since.desc(), alerts.c.key)
        if kind is not None:
            query = query.where(alerts.c.kind == kind)
        return [
            replace(_alert(row, None), snoozed_until=from_micros_or_none(row.snoozed_until))
            for row in self._db.execute(query.limit(limit))
        ]

    def acknowledge(self, keys: Collection[str], by: str, note: str, at: datetime) -> list[str]:
        unacknowledged = (
            in_values(alerts.c.key, keys),
            alerts.c.acknowledged_at.is_(None),
        )
        acknowledgement = {"acknowledged_at": to_micros(at), "acknowledged_by": by, "note": note}
        statement = (
            update(alerts).where(*unacknowledged).values(**acknowledgement).returning(alerts.c.key)
        )
        acknowledged_keys = sorted(self._db.execute(statement).scalars()) if keys else []
        if acknowledged_keys:
            self._changed_topics.add(Topic.ALERTS)
        return acknowledged_keys

    def assign(self, keys: Collection[str], name: str) -> list[str]:
        return self._set(keys, alerts.c.assigned_to, name)

    def snooze(self, keys: Collection[str], until: datetime | None) -> list[str]:
        return self._set(keys, alerts.c.snoozed_until, to_micros_or_none(until))

    def end_snoozes(self, now: datetime) -> int:
        is_over = alerts.c.snoozed_until <= to_micros(now)
        ended = self._db.execute(update(alerts).where(is_over).values(snoozed_until=None)).rowcount
        if ended:
            self._changed_topics.add(Topic.ALERTS)
        return ended

    def _set(self, keys: Collection[str], column: Column[Any], value: object) -> list[str]:
        """Set a column of active alerts; returns the keys of those where it was another."""
        if not keys:
            return []
        is_new = (in_values(alerts.c.key, keys), column.is_distinct_from(value))
        statement = update(alerts).where(*is_new).values({column: value}).returning(alerts.c.key)
        changed_keys = sorted(self._db.execute(statement).scalars())
        if changed_keys:
            self._changed_topics.add(Topic.ALERTS)
        return changed_keys

    def list_resolved(self, filter: AlertFilter, limit: int) -> list[ResolvedAlert]:
        query = select(resolved_alerts).order_by(resolved_alerts.c.id.desc()).limit(limit)
        if filter.kinds:
            query = query.where(resolved_alerts.c.kind.in_(filter.kinds))
        if filter.acknowledged is not None:
            acknowledged = resolved_alerts.c.acknowledged_at.is_not(None)
            query = query.where(acknowledged if filter.acknowledged else ~acknowledged)
        if filter.before_id is not None:
            query = query.where(resolved_alerts.c.id < filter.before_id)
        return [
            ResolvedAlert(row.id, _alert(row, from_micros(row.resolved_at)))
            for row in self._db.execute(query)
        ]


def _alert(row: Any, resolved_at: datetime | None) -> Alert:
    return Alert(
        key=row.key,
        kind=row.kind,
        subject=row.subject,
        message=row.message,
        since=from_micros(row.since),
        last_seen_at=from_micros(row.last_seen_at),
        resolved_at=resolved_at,
        acknowledged_at=from_micros_or_none(row.acknowledged_at),
        acknowledged_by=row.acknowledged_by,
        note=row.note,
        assigned_to=row.assigned_to,
    )
