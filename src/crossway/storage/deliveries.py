"""Deliveries as stored: their lines, their leases, their tries."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from sqlalchemy import (
    Connection,
    bindparam,
    exists,
    func,
    insert,
    select,
    text,
    update,
)

from crossway.domain.webhooks import OPEN_DELIVERY, Announcement, Delivery, DeliveryState, Try
from crossway.ports.webhook_records import Backlog, DeliveryFilter, NewDelivery
from crossway.storage.announcements import announcement_of
from crossway.storage.delivery_rows import delivery_of, new_row, settled_row, try_of, try_row
from crossway.storage.rows import maybe_instant, micros
from crossway.storage.sets import among, once_a_row
from crossway.storage.webhook_tables import announcements, deliveries, delivery_attempts, webhooks

_c = deliveries.c
# States written out, so that the planners see the partial indexes.
_IS_DUE, _IS_OPEN = text("deliveries.state = 'DUE'"), text("deliveries.state IN ('DUE', 'WAITING')")
_ADD = insert(deliveries)
_ADD_TRY = insert(delivery_attempts)
_READY = (
    _IS_DUE,
    _c.next_at <= bindparam("b_now"),
    _c.leased_until <= bindparam("b_machine"),
)
_SOMETHING_DUE = select(webhooks.c.id).where(
    webhooks.c.enabled.is_(True), exists().where(_c.webhook_id == webhooks.c.id, *_READY)
)
_CLAIM = (
    select(deliveries)
    .where(_c.webhook_id == bindparam("b_webhook"), *_READY)
    .order_by(_c.next_at, _c.id)
    .limit(bindparam("b_room"))
    .with_for_update(skip_locked=True)
)
_SETTLE = (
    update(deliveries)
    .where(_c.id == bindparam("b_id"))
    .values(
        state=bindparam("b_state"),
        tries=bindparam("b_tries"),
        next_at=bindparam("b_next"),
        leased_until=text("0"),
        status=bindparam("b_status"),
        error=bindparam("b_error"),
        updated_at=bindparam("b_at"),
    )
)
_FIRST_OPEN = (
    select(func.min(_c.id))
    .where(_c.webhook_id == bindparam("b_webhook"), _c.line == bindparam("b_line"), _IS_OPEN)
    .correlate(None)
    .scalar_subquery()
)
_NEXT = (
    update(deliveries)
    .where(_c.id == _FIRST_OPEN, text("deliveries.state = 'WAITING'"))
    .values(state=text("'DUE'"), next_at=bindparam("b_at"))
)


class Deliveries:
    """`ports.webhook_records.DeliveryRecords` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def add(self, new: Sequence[NewDelivery]) -> None:
        busy = self._busy(new)
        rows = []
        for one in new:
            place = (one.webhook_id, one.line)
            rows.append(new_row(one, place in busy))
            if one.line:
                busy.add(place)
        once_a_row(self._db, _ADD, rows)

    def add_one(self, new: NewDelivery) -> Delivery:
        row = new_row(new, bool(self._busy([new])))
        return delivery_of(self._db.execute(_ADD.returning(deliveries), row).one())

    def get(self, delivery_id: int) -> Delivery | None:
        row = self._db.execute(select(deliveries).where(_c.id == delivery_id)).first()
        return None if row is None else delivery_of(row)

    def page(self, wanted: DeliveryFilter, limit: int) -> list[tuple[Delivery, Announcement]]:
        query = select(deliveries).order_by(_c.id.desc()).limit(limit)
        if wanted.webhook_id is not None:
            query = query.where(_c.webhook_id == wanted.webhook_id)
        if wanted.client_id is not None:
            own = select(webhooks.c.id).where(webhooks.c.client_id == wanted.client_id)
            query = query.where(_c.webhook_id.in_(own))
        if wanted.states:
            query = query.where(_c.state.in_([state.value for state in wanted.states]))
        if wanted.event:
            told = select(announcements.c.id).where(
                announcements.c.id == _c.announcement_id, announcements.c.type == wanted.event
            )
            query = query.where(told.exists())
        if wanted.about is not None:
            kind, number = wanted.about
            concerned = select(announcements.c.id).where(
                announcements.c.kind == kind, announcements.c.resource_id == number
            )
            query = query.where(_c.announcement_id.in_(concerned))
        if wanted.before_id is not None:
            query = query.where(_c.id < wanted.before_id)
        found = [delivery_of(row) for row in self._db.execute(query)]
        of = self._announcements({one.announcement_id for one in found})
        return [(one, of[one.announcement_id]) for one in found]

    def outcomes(self, webhook_id: int, since: datetime, most: int) -> dict[DeliveryState, int]:
        newest = select(_c.state, _c.updated_at).where(_c.webhook_id == webhook_id)
        newest = newest.order_by(_c.id.desc()).limit(most)
        of = newest.subquery()
        query = select(of.c.state, func.count()).where(of.c.updated_at >= micros(since))
        rows = self._db.execute(query.group_by(of.c.state))
        return {DeliveryState(state): count for state, count in rows}

    def tries(self, delivery_id: int) -> list[Try]:
        query = select(delivery_attempts).where(delivery_attempts.c.delivery_id == delivery_id)
        return [try_of(row) for row in self._db.execute(query.order_by(delivery_attempts.c.id))]

    def due(self, now: datetime, machine: datetime) -> list[int]:
        asked = {"b_now": micros(now), "b_machine": micros(machine)}
        return list(self._db.execute(_SOMETHING_DUE, asked).scalars())

    def claim(
        self, rooms: Mapping[int, int], now: datetime, machine: datetime, until: datetime
    ) -> list[Delivery]:
        asked = {"b_now": micros(now), "b_machine": micros(machine)}
        found: list[Delivery] = []
        for webhook_id, room in sorted(rooms.items()):
            rows = self._db.execute(_CLAIM, asked | {"b_webhook": webhook_id, "b_room": room})
            found.extend(delivery_of(row) for row in rows)
        self._lease([one.id for one in found], micros(until))
        return found

    def give_back(self, ids: Collection[int]) -> None:
        self._lease(ids, 0)

    def take_over(self) -> None:
        leased = update(deliveries).where(_IS_DUE, _c.leased_until > 0)
        self._db.execute(leased.values(leased_until=0))

    def lock_due(self, ids: Collection[int]) -> dict[int, Delivery]:
        if not ids:
            return {}
        query = select(deliveries).where(among(self._db, _c.id, ids), _IS_DUE)
        rows = self._db.execute(query.order_by(_c.id).with_for_update())
        return {row.id: delivery_of(row) for row in rows}

    def settle(self, after: Sequence[Delivery], tries: Sequence[Try]) -> None:
        once_a_row(self._db, _SETTLE, [settled_row(one) for one in after])
        once_a_row(self._db, _ADD_TRY, [try_row(one) for one in tries])
        ended = [
            {"b_webhook": one.webhook_id, "b_line": one.line, "b_at": micros(one.updated_at)}
            for one in after
            if one.line and one.state not in OPEN_DELIVERY
        ]
        once_a_row(self._db, _NEXT, ended)

    def hurry(self, delivery_id: int, at: datetime) -> None:
        due = update(deliveries).where(_c.id == delivery_id, _IS_DUE)
        self._db.execute(due.values(next_at=micros(at)))

    def still_open(self, webhook_id: int) -> set[int]:
        query = select(_c.announcement_id).where(_c.webhook_id == webhook_id, _IS_OPEN)
        return set(self._db.execute(query).scalars())

    def fail_open(self, webhook_id: int, error: str, at: datetime) -> int:
        done = self._db.execute(
            update(deliveries)
            .where(_c.webhook_id == webhook_id, _IS_OPEN)
            .values(state=DeliveryState.FAILED.value, error=error, updated_at=micros(at))
        )
        return done.rowcount

    def backlog(self) -> Backlog:
        query = select(_c.state, func.count(), func.min(_c.next_at)).where(_IS_OPEN)
        found = {row[0]: row for row in self._db.execute(query.group_by(_c.state))}
        due, waiting = found.get("DUE"), found.get("WAITING")
        return Backlog(
            due=due[1] if due else 0,
            waiting=waiting[1] if waiting else 0,
            oldest=maybe_instant(due[2] if due else None),
        )

    def _busy(self, new: Sequence[NewDelivery]) -> set[tuple[int, str]]:
        """The lines among these in which something is open already."""
        lines = {one.line for one in new if one.line}
        if not lines:
            return set()
        query = select(_c.webhook_id, _c.line).where(
            among(self._db, _c.webhook_id, {one.webhook_id for one in new}),
            among(self._db, _c.line, lines),
            _IS_OPEN,
        )
        return {(row[0], row[1]) for row in self._db.execute(query.distinct())}

    def _lease(self, ids: Collection[int], until: int) -> None:
        if ids:
            leased = among(self._db, _c.id, ids)
            self._db.execute(update(deliveries).where(leased).values(leased_until=until))

    def _announcements(self, ids: Collection[int]) -> dict[int, Announcement]:
        query = select(announcements).where(among(self._db, announcements.c.id, ids))
        return {row.id: announcement_of(row) for row in self._db.execute(query)} if ids else {}
