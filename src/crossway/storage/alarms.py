"""Alarms as stored: those that stand by their key, and every time that one stood and was over."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, case, delete, insert, null, select, update
from sqlalchemy.dialects import postgresql, sqlite

from crossway.ports.alarm_records import AlarmFilter, PastAlarm
from crossway.ports.changes import Topic
from crossway.ports.records import Alarm
from crossway.storage.network_tables import alarms, past_alarms
from crossway.storage.rows import instant, maybe_instant, micros
from crossway.storage.sets import among

_KEPT = ("key", "kind", "subject", "message", "since", "seen_at")
_SEEN_TO = ("acknowledged_at", "acknowledged_by", "note")
_STANDS = alarms.c.cleared_at.is_(None)


class Alarms:
    """`ports.alarm_records.AlarmRecords` on one connection; `told` is what it changed."""

    def __init__(self, db: Connection) -> None:
        self._db = db
        self._make = sqlite.insert if db.dialect.name == "sqlite" else postgresql.insert
        self.told: set[Topic] = set()

    def raise_alarm(self, alarm: Alarm) -> None:
        put = self._make(alarms)
        # A row that was cleared is from before those that are over had a table of their own.
        again = alarms.c.cleared_at.is_not(None)
        since = self._db.execute(
            put.on_conflict_do_update(
                index_elements=["key"],
                set_={
                    "message": put.excluded.message,
                    "seen_at": put.excluded.seen_at,
                    "since": case((again, put.excluded.since), else_=alarms.c.since),
                    "acknowledged_at": case((again, null()), else_=alarms.c.acknowledged_at),
                    "cleared_at": None,
                },
            ).returning(alarms.c.since),
            {
                "key": alarm.key,
                "kind": alarm.kind,
                "subject": alarm.subject,
                "message": alarm.message,
                "since": micros(alarm.since),
                "seen_at": micros(alarm.seen_at),
                "cleared_at": None,
            },
        ).scalar_one()
        if since == micros(alarm.since):
            self.told.add(Topic.ALARMS)

    def clear_alarms(self, keys: Collection[str], at: datetime) -> None:
        if not keys:
            return
        gone = delete(alarms).where(among(self._db, alarms.c.key, keys), _STANDS)
        kept = [alarms.c[name] for name in (*_KEPT, *_SEEN_TO)]
        rows = [dict(row._mapping) for row in self._db.execute(gone.returning(*kept))]
        if rows:
            over = {"cleared_at": micros(at)}
            self._db.execute(insert(past_alarms), [row | over for row in rows])
            self.told.add(Topic.ALARMS)

    def alarms(self, limit: int = 200) -> list[Alarm]:
        query = select(alarms).where(_STANDS).order_by(alarms.c.since.desc(), alarms.c.key)
        return [_alarm(row) for row in self._db.execute(query.limit(limit))]

    def acknowledge_alarms(
        self, keys: Collection[str], by: str, note: str, at: datetime
    ) -> list[str]:
        fresh = (among(self._db, alarms.c.key, keys), _STANDS, alarms.c.acknowledged_at.is_(None))
        seen_to = {"acknowledged_at": micros(at), "acknowledged_by": by, "note": note}
        done = update(alarms).where(*fresh).values(**seen_to).returning(alarms.c.key)
        found = sorted(self._db.execute(done).scalars()) if keys else []
        if found:
            self.told.add(Topic.ALARMS)
        return found

    def past_alarms(self, wanted: AlarmFilter, limit: int) -> list[PastAlarm]:
        query = select(past_alarms).order_by(past_alarms.c.id.desc()).limit(limit)
        if wanted.kinds:
            query = query.where(past_alarms.c.kind.in_(wanted.kinds))
        if wanted.acknowledged is not None:
            seen_to = past_alarms.c.acknowledged_at.is_not(None)
            query = query.where(seen_to if wanted.acknowledged else ~seen_to)
        if wanted.before_id is not None:
            query = query.where(past_alarms.c.id < wanted.before_id)
        return [PastAlarm(row.id, _alarm(row)) for row in self._db.execute(query)]


def _alarm(row: Any) -> Alarm:
    return Alarm(
        key=row.key,
        kind=row.kind,
        subject=row.subject,
        message=row.message,
        since=instant(row.since),
        seen_at=instant(row.seen_at),
        cleared_at=maybe_instant(row.cleared_at),
        acknowledged_at=maybe_instant(row.acknowledged_at),
        acknowledged_by=row.acknowledged_by,
        note=row.note,
    )
