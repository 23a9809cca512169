"""The books day by day: what accounts stood at when a day began, and what was posted since."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, and_, insert, inspect, select, update

from crossway.domain.ledger import Account, BalanceKey
from crossway.ports.treasury_records import Turnover
from crossway.storage.sets import batches
from crossway.storage.tables import book_balances, postings
from crossway.storage.treasury_tables import book_days

_BATCH = 5_000
_MICROS_IN_DAY = 86_400_000_000
_SAME = and_(
    book_days.c.account == book_balances.c.account,
    book_days.c.chain == book_balances.c.chain,
    book_days.c.token == book_balances.c.token,
)


class Days:
    """The part of `ports.treasury_records.BookRecords` that is asked by the day."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def balances_before(self, day: int) -> dict[BalanceKey, int]:
        """One look by index for each account, however many days and postings there are."""
        newest = (
            select(book_days.c.units)
            .where(_SAME, book_days.c.day < day)
            .order_by(book_days.c.day.desc())
            .limit(1)
            .correlate(book_balances)
            .scalar_subquery()
        )
        names = (book_balances.c.account, book_balances.c.chain, book_balances.c.token)
        rows = self._db.execute(select(*names, newest.label("units")))
        return {(Account(a), chain, token): int(units or 0) for a, chain, token, units in rows}

    def turnovers(self, account: Account, first_day: int) -> dict[BalanceKey, Turnover]:
        query = (
            select(book_days)
            .join_from(book_balances, book_days, and_(_SAME, book_days.c.day >= first_day))
            .where(book_balances.c.account == account.value)
        )
        totals: dict[BalanceKey, list[int]] = defaultdict(lambda: [0, 0])
        for row in self._db.execute(query):
            total = totals[Account(row.account), row.chain, row.token]
            total[0] += int(row.debits)
            total[1] += int(row.credits)
        return {key: Turnover(*total) for key, total in totals.items()}

    def book_late(self, changed: Mapping[BalanceKey, tuple[int, int]], day: int) -> None:
        """Add to a day that has later ones, and to what those stood at."""
        for key, (debits, credits) in changed.items():
            rows = list(self._db.execute(_since(key, day)))
            if not rows or rows[0].day != day:
                before = self._db.scalar(_stood_before(key, day)) or "0"
                self._put(key, day, debits, credits, int(before) + debits - credits)
            for row in rows:
                more = (debits, credits) if row.day == day else (0, 0)
                self._db.execute(
                    update(book_days)
                    .where(*_place(key), book_days.c.day == row.day)
                    .values(
                        debits=str(int(row.debits) + more[0]),
                        credits=str(int(row.credits) + more[1]),
                        units=str(int(row.units) + debits - credits),
                    )
                )

    def _put(self, key: BalanceKey, day: int, debits: int, credits: int, units: int) -> None:
        self._db.execute(insert(book_days).values(_row(key, day, debits, credits, units)))


def count_days(db: Connection) -> None:
    """The days of books that were kept before there were any, from their postings; else nothing.
    Run once, when the tables are brought up to date."""
    if not inspect(db).has_table(book_days.name):
        return  # A draft of the migration that makes it is being written.
    if db.scalar(select(book_days.c.day).limit(1)) is not None:
        return
    days: dict[int, dict[BalanceKey, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    for row in db.execute(select(postings)):
        on, units = days[row.at // _MICROS_IN_DAY], int(row.units)
        on[Account(row.debit), row.chain, row.token][0] += units
        on[Account(row.credit), row.chain, row.token][1] += units
    stands: dict[BalanceKey, int] = defaultdict(int)
    last: dict[BalanceKey, dict[str, Any]] = {}
    for batch in batches(_closings(days, stands, last), _BATCH):
        db.execute(insert(book_days), batch)
    for key, closing in last.items():
        db.execute(
            update(book_balances)
            .where(
                book_balances.c.account == key[0].value,
                book_balances.c.chain == key[1],
                book_balances.c.token == key[2],
            )
            .values(
                day=closing["day"], day_debits=closing["debits"], day_credits=closing["credits"]
            )
        )


def _closings(
    days: Mapping[int, Mapping[BalanceKey, list[int]]],
    stands: dict[BalanceKey, int],
    last: dict[BalanceKey, dict[str, Any]],
) -> Iterable[dict[str, Any]]:
    for day in sorted(days):
        for key, (debits, credits) in days[day].items():
            stands[key] += debits - credits
            last[key] = _row(key, day, debits, credits, stands[key])
            yield last[key]


def _row(key: BalanceKey, day: int, debits: int, credits: int, units: int) -> dict[str, Any]:
    account, chain, token = key
    place = {"account": account.value, "chain": chain, "token": token, "day": day}
    return place | {"debits": str(debits), "credits": str(credits), "units": str(units)}


def _place(key: BalanceKey) -> tuple[Any, ...]:
    account, chain, token = key
    return (
        book_days.c.account == account.value,
        book_days.c.chain == chain,
        book_days.c.token == token,
    )


def _since(key: BalanceKey, day: int) -> Any:
    return select(book_days).where(*_place(key), book_days.c.day >= day).order_by(book_days.c.day)


def _stood_before(key: BalanceKey, day: int) -> Any:
    earlier = select(book_days.c.units).where(*_place(key), book_days.c.day < day)
    return earlier.order_by(book_days.c.day.desc()).limit(1)
