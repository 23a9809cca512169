"""Ramp orders with their counts, transitions and processed provider updates."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    Connection,
    Select,
    bindparam,
    func,
    insert,
    or_,
    select,
    text,
    update,
)

from crossway.domain.clients import OwnerFilter
from crossway.domain.event_ids import new_event_id
from crossway.domain.ramps import OrderEvent, OrderState, RampOrder
from crossway.ports.ramp_repository import OrderChange, OrderFilter, OrderTransition
from crossway.ports.search_repository import Count
from crossway.sql.in_values import in_values
from crossway.storage.bulk_sql import per_dialect
from crossway.storage.errors import ConcurrentUpdate
from crossway.storage.order_filter_sql import apply_filter, select_first, sort_page
from crossway.storage.order_rows import (
    ORDER_TRANSITIONS,
    ORDERS,
    UPDATE_ORDER,
    change_row,
    order_event_row,
    transition_row,
)
from crossway.storage.outbox import ADD_EVENT
from crossway.storage.owner_sql import is_owned
from crossway.storage.prepared import execute_each, fetch
from crossway.storage.ramp_tables import order_counts, order_transitions, orders, processed_updates
from crossway.storage.row_mapper import to_micros
from crossway.storage.sealing import opener, sealer

_ADD = insert(orders).returning(orders.c.id)
_ADD_TRANSITION = insert(order_transitions)
_ADD_COUNTS = per_dialect(
    lambda put: put(order_counts).on_conflict_do_update(
        index_elements=["client_id", "mode", "state"],
        set_={"total": order_counts.c.total + put(order_counts).excluded.total},
    )
)
_ADD_UPDATES = per_dialect(lambda put: put(processed_updates).on_conflict_do_nothing())

_FIRST_DUE = (
    select(orders.c.id)
    # A literal, so that the planner uses the partial index.
    .where(text("next_at IS NOT NULL"), orders.c.next_at <= bindparam("now"))
    .limit(1)
)


class SqlOrders:
    """`ports.ramp_repository.OrderRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db
        self._open_text = opener(db)

    def add(self, order: RampOrder) -> RampOrder:
        seal = sealer(self._db)
        row = ORDERS.encode_new(order, seal)
        order = replace(order, id=int(self._db.execute(_ADD, row).scalar_one()))
        created = {
            "event_id": new_event_id(),
            "order_id": order.id,
            "at": row["created_at"],
            "event": "CREATED",
            "from_state": None,
            "to_state": order.state.value,
            "note": "",
        }
        self._db.execute(_ADD_TRANSITION, created)
        execute_each(
            self._db, ADD_EVENT, [order_event_row(str(created["event_id"]), order, None, seal)]
        )
        self._add_counts(Counter({(order.client_id, order.mode, order.state): 1}))
        return order

    def get(self, order_id: int) -> RampOrder | None:
        return self._one(select(orders).where(orders.c.id == order_id))

    def get_many(self, ids: Collection[int]) -> dict[int, RampOrder]:
        query = select(orders).where(in_values(orders.c.id, ids))
        return {row.id: self._decode(row) for row in self._db.execute(query).all()} if ids else {}

    def find_by_intent_address(self, address: str) -> RampOrder | None:
        if not address:
            return None
        return self._one(select(orders).where(orders.c.intent_address == address))

    def find_ids_by_provider_reference(
        self, provider: str, references: Collection[str]
    ) -> dict[str, int]:
        query = select(orders.c.provider_reference, orders.c.id).where(
            orders.c.provider == provider,
            # A literal, so that the planner uses the partial index.
            text("provider_reference <> ''"),
            in_values(orders.c.provider_reference, references),
        )
        return {row[0]: row[1] for row in self._db.execute(query)} if references else {}

    def lock(self, ids: Collection[int]) -> dict[int, RampOrder]:
        if not ids:
            return {}
        query = select(orders).where(in_values(orders.c.id, ids))
        rows = self._db.execute(query.order_by(orders.c.id).with_for_update()).all()
        return {row.id: self._decode(row) for row in rows}

    def list_page(self, filter: OrderFilter, limit: int, offset: int = 0) -> list[RampOrder]:
        query = sort_page(apply_filter(select(orders), filter), filter)
        return [
            self._decode(row) for row in self._db.execute(query.limit(limit).offset(offset)).all()
        ]

    def count(self, filter: OrderFilter, max_tested: int) -> Count:
        owner = OwnerFilter(filter.client_id, filter.mode)
        if filter == OrderFilter(owner.client_id, owner.mode, filter.states):
            counts = self.count_by_state(owner)
            return Count(
                sum(n for s, n in counts.items() if not filter.states or s in filter.states)
            )
        # The first ones in the order of an index are tested one by one.
        first = self._db.execute(select_first(filter).limit(max_tested)).scalars().all()
        query = apply_filter(select(func.count()).select_from(orders), filter)
        n = self._db.execute(query.where(in_values(orders.c.id, first))).scalar_one()
        return Count(int(n), len(first) == max_tested)

    def count_by_state(self, owners: OwnerFilter) -> dict[OrderState, int]:
        query = select(order_counts.c.state, func.sum(order_counts.c.total)).group_by(
            order_counts.c.state
        )
        query = query.where(*is_owned(order_counts, owners))
        return {OrderState(state): int(n) for state, n in self._db.execute(query) if n}

    def apply(self, changes: Sequence[OrderChange]) -> None:
        if not changes:
            return
        first: dict[int, RampOrder] = {}
        last: dict[int, RampOrder] = {}
        count_changes: Counter[tuple[str, str, OrderState]] = Counter()
        for change in changes:
            before, after = change.before, change.after
            first.setdefault(before.id, before)
            last[before.id] = after
            if before.state is not after.state:
                for state, n in ((before.state, -1), (after.state, 1)):
                    count_changes[after.client_id, after.mode, state] += n
        seal = sealer(self._db)
        updates = [change_row(first[i], last[i], seal) for i in sorted(last)]
        if execute_each(self._db, UPDATE_ORDER, updates) != len(last):
            raise ConcurrentUpdate("an order moved between lock and write")
        new_transitions = [transition_row(change, seal) for change in changes]
        execute_each(self._db, _ADD_TRANSITION, new_transitions)
        changed = zip(new_transitions, changes, strict=True)
        events = [
            order_event_row(row["event_id"], change.after, change.transfer, seal)
            for row, change in changed
            if adds_event(change)
        ]
        execute_each(self._db, ADD_EVENT, events)
        self._add_counts(count_changes)

    def list_transitions(self, order_id: int) -> list[OrderTransition]:
        query = select(order_transitions).where(order_transitions.c.order_id == order_id)
        return [
            ORDER_TRANSITIONS.decode(row, self._open_text)
            for row in self._db.execute(query.order_by(order_transitions.c.id))
        ]

    def has_due(self, now: datetime) -> bool:
        return bool(fetch(self._db, _FIRST_DUE, {"now": to_micros(now)}))

    def lease_due(self, now: datetime, limit: int, until: datetime) -> list[RampOrder]:
        query = (
            select(orders)
            # A literal, so that the planner uses the partial index.
            .where(text("next_at IS NOT NULL"), orders.c.next_at <= to_micros(now))
            .order_by(orders.c.next_at, orders.c.id)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        due = [replace(self._decode(row), next_at=until) for row in self._db.execute(query).all()]
        if due:
            is_due = in_values(orders.c.id, [order.id for order in due])
            self._db.execute(update(orders).where(is_due).values(next_at=to_micros(until)))
        return due

    def reschedule(self, order_id: int, attempt_count: int, at: datetime | None) -> None:
        next_at = None if at is None else to_micros(at)
        self._db.execute(
            update(orders)
            .where(orders.c.id == order_id)
            .values(attempt_count=attempt_count, next_at=next_at)
        )

    def wake(self, ids: Collection[int], at: datetime) -> None:
        if not ids:
            return
        later = or_(orders.c.next_at.is_(None), orders.c.next_at > to_micros(at))
        self._db.execute(
            update(orders)
            .where(in_values(orders.c.id, sorted(ids)), later)
            .values(next_at=to_micros(at))
        )

    def reset_backoff(self, now: datetime, max_wait: timedelta) -> None:
        self._db.execute(
            update(orders)
            .where(text("next_at IS NOT NULL"), orders.c.next_at > to_micros(now + max_wait))
            .values(next_at=to_micros(now))
        )

    def find_processed_updates(self, provider: str, update_ids: Sequence[str]) -> set[str]:
        if not update_ids:
            return set()
        query = select(processed_updates.c.update_id).where(
            processed_updates.c.provider == provider,
            in_values(processed_updates.c.update_id, update_ids),
        )
        return set(self._db.execute(query).scalars())

    def record_processed_updates(
        self, provider: str, update_ids: Collection[str], at: datetime
    ) -> None:
        rows = [
            {"provider": provider, "update_id": update_id, "at": to_micros(at)}
            for update_id in sorted(update_ids)
        ]
        if rows:
            self._db.execute(_ADD_UPDATES[self._db.dialect.name], rows)

    def _decode(self, row: Any) -> RampOrder:
        return ORDERS.decode(row, self._open_text)

    def _one(self, query: Select[Any]) -> RampOrder | None:
        row = self._db.execute(query).first()
        return None if row is None else self._decode(row)

    def _add_counts(self, changes: Counter[tuple[str, str, OrderState]]) -> None:
        rows = [
            {"client_id": client, "mode": mode, "state": state.value, "total": n}
            for (client, mode, state), n in sorted(changes.items())
            if n
        ]
        if rows:
            self._db.execute(_ADD_COUNTS[self._db.dialect.name], rows)


def adds_event(change: OrderChange) -> bool:
    """Whether a change adds an event to the outbox; a note does not."""
    return change.event is not OrderEvent.NOTED
