"""Closing balances and turnovers of ledger accounts by day."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, and_, insert, select, update

from crossway.domain.ledger import Account, BalanceKey
from crossway.ports.treasury_repository import Turnover
from crossway.storage.tables import account_balances
from crossway.storage.treasury_tables import daily_balances

_BATCH = 5_000
_SAME_ACCOUNT = and_(
    daily_balances.c.account == account_balances.c.account,
    daily_balances.c.chain == account_balances.c.chain,
    daily_balances.c.token == account_balances.c.token,
)


class DailyBalances:
    """The part of `ports.treasury_repository.LedgerRepository` that reads and writes by day."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def get_balances_before(self, day: int) -> dict[BalanceKey, int]:
        """One index look-up for each account, however many days and postings there are."""
        newest = (
            select(daily_balances.c.balance)
            .where(_SAME_ACCOUNT, daily_balances.c.day < day)
            .order_by(daily_balances.c.day.desc())
            .limit(1)
            .correlate(account_balances)
            .scalar_subquery()
        )
        names = (account_balances.c.account, account_balances.c.chain, account_balances.c.token)
        rows = self._db.execute(select(*names, newest.label("balance")))
        return {(Account(a), chain, token): int(units or 0) for a, chain, token, units in rows}

    def get_turnovers(self, account: Account, first_day: int) -> dict[BalanceKey, Turnover]:
        query = (
            select(daily_balances)
            .join_from(
                account_balances,
                daily_balances,
                and_(_SAME_ACCOUNT, daily_balances.c.day >= first_day),
            )
            .where(account_balances.c.account == account.value)
        )
        totals: dict[BalanceKey, list[int]] = defaultdict(lambda: [0, 0])
        for row in self._db.execute(query):
            total = totals[Account(row.account), row.chain, row.token]
            total[0] += int(row.debits)
            total[1] += int(row.credits)
        return {key: Turnover(*total) for key, total in totals.items()}

    def sum_credits(self, key: BalanceKey, first_day: int) -> int:
        return sum(int(row.credits) for row in self._db.execute(_days_since(key, first_day)))

    def add_to_past_day(self, changed: Mapping[BalanceKey, tuple[int, int]], day: int) -> None:
        """Add to a day that is not the newest, and to the balances of later days."""
        for key, (debits, credits) in changed.items():
            rows = list(self._db.execute(_days_since(key, day)))
            if not rows or rows[0].day != day:
                before = self._db.scalar(_balance_before(key, day)) or "0"
                self._insert_day(key, day, debits, credits, int(before) + debits - credits)
            for row in rows:
                more = (debits, credits) if row.day == day else (0, 0)
                self._db.execute(
                    update(daily_balances)
                    .where(*_is_account(key), daily_balances.c.day == row.day)
                    .values(
                        debits=str(int(row.debits) + more[0]),
                        credits=str(int(row.credits) + more[1]),
                        balance=str(int(row.balance) + debits - credits),
                    )
                )

    def _insert_day(self, key: BalanceKey, day: int, debits: int, credits: int, units: int) -> None:
        self._db.execute(insert(daily_balances).values(_row(key, day, debits, credits, units)))


def _row(key: BalanceKey, day: int, debits: int, credits: int, units: int) -> dict[str, Any]:
    account, chain, token = key
    account_key = {"account": account.value, "chain": chain, "token": token, "day": day}
    return account_key | {"debits": str(debits), "credits": str(credits), "balance": str(units)}


def _is_account(key: BalanceKey) -> tuple[Any, ...]:
    account, chain, token = key
    return (
        daily_balances.c.account == account.value,
        daily_balances.c.chain == chain,
        daily_balances.c.token == token,
    )


def _days_since(key: BalanceKey, day: int) -> Any:
    return (
        select(daily_balances)
        .where(*_is_account(key), daily_balances.c.day >= day)
        .order_by(daily_balances.c.day)
    )


def _balance_before(key: BalanceKey, day: int) -> Any:
    earlier = select(daily_balances.c.balance).where(*_is_account(key), daily_balances.c.day < day)
    return earlier.order_by(daily_balances.c.day.desc()).limit(1)
