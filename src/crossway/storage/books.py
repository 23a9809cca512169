"""The ledger as stored: postings only ever added, and the balances they add up to."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, and_, insert, or_, select

from crossway.domain.ledger import Account, BalanceKey, Posting, turnovers
from crossway.ports.treasury_records import Posted, PostingFilter, Turnover
from crossway.storage.book_days import Days
from crossway.storage.rows import instant, micros
from crossway.storage.sets import among, for_each_database, once_a_row
from crossway.storage.tables import book_balances, postings
from crossway.storage.treasury_tables import book_days

MICROS_IN_DAY = 86_400_000_000
_OPEN = for_each_database(lambda put: put(book_balances).on_conflict_do_nothing())
_CARRIED = ("units", "day", "day_debits", "day_credits")
_CARRY = for_each_database(
    lambda put: put(book_balances).on_conflict_do_update(
        index_elements=["account", "chain", "token"],
        set_={name: put(book_balances).excluded[name] for name in _CARRIED},
    )
)
_CLOSE = for_each_database(
    lambda put: put(book_days).on_conflict_do_update(
        index_elements=["account", "chain", "token", "day"],
        set_={name: put(book_days).excluded[name] for name in ("debits", "credits", "units")},
    )
)

_POST = insert(postings)


class Books:
    """`ports.treasury_records.BookRecords` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def post(self, made: Sequence[Posting], at: datetime) -> None:
        made = [posting for posting in made if posting.units]
        if not made:
            return
        when = micros(at)
        once_a_row(
            self._db,
            _POST,
            [
                {
                    "intent_id": p.intent_id,
                    "chain": p.chain,
                    "token": p.token,
                    "debit": p.debit.value,
                    "credit": p.credit.value,
                    "units": str(p.units),
                    "tx": p.tx,
                    "at": when,
                }
                for p in made
            ],
        )
        self._carry(turnovers(made), when // MICROS_IN_DAY)

    def of(self, intent_id: int) -> list[tuple[datetime, Posting]]:
        query = select(postings).where(postings.c.intent_id == intent_id)
        rows = self._db.execute(query.order_by(postings.c.id))
        return [(instant(row.at), _posting(row)) for row in rows]

    def of_tx(self, intent_ids: Collection[int], txs: Collection[str]) -> list[Posting]:
        if not intent_ids:
            return []
        query = select(postings).where(among(self._db, postings.c.intent_id, intent_ids))
        rows = self._db.execute(query.order_by(postings.c.id))
        return [_posting(row) for row in rows if row.tx in txs]

    def balances(self) -> dict[BalanceKey, int]:
        rows = self._db.execute(select(book_balances))
        return {(Account(r.account), r.chain, r.token): int(r.units) for r in rows}

    def balances_before(self, day: int) -> dict[BalanceKey, int]:
        return Days(self._db).balances_before(day)

    def turnovers(self, account: Account, first_day: int) -> dict[BalanceKey, Turnover]:
        return Days(self._db).turnovers(account, first_day)

    def page(self, wanted: PostingFilter, limit: int) -> list[Posted]:
        query = select(postings)
        if wanted.first_day is not None:
            query = query.where(postings.c.at >= wanted.first_day * MICROS_IN_DAY)
        if wanted.last_day is not None:
            query = query.where(postings.c.at < (wanted.last_day + 1) * MICROS_IN_DAY)
        onwards = wanted.after_id is not None
        if (place := self._begins(wanted)) is not None:
            query = query.where(place)
        found = {
            row.id: Posted(row.id, instant(row.at), _posting(row))
            for side in _sides(wanted.place)
            for row in self._db.execute(_in_order(query.where(*side), onwards).limit(limit))
        }
        ordered = sorted(found.values(), key=lambda p: (p.at, p.id), reverse=not onwards)
        return ordered[:limit]

    def _begins(self, wanted: PostingFilter) -> ColumnElement[bool] | None:
        """Where a page begins: postings are in the order of their time, then of their number."""
        number = wanted.after_id or wanted.before_id
        if number is None or wanted.after_id == 0:
            return None
        at = self._db.scalar(select(postings.c.at).where(postings.c.id == number)) or 0
        if wanted.after_id is not None:
            same = and_(postings.c.at == at, postings.c.id > number)
            return and_(postings.c.at >= at, or_(postings.c.at > at, same))
        same = and_(postings.c.at == at, postings.c.id < number)
        return and_(postings.c.at <= at, or_(postings.c.at < at, same))

    def _carry(self, changed: dict[BalanceKey, tuple[int, int]], day: int) -> None:
        """Add to the stored balances, rows locked in one order so that writers never deadlock."""
        keys = sorted(changed)
        self._db.execute(
            _OPEN[self._db.dialect.name],
            [{"account": a.value, "chain": c, "token": t, "units": "0"} for a, c, t in keys],
        )
        chains = {chain for _, chain, _ in keys}
        query = select(book_balances).where(among(self._db, book_balances.c.chain, chains))
        order = (book_balances.c.account, book_balances.c.chain, book_balances.c.token)
        rows = self._db.execute(query.order_by(*order).with_for_update())
        held = {(Account(r.account), r.chain, r.token): r for r in rows}
        carried = [_carried(key, held[key], *changed[key], day) for key in keys]
        once_a_row(self._db, _CARRY[self._db.dialect.name], carried)
        on_time = [row for row in carried if row["day"] == day]
        if on_time:
            days = [_of_day(row) for row in on_time]
            once_a_row(self._db, _CLOSE[self._db.dialect.name], days)
        late = {key: changed[key] for key in keys if held[key].day > day}
        if late:
            # The clock went back, or another process was first: later days are told, too.
            Days(self._db).book_late(late, day)


def _carried(key: BalanceKey, row: Any, debits: int, credits: int, day: int) -> dict[str, Any]:
    """A balance with what is posted now; a later day than its own begins at nothing."""
    of_day = (0, 0) if row.day < day else (int(row.day_debits), int(row.day_credits))
    if row.day <= day:
        of_day = (of_day[0] + debits, of_day[1] + credits)
    return {
        "account": key[0].value,
        "chain": key[1],
        "token": key[2],
        "units": str(int(row.units) + debits - credits),
        "day": max(row.day, day),
        "day_debits": str(of_day[0]),
        "day_credits": str(of_day[1]),
    }


def _of_day(row: dict[str, Any]) -> dict[str, Any]:
    place = {name: row[name] for name in ("account", "chain", "token", "day", "units")}
    return place | {"debits": row["day_debits"], "credits": row["day_credits"]}


def _sides(place: BalanceKey | None) -> list[tuple[ColumnElement[bool], ...]]:
    """The conditions of the postings to an account: by its debits and by its credits, each of
    which has its index."""
    if place is None:
        return [()]
    account, chain, token = place
    there = (postings.c.chain == chain, postings.c.token == token)
    return [(side == account.value, *there) for side in (postings.c.debit, postings.c.credit)]


def _in_order(query: Select[Any], onwards: bool) -> Select[Any]:
    if onwards:
        return query.order_by(postings.c.at, postings.c.id)
    return query.order_by(postings.c.at.desc(), postings.c.id.desc())


def _posting(row: Any) -> Posting:
    return Posting(
        intent_id=row.intent_id,
        chain=row.chain,
        token=row.token,
        debit=Account(row.debit),
        credit=Account(row.credit),
        units=int(row.units),
        tx=row.tx,
    )
