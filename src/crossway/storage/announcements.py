"""Announcements as stored: in the transaction of what they tell, then put in order once."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, func, insert, select, update

from crossway.domain.webhooks import Announcement
from crossway.storage.rows import instant, micros
from crossway.storage.sets import among, once_a_row
from crossway.storage.webhook_tables import announcements

_ADD = insert(announcements)
_PLACE = (
    update(announcements)
    .where(announcements.c.id == bindparam("b_id"))
    .values(position=bindparam("b_position"))
)
_LAST = select(func.max(announcements.c.position))


def announcement_row(
    event_id: str, client_id: str, type: str, kind: str, resource_id: int, at: int, facts: str
) -> dict[str, Any]:
    """An announcement as its row; `at` in microseconds, `facts` the JSON of what of the resource
    can change, as it stood then."""
    return {
        "event_id": event_id,
        "client_id": client_id,
        "type": type,
        "kind": kind,
        "resource_id": resource_id,
        "at": at,
        "facts": facts,
    }


def announce(db: Connection, rows: Sequence[dict[str, Any]]) -> None:
    """Store announcements in the transaction that does what they tell."""
    once_a_row(db, _ADD, rows)


class Announcements:
    """`ports.announcements.AnnouncementRecords` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def add(self, one: Announcement) -> Announcement:
        row = announcement_row(
            one.event_id, one.client_id, one.type, one.kind, one.resource_id, micros(one.at),
            one.facts,
        )  # fmt: skip
        found = self._db.execute(_ADD.returning(announcements), row).one()
        return announcement_of(found)

    def new(self, limit: int) -> list[Announcement]:
        query = select(announcements).where(announcements.c.position.is_(None))
        rows = self._db.execute(query.order_by(announcements.c.id).limit(limit))
        return [announcement_of(row) for row in rows]

    def any_new(self) -> bool:
        query = select(announcements.c.id).where(announcements.c.position.is_(None)).limit(1)
        return self._db.execute(query).first() is not None

    def put_in_order(self, ids: Sequence[int]) -> None:
        first = self.last() + 1
        rows = [{"b_id": id, "b_position": first + n} for n, id in enumerate(ids)]
        once_a_row(self._db, _PLACE, rows)

    def last(self) -> int:
        return int(self._db.execute(_LAST).scalar_one() or 0)

    def of(self, ids: Collection[int]) -> dict[int, Announcement]:
        query = select(announcements).where(among(self._db, announcements.c.id, ids))
        found = [announcement_of(row) for row in self._db.execute(query)] if ids else []
        return {one.id: one for one in found}

    def after(
        self, position: int, clients: Collection[str], until: int, limit: int
    ) -> list[Announcement]:
        query = (
            select(announcements)
            .where(
                announcements.c.position > position,
                announcements.c.position <= until,
                among(self._db, announcements.c.client_id, clients),
            )
            .order_by(announcements.c.position)
            .limit(limit)
        )
        return [announcement_of(row) for row in self._db.execute(query)] if clients else []

    def position_of(self, client_id: str, event_id: str) -> int | None:
        query = select(announcements.c.position).where(
            announcements.c.event_id == event_id, announcements.c.client_id == client_id
        )
        found = self._db.execute(query).scalar()
        return None if found is None else int(found)

    def between(
        self, client_id: str, since: datetime, until: datetime, limit: int
    ) -> list[Announcement]:
        query = (
            select(announcements)
            .where(
                announcements.c.client_id == client_id,
                announcements.c.at >= micros(since),
                announcements.c.at < micros(until),
            )
            .order_by(announcements.c.id)
            .limit(limit)
        )
        return [announcement_of(row) for row in self._db.execute(query)]


def announcement_of(row: Any) -> Announcement:
    """The announcement of a whole row."""
    return Announcement(
        id=row.id,
        event_id=row.event_id,
        client_id=row.client_id,
        type=row.type,
        kind=row.kind,
        resource_id=row.resource_id,
        at=instant(row.at),
        facts=row.facts,
        position=row.position,
    )
