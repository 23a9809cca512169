"""The outbox: events stored in the transaction of their change, and given positions later."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import ColumnElement, Connection, bindparam, func, insert, select, true, update

from crossway.domain.clients import Owner
from crossway.domain.webhooks import OutboxEvent
from crossway.sql.in_values import in_values
from crossway.storage.bulk_sql import chain_values, per_dialect_for_chains
from crossway.storage.prepared import execute_each
from crossway.storage.row_mapper import RowMapper, to_micros
from crossway.storage.sealing import opener
from crossway.storage.webhook_tables import outbox

EVENTS: Final = RowMapper(OutboxEvent, outbox)
ADD_EVENT: Final = insert(outbox)
_ABOUT: Final = timedelta(days=1)
# The time says in which partition it is.
_SET_POSITION = (
    update(outbox)
    .where(outbox.c.id == bindparam("b_id"), outbox.c.at == bindparam("b_at"))
    .values(position=bindparam("b_position"))
)
# The index of a client's positions is entered at its end.
_LAST = per_dialect_for_chains(
    lambda clients: select(
        clients.c.key,
        select(func.max(outbox.c.position))
        .where(outbox.c.client_id == clients.c.key)
        .scalar_subquery(),
    )
)


class SqlOutbox:
    """`ports.outbox_repository.OutboxRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db
        self._open_text = opener(db)

    def add(self, event: OutboxEvent) -> OutboxEvent:
        row = EVENTS.encode_new(event, str)
        return EVENTS.decode(self._db.execute(ADD_EVENT.returning(outbox), row).one(), str)

    def list_unsequenced(
        self, limit: int, clients: Collection[str] | None = None, without: Collection[str] = ()
    ) -> list[OutboxEvent]:
        # Appending nothing leaves the index of new events as the one to take: it is in order.
        query, client = select(outbox).where(outbox.c.position.is_(None)), outbox.c.client_id + ""
        if clients is not None:
            query = query.where(in_values(client, clients))
        if without:
            query = query.where(~in_values(client, without))
        rows = self._db.execute(query.order_by(outbox.c.id).limit(limit))
        return [EVENTS.decode(row, self._open_text) for row in rows]

    def has_unsequenced(self) -> bool:
        query = select(outbox.c.id).where(outbox.c.position.is_(None)).limit(1)
        return self._db.execute(query).first() is not None

    def assign_positions(self, events: Sequence[OutboxEvent]) -> None:
        last = self.last_positions({event.client_id for event in events})
        rows = []
        for event in events:
            last[event.client_id] += 1
            row = {"b_id": event.id, "b_at": to_micros(event.at)}
            rows.append(row | {"b_position": last[event.client_id]})
        execute_each(self._db, _SET_POSITION, rows)

    def last_positions(self, clients: Collection[str]) -> dict[str, int]:
        none = dict.fromkeys(clients, 0)
        found = self._db.execute(_LAST[self._db.dialect.name], {"chains": chain_values(none)})
        return none | {client: int(last) for client, last in found if last}

    def get_many(
        self, ids: Collection[int], times: Collection[datetime] = ()
    ) -> dict[int, OutboxEvent]:
        found: dict[int, OutboxEvent] = {}
        if times:
            # Few partitions have events of about then.
            since, until = to_micros(min(times) - _ABOUT), to_micros(max(times) + _ABOUT)
            found = self._get(ids, outbox.c.at.between(since, until))
        missing = set(ids) - found.keys()
        return found | self._get(missing, true()) if missing else found

    def _get(self, ids: Collection[int], condition: ColumnElement[bool]) -> dict[int, OutboxEvent]:
        query = select(outbox).where(in_values(outbox.c.id, ids), condition)
        events = [EVENTS.decode(row, self._open_text) for row in self._db.execute(query)]
        return {event.id: event for event in events}

    def list_after(self, position: int, owner: Owner, until: int, limit: int) -> list[OutboxEvent]:
        query = (
            select(outbox)
            .where(
                outbox.c.client_id == owner.client_id,
                outbox.c.mode == owner.mode,
                outbox.c.position > position,
                outbox.c.position <= until,
            )
            .order_by(outbox.c.position)
            .limit(limit)
        )
        return [EVENTS.decode(row, self._open_text) for row in self._db.execute(query)]

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
