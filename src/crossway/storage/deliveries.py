"""Webhook deliveries: their sequences, leases and attempts."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from sqlalchemy import (
    ColumnElement,
    Connection,
    bindparam,
    exists,
    func,
    insert,
    select,
    text,
    update,
)

from crossway.domain.clients import OwnerFilter
from crossway.domain.webhooks import (
    OPEN_DELIVERY,
    Delivery,
    DeliveryAttempt,
    DeliveryState,
    OutboxEvent,
)
from crossway.ports.webhook_repository import (
    DeliveryBacklog,
    DeliveryFilter,
    MissedFilter,
    NewDelivery,
)
from crossway.sql.in_values import in_values, within
from crossway.storage import missed_deliveries
from crossway.storage.deliveries_of_intents import list_newest_of_intents
from crossway.storage.delivery_lists import list_delivery_ids
from crossway.storage.delivery_rows import (
    ATTEMPTS,
    DELIVERIES,
    are_placed,
    new_delivery_row,
    result_row,
)
from crossway.storage.outbox import SqlOutbox
from crossway.storage.prepared import execute_each, fetch
from crossway.storage.row_mapper import from_micros_or_none, to_micros
from crossway.storage.sealing import opener, sealer
from crossway.storage.webhook_tables import deliveries, delivery_attempts, webhooks

_c = deliveries.c
# Literals, so that the planner uses the partial indexes.
_IS_DUE, _IS_OPEN = text("deliveries.state = 'DUE'"), text("deliveries.state IN ('DUE', 'WAITING')")
_ADD = insert(deliveries)
_ADD_ATTEMPT = insert(delivery_attempts)
_READY = (
    _IS_DUE,
    _c.next_at <= bindparam("b_now"),
    _c.leased_until <= bindparam("b_machine"),
)
# Of a disabled webhook only a test is due: what else was, failed when it was disabled.
_SOMETHING_DUE = select(webhooks.c.id).where(
    exists().where(_c.webhook_id == webhooks.c.id, *_READY)
)
_CLAIM = (
    select(deliveries)
    .where(_c.webhook_id == bindparam("b_webhook"), *_READY)
    .order_by(_c.next_at, _c.id)
    .limit(bindparam("b_room"))
    .with_for_update(skip_locked=True)
)
# The time says in which partition it is.
_SETTLE = (
    update(deliveries)
    .where(_c.id == bindparam("b_id"), _c.created_at == bindparam("b_created"))
    .values(
        state=bindparam("b_state"),
        attempt_count=bindparam("b_tries"),
        next_at=bindparam("b_next"),
        leased_until=text("0"),
        status=bindparam("b_status"),
        error=bindparam("b_error"),
        updated_at=bindparam("b_at"),
    )
)
_FIRST_OPEN = (
    select(_c.webhook_id, _c.sequence_key, func.min(_c.id))
    .where(within(_c.webhook_id, "webhooks"), within(_c.sequence_key, "lines"), _IS_OPEN)
    .group_by(_c.webhook_id, _c.sequence_key)
)
_NEXT = (
    update(deliveries)
    .where(_c.id == bindparam("b_id"), text("deliveries.state = 'WAITING'"))
    .values(state=text("'DUE'"), next_at=bindparam("b_at"))
)


class SqlDeliveries:
    """`ports.webhook_repository.DeliveryRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db
        self._open_text = opener(db)

    def add_many(self, new: Sequence[NewDelivery]) -> None:
        open_sequences = self._open_sequences(new)
        rows = []
        for delivery in new:
            sequence = (delivery.webhook_id, delivery.sequence_key)
            rows.append(new_delivery_row(delivery, sequence in open_sequences))
            if delivery.sequence_key:
                open_sequences.add(sequence)
        execute_each(self._db, _ADD, rows)

    def add(self, new: NewDelivery) -> Delivery:
        row = new_delivery_row(new, bool(self._open_sequences([new])))
        return DELIVERIES.decode(self._db.execute(_ADD.returning(deliveries), row).one())

    def get(self, delivery_id: int) -> Delivery | None:
        row = self._db.execute(select(deliveries).where(_c.id == delivery_id)).first()
        return None if row is None else DELIVERIES.decode(row)

    def list_page(self, filter: DeliveryFilter, limit: int) -> list[tuple[Delivery, OutboxEvent]]:
        placed = list_delivery_ids(self._db, filter, limit)
        rows = self._db.execute(select(deliveries).where(*are_placed(placed))) if placed else ()
        by_id = {row.id: DELIVERIES.decode(row) for row in rows}
        page = [by_id[one] for one in placed]
        events = self._events(page)
        return [(delivery, events[delivery.event_id]) for delivery in page]

    def list_newest_of_intents(
        self, owners: OwnerFilter, intent_ids: Collection[int], limit: int
    ) -> dict[int, list[tuple[Delivery, OutboxEvent]]]:
        found = list_newest_of_intents(self._db, owners, intent_ids, limit) if intent_ids else {}
        events = self._events([one for rows in found.values() for one in rows])
        return {
            intent_id: [(delivery, events[delivery.event_id]) for delivery in rows]
            for intent_id, rows in found.items()
        }

    def count_recent_by_state(
        self, webhook_id: int, since: datetime, limit: int
    ) -> dict[DeliveryState, int]:
        newest = select(_c.state, _c.updated_at).where(_c.webhook_id == webhook_id)
        newest = newest.order_by(_c.id.desc()).limit(limit)
        newest_deliveries = newest.subquery()
        query = select(newest_deliveries.c.state, func.count()).where(
            newest_deliveries.c.updated_at >= to_micros(since)
        )
        rows = self._db.execute(query.group_by(newest_deliveries.c.state))
        return {DeliveryState(state): count for state, count in rows}

    def list_attempts(self, delivery_id: int) -> list[DeliveryAttempt]:
        query = select(delivery_attempts).where(delivery_attempts.c.delivery_id == delivery_id)
        return [
            ATTEMPTS.decode(row, self._open_text)
            for row in self._db.execute(query.order_by(delivery_attempts.c.id))
        ]

    def list_due_endpoints(self, now: datetime, machine_time: datetime) -> list[int]:
        parameters = {"b_now": to_micros(now), "b_machine": to_micros(machine_time)}
        return list(self._db.execute(_SOMETHING_DUE, parameters).scalars())

    def lease_due(
        self, limits: Mapping[int, int], now: datetime, machine_time: datetime, until: datetime
    ) -> list[Delivery]:
        parameters = {"b_now": to_micros(now), "b_machine": to_micros(machine_time)}
        leased: list[Delivery] = []
        for webhook_id, limit in sorted(limits.items()):
            rows = self._db.execute(_CLAIM, parameters | {"b_webhook": webhook_id, "b_room": limit})
            leased.extend(DELIVERIES.decode(row) for row in rows)
        if leased:
            self._set_lease(are_placed(_places(leased)), to_micros(until))
        return leased

    def release_leases(self, ids: Collection[int]) -> None:
        self._set_lease([in_values(_c.id, ids)], 0)

    def end_all_leases(self) -> None:
        leased = update(deliveries).where(_IS_DUE, _c.leased_until > 0)
        self._db.execute(leased.values(leased_until=0))

    def lock_due(self, sent: Collection[Delivery]) -> dict[int, Delivery]:
        if not sent:
            return {}
        query = select(deliveries).where(*are_placed(_places(sent)), _IS_DUE)
        rows = self._db.execute(query.order_by(_c.id).with_for_update())
        return {row.id: DELIVERIES.decode(row) for row in rows}

    def save_results(
        self, results: Sequence[Delivery], attempts: Sequence[DeliveryAttempt]
    ) -> None:
        execute_each(self._db, _SETTLE, [result_row(delivery) for delivery in results])
        seal = sealer(self._db)
        rows = [ATTEMPTS.encode(attempt, seal) for attempt in attempts]
        execute_each(self._db, _ADD_ATTEMPT, rows)
        self._start_next([one for one in results if one.state not in OPEN_DELIVERY])

    def reset_backoff(self, delivery_id: int, at: datetime) -> None:
        due = update(deliveries).where(_c.id == delivery_id, _IS_DUE)
        self._db.execute(due.values(next_at=to_micros(at)))

    def find_open(self, webhook_id: int, event_id: int) -> Delivery | None:
        # The states as parameters, so that the planner uses the index of events.
        is_open = _c.state.in_([state.value for state in OPEN_DELIVERY])
        of_event = (_c.event_id == event_id, _c.webhook_id == webhook_id, is_open)
        row = self._db.execute(select(deliveries).where(*of_event).order_by(_c.id)).first()
        return None if row is None else DELIVERIES.decode(row)

    def list_open_event_ids(self, webhook_id: int) -> set[int]:
        query = select(_c.event_id).where(_c.webhook_id == webhook_id, _IS_OPEN)
        return set(self._db.execute(query).scalars())

    def list_missed(self, missed: MissedFilter, limit: int) -> list[tuple[int, str]]:
        return missed_deliveries.list_missed(self._db, missed, limit)

    def count_batch_by_state(
        self, webhook_id: int, prefix: str, limit: int
    ) -> dict[DeliveryState, int]:
        return missed_deliveries.count_batch_by_state(self._db, webhook_id, prefix, limit)

    def fail_all_open(self, webhook_id: int, error: str, at: datetime) -> int:
        result = self._db.execute(
            update(deliveries)
            .where(_c.webhook_id == webhook_id, _IS_OPEN)
            .values(state=DeliveryState.FAILED.value, error=error, updated_at=to_micros(at))
        )
        return result.rowcount

    def get_backlog(self) -> DeliveryBacklog:
        query = select(_c.state, func.count(), func.min(_c.next_at)).where(_IS_OPEN)
        row_by_state = {row[0]: row for row in self._db.execute(query.group_by(_c.state))}
        due, waiting = row_by_state.get("DUE"), row_by_state.get("WAITING")
        return DeliveryBacklog(
            due=due[1] if due else 0,
            waiting=waiting[1] if waiting else 0,
            oldest=from_micros_or_none(due[2] if due else None),
        )

    def _open_sequences(self, new: Sequence[NewDelivery]) -> set[tuple[int, str]]:
        """(webhook id, sequence key) of these that have an open delivery already."""
        sequence_keys = {delivery.sequence_key for delivery in new if delivery.sequence_key}
        if not sequence_keys:
            return set()
        query = select(_c.webhook_id, _c.sequence_key).where(
            in_values(_c.webhook_id, {delivery.webhook_id for delivery in new}),
            in_values(_c.sequence_key, sequence_keys),
            _IS_OPEN,
        )
        return {(row[0], row[1]) for row in self._db.execute(query.distinct())}

    def _start_next(self, ended: Collection[Delivery]) -> None:
        """The next delivery of each sequence is due since the one before it ended."""
        ended_at = {
            (one.webhook_id, one.sequence_key): to_micros(one.updated_at)
            for one in ended
            if one.sequence_key
        }
        if not ended_at:
            return
        lines = {"webhooks": {key[0] for key in ended_at}, "lines": {key[1] for key in ended_at}}
        first = fetch(self._db, _FIRST_OPEN, lines)
        rows = [
            {"b_id": number, "b_at": ended_at[webhook_id, line]}
            for webhook_id, line, number in first
            if (webhook_id, line) in ended_at
        ]
        execute_each(self._db, _NEXT, rows)

    def _set_lease(self, leased: Collection[ColumnElement[bool]], until: int) -> None:
        self._db.execute(update(deliveries).where(*leased).values(leased_until=until))

    def _events(self, of: Collection[Delivery]) -> dict[int, OutboxEvent]:
        times = [delivery.created_at for delivery in of]
        return SqlOutbox(self._db).get_many({delivery.event_id for delivery in of}, times)


def _places(several: Collection[Delivery]) -> dict[int, int]:
    return {delivery.id: to_micros(delivery.created_at) for delivery in several}
