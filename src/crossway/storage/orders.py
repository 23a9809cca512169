"""Ramp orders as stored: their rows, their counts, their history and the reports about them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from sqlalchemy import (
    Connection,
    Select,
    and_,
    bindparam,
    func,
    insert,
    or_,
    select,
    text,
    union_all,
    update,
)

from crossway.domain.ramps import OrderEvent, OrderState, ProviderName, RampOrder
from crossway.ports.ramp_records import OrderChange, OrderFilter, OrderMove
from crossway.storage.announcements import announce
from crossway.storage.intents import LostRace
from crossway.storage.order_rows import (
    FIXED,
    announced,
    change_row,
    move_of,
    move_row,
    order_of,
    order_row,
)
from crossway.storage.ramp_tables import order_counts, order_moves, order_reports, orders
from crossway.storage.rows import micros
from crossway.storage.sets import among, for_each_database, once_a_row

_ADD = insert(orders).returning(orders.c.id)
_ADD_MOVE = insert(order_moves)
_STORE = (
    update(orders)
    .where(
        orders.c.id == bindparam("b_id"),
        orders.c.state == bindparam("b_before"),
        orders.c.errand == bindparam("b_errand_before"),
    )
    .values({c: bindparam(f"b_{c.name}") for c in orders.c if c.name not in (*FIXED, "id")})
)
_COUNT = for_each_database(
    lambda put: put(order_counts).on_conflict_do_update(
        index_elements=["client_id", "state"],
        set_={"n": order_counts.c.n + put(order_counts).excluded.n},
    )
)
_SEE = for_each_database(lambda put: put(order_reports).on_conflict_do_nothing())
_UNPAID = (OrderState.CANCELLED.value, OrderState.EXPIRED.value, OrderState.REFUNDED.value)


class Orders:
    """`ports.ramp_records.OrderRecords` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def add(self, order: RampOrder) -> RampOrder:
        row = order_row(order)
        order = replace(order, id=int(self._db.execute(_ADD, row).scalar_one()))
        made = {
            "event_id": f"evt_{uuid4().hex}",
            "order_id": order.id,
            "at": row["created_at"],
            "event": "CREATED",
            "from_state": None,
            "to_state": order.state.value,
            "note": "",
        }
        self._db.execute(_ADD_MOVE, made)
        announce(self._db, [announced(str(made["event_id"]), order)])
        self._count({(order.client_id, order.state): 1})
        return order

    def get(self, order_id: int) -> RampOrder | None:
        return self._one(select(orders).where(orders.c.id == order_id))

    def by_intent(self, address: str) -> RampOrder | None:
        if not address:
            return None
        return self._one(select(orders).where(orders.c.intent_address == address))

    def by_provider(self, provider: str, references: Collection[str]) -> dict[str, int]:
        query = select(orders.c.provider_reference, orders.c.id).where(
            orders.c.provider == provider,
            # Written out, so that the planner sees the partial index.
            text("provider_reference <> ''"),
            among(self._db, orders.c.provider_reference, references),
        )
        return {row[0]: row[1] for row in self._db.execute(query)} if references else {}

    def lock(self, ids: Collection[int]) -> dict[int, RampOrder]:
        if not ids:
            return {}
        query = select(orders).where(among(self._db, orders.c.id, ids))
        rows = self._db.execute(query.order_by(orders.c.id).with_for_update()).all()
        return {row.id: order_of(row) for row in rows}

    def page(self, wanted: OrderFilter, limit: int, offset: int = 0) -> list[RampOrder]:
        query = _filtered(select(orders), wanted).order_by(orders.c.id.desc())
        return [order_of(row) for row in self._db.execute(query.limit(limit).offset(offset)).all()]

    def count(self, wanted: OrderFilter) -> int:
        if wanted == OrderFilter(client_id=wanted.client_id, states=wanted.states):
            counts = self.counts(wanted.client_id)
            return sum(n for s, n in counts.items() if not wanted.states or s in wanted.states)
        found = self._db.execute(_filtered(select(func.count()).select_from(orders), wanted))
        return int(found.scalar_one())

    def counts(self, client_id: str | None = None) -> dict[OrderState, int]:
        query = select(order_counts.c.state, func.sum(order_counts.c.n)).group_by(
            order_counts.c.state
        )
        if client_id is not None:
            query = query.where(order_counts.c.client_id == client_id)
        return {OrderState(state): int(n) for state, n in self._db.execute(query) if n}

    def apply(self, changes: Sequence[OrderChange]) -> None:
        if not changes:
            return
        first: dict[int, RampOrder] = {}
        last: dict[int, RampOrder] = {}
        counted: dict[tuple[str, OrderState], int] = {}
        for change in changes:
            before, after = change.before, change.after
            first.setdefault(before.id, before)
            last[before.id] = after
            if before.state is not after.state:
                for state, n in ((before.state, -1), (after.state, 1)):
                    counted[after.client_id, state] = counted.get((after.client_id, state), 0) + n
        stored = [change_row(first[i], last[i]) for i in sorted(last)]
        if once_a_row(self._db, _STORE, stored) != len(last):
            raise LostRace("an order moved between lock and write")
        history = [move_row(change) for change in changes]
        once_a_row(self._db, _ADD_MOVE, history)
        told = zip(history, changes, strict=True)
        announce(
            self._db,
            [announced(row["event_id"], one.after) for row, one in told if announces(one)],
        )
        self._count(counted)

    def moves(self, order_id: int) -> list[OrderMove]:
        query = select(order_moves).where(order_moves.c.order_id == order_id)
        return [move_of(row) for row in self._db.execute(query.order_by(order_moves.c.id))]

    def has_due(self, now: datetime) -> bool:
        due = (text("next_at IS NOT NULL"), orders.c.next_at <= micros(now))
        return self._db.execute(select(orders.c.id).where(*due).limit(1)).first() is not None

    def due(self, now: datetime, limit: int, until: datetime) -> list[RampOrder]:
        query = (
            select(orders)
            # Written out, so that the planner sees the partial index.
            .where(text("next_at IS NOT NULL"), orders.c.next_at <= micros(now))
            .order_by(orders.c.next_at, orders.c.id)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        found = [replace(order_of(row), next_at=until) for row in self._db.execute(query).all()]
        if found:
            taken = among(self._db, orders.c.id, [order.id for order in found])
            self._db.execute(update(orders).where(taken).values(next_at=micros(until)))
        return found

    def put_off(self, order_id: int, tries: int, at: datetime | None) -> None:
        when = None if at is None else micros(at)
        self._db.execute(
            update(orders).where(orders.c.id == order_id).values(tries=tries, next_at=when)
        )

    def wake(self, ids: Collection[int], at: datetime) -> None:
        if not ids:
            return
        later = or_(orders.c.next_at.is_(None), orders.c.next_at > micros(at))
        self._db.execute(
            update(orders)
            .where(among(self._db, orders.c.id, sorted(ids)), later)
            .values(next_at=micros(at))
        )

    def hurry(self, now: datetime, most: timedelta) -> None:
        self._db.execute(
            update(orders)
            .where(text("next_at IS NOT NULL"), orders.c.next_at > micros(now + most))
            .values(next_at=micros(now))
        )

    def seen(self, provider: str, report_ids: Sequence[str]) -> set[str]:
        if not report_ids:
            return set()
        query = select(order_reports.c.report_id).where(
            order_reports.c.provider == provider,
            among(self._db, order_reports.c.report_id, report_ids),
        )
        return set(self._db.execute(query).scalars())

    def see(self, provider: str, order_id: int, reports: Mapping[str, str], at: datetime) -> None:
        rows = [
            {
                "provider": provider,
                "report_id": report_id,
                "order_id": order_id,
                "outcome": outcome,
                "at": micros(at),
            }
            for report_id, outcome in sorted(reports.items())
        ]
        if rows:
            self._db.execute(_SEE[self._db.dialect.name], rows)

    def used_micro_usd(self, person_id: str, provider: str, since: datetime) -> int:
        c = orders.c
        never_paid = and_(c.state == OrderState.FAILED.value, c.paid_at.is_(None))
        query = select(func.coalesce(func.sum(c.worth_micro_usd), 0)).where(
            c.person_id == person_id,
            c.provider == provider,
            c.created_at >= micros(since),
            c.state.not_in(_UNPAID),
            ~never_paid,
        )
        return int(self._db.execute(query).scalar_one())

    def _one(self, query: Select[Any]) -> RampOrder | None:
        row = self._db.execute(query).first()
        return None if row is None else order_of(row)

    def _count(self, changed: dict[tuple[str, OrderState], int]) -> None:
        rows = [
            {"client_id": client, "state": state.value, "n": n}
            for (client, state), n in sorted(changed.items())
            if n
        ]
        if rows:
            self._db.execute(_COUNT[self._db.dialect.name], rows)


def announces(change: OrderChange) -> bool:
    """Whether a change is told to the outside: what was only noted is not."""
    return change.event is not OrderEvent.NOTED


def _filtered(query: Select[Any], wanted: OrderFilter) -> Select[Any]:
    """The query with every condition that the filter names."""
    c = orders.c
    asked = {
        c.client_id: wanted.client_id,
        c.mode: wanted.mode,
        c.direction: wanted.direction,
        c.provider: wanted.provider,
        c.currency: wanted.currency,
        c.person_id: wanted.person_id,
    }
    query = query.where(*(column == value for column, value in asked.items() if value is not None))
    if wanted.states:
        query = query.where(c.state.in_([state.value for state in wanted.states]))
    if wanted.before_id is not None:
        query = query.where(c.id < wanted.before_id)
    return query.where(_matches(wanted.text)) if wanted.text else query


def _matches(sought: str) -> Any:
    """Any column that identifies an order equals the text; each is asked by its own index."""
    c = orders.c
    exact = (c.reference, c.intent_address, c.sender, c.recipient, c.provider_tx)
    number = int(sought) if sought.isascii() and sought.isdigit() and len(sought) < 18 else -1
    of_provider = select(c.id).where(
        c.provider.in_([name.value for name in ProviderName]),
        # Written out, so that the planner sees the partial index.
        text("provider_reference <> ''"),
        c.provider_reference == sought,
    )
    named = (select(c.id).where(column == sought) for column in exact)
    return c.id.in_(union_all(*named, of_provider, select(c.id).where(c.id == number)))
