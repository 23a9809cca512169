"""The outbox: events stored in the transaction of their change, given positions later."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, and_, bindparam, func, insert, or_, select, update

from crossway.domain.clients import Mode, Owner
from crossway.domain.webhooks import OutboxEvent
from crossway.sql.in_values import in_values
from crossway.storage.prepared import execute_each
from crossway.storage.row_mapper import RowMapper, to_micros
from crossway.storage.sealing import opener
from crossway.storage.webhook_tables import outbox

EVENTS: Final = RowMapper(OutboxEvent, outbox)
ADD_EVENT: Final = insert(outbox)
_SET_POSITION = (
    update(outbox).where(outbox.c.id == bindparam("b_id")).values(position=bindparam("b_position"))
)
_LAST = select(func.max(outbox.c.position))


class SqlOutbox:
    """`ports.outbox_repository.OutboxRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db
        self._open_text = opener(db)

    def add(self, event: OutboxEvent) -> OutboxEvent:
        row = EVENTS.encode_new(event, str)
        return EVENTS.decode(self._db.execute(ADD_EVENT.returning(outbox), row).one(), str)

    def list_unsequenced(self, limit: int) -> list[OutboxEvent]:
        query = select(outbox).where(outbox.c.position.is_(None))
        rows = self._db.execute(query.order_by(outbox.c.id).limit(limit))
        return [EVENTS.decode(row, self._open_text) for row in rows]

    def has_unsequenced(self) -> bool:
        query = select(outbox.c.id).where(outbox.c.position.is_(None)).limit(1)
        return self._db.execute(query).first() is not None

    def assign_positions(self, ids: Sequence[int]) -> None:
        first = self.last_position() + 1
        rows = [{"b_id": id, "b_position": first + n} for n, id in enumerate(ids)]
        execute_each(self._db, _SET_POSITION, rows)

    def last_position(self) -> int:
        return int(self._db.execute(_LAST).scalar_one() or 0)

    def get_many(self, ids: Collection[int]) -> dict[int, OutboxEvent]:
        query = select(outbox).where(in_values(outbox.c.id, ids))
        events = (
            [EVENTS.decode(row, self._open_text) for row in self._db.execute(query)] if ids else []
        )
        return {event.id: event for event in events}

    def list_after(
        self, position: int, owners: Collection[Owner], until: int, limit: int
    ) -> list[OutboxEvent]:
        clients_by_mode: dict[Mode, list[str]] = {}
        for owner in owners:
            clients_by_mode.setdefault(owner.mode, []).append(owner.client_id)
        is_owned = or_(
            *(
                and_(outbox.c.mode == mode, in_values(outbox.c.client_id, clients))
                for mode, clients in clients_by_mode.items()
            )
        )
        query = (
            select(outbox)
            .where(outbox.c.position > position, outbox.c.position <= until, is_owned)
            .order_by(outbox.c.position)
            .limit(limit)
        )
        return (
            [EVENTS.decode(row, self._open_text) for row in self._db.execute(query)]
            if owners
            else []
        )

    def get_position(self, owner: Owner, event_id: str) -> int | None:
        query = select(outbox.c.position).where(
            outbox.c.event_id == event_id,
            outbox.c.client_id == owner.client_id,
            outbox.c.mode == owner.mode,
        )
        position = self._db.execute(query).scalar()
        return None if position is None else int(position)

    def list_between(
        self, owner: Owner, since: datetime, until: datetime, limit: int
    ) -> list[OutboxEvent]:
        query = (
            select(outbox)
            .where(
                outbox.c.client_id == owner.client_id,
                outbox.c.mode == owner.mode,
                outbox.c.at >= to_micros(since),
                outbox.c.at < to_micros(until),
            )
            .order_by(outbox.c.id)
            .limit(limit)
        )
        return [EVENTS.decode(row, self._open_text) for row in self._db.execute(query)]
