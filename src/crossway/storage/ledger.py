"""The ledger: append-only postings and the account balances derived from them."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, and_, func, insert, literal, or_, select

from crossway.domain.ledger import (
    Account,
    AddressBalance,
    AddressKey,
    BalanceKey,
    Posting,
    turnovers,
)
from crossway.ports.treasury_repository import PostingFilter, StoredPosting, Turnover
from crossway.sql.in_values import in_values, within
from crossway.storage.address_balances import AddressBalances
from crossway.storage.bulk_sql import list_oldest_first, per_dialect
from crossway.storage.daily_balances import DailyBalances
from crossway.storage.prepared import execute_each, fetch
from crossway.storage.row_mapper import RowMapper, from_micros, to_micros
from crossway.storage.tables import account_balances, postings
from crossway.storage.treasury_tables import daily_balances

POSTINGS: Final = RowMapper(Posting, postings)
MICROS_IN_DAY = 86_400_000_000
_BALANCE_COLUMNS = ("balance", "day", "day_debits", "day_credits")
_ACCOUNTS: Final = {account.value: account for account in Account}
_ADD_ACCOUNT = per_dialect(lambda put: put(account_balances).on_conflict_do_nothing())
_BALANCES = (
    select(*(account_balances.c[name] for name in ("account", "chain", "token", *_BALANCE_COLUMNS)))
    .where(within(account_balances.c.chain, "chains"))
    .order_by(account_balances.c.account, account_balances.c.chain, account_balances.c.token)
)
_LOCK_BALANCES = _BALANCES.with_for_update()
_SAVE_BALANCE = per_dialect(
    lambda put: put(account_balances).on_conflict_do_update(
        index_elements=["account", "chain", "token"],
        set_={name: put(account_balances).excluded[name] for name in _BALANCE_COLUMNS},
    )
)
_SAVE_DAY = per_dialect(
    lambda put: put(daily_balances).on_conflict_do_update(
        index_elements=["account", "chain", "token", "day"],
        set_={
            name: put(daily_balances).excluded[name] for name in ("debits", "credits", "balance")
        },
    )
)

_ADD_POSTINGS = insert(postings)
# What others send to an address, however often.
IS_ARRIVAL = and_(
    postings.c.debit.in_([literal(Account.HELD.value), literal(Account.DUST.value)]),
    postings.c.credit.in_([literal(Account.PAYER.value), literal(Account.HELD.value)]),
)


class _Balance(NamedTuple):
    """The balance of an account in units, and the turnover of its newest day."""

    balance: int
    day: int
    day_debits: int
    day_credits: int


class SqlLedger:
    """`ports.treasury_repository.LedgerRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def post(self, batch: Sequence[Posting], at: datetime) -> None:
        batch = [posting for posting in batch if posting.amount]
        if not batch:
            return
        at_micros = to_micros(at)
        execute_each(
            self._db,
            _ADD_POSTINGS,
            [POSTINGS.encode(posting) | {"at": at_micros} for posting in batch],
        )
        self._update_balances(turnovers(batch), at_micros // MICROS_IN_DAY)
        # After the accounts, whose locks keep the postings of others out.
        AddressBalances(self._db).add(batch)

    def list_by_intent(
        self, intent_id: int, newest: int | None = None
    ) -> list[tuple[datetime, Posting]]:
        query = select(postings).where(postings.c.intent_id == intent_id)
        rows = list_oldest_first(self._db, query, postings.c.id, newest, ~IS_ARRIVAL)
        return [(from_micros(row.at), POSTINGS.decode(row)) for row in rows]

    def count_by_intent(self, intent_id: int) -> int:
        query = select(func.count()).select_from(postings)
        return int(self._db.scalar(query.where(postings.c.intent_id == intent_id)) or 0)

    def list_by_tx(self, intent_ids: Collection[int], txs: Collection[str]) -> list[Posting]:
        if not intent_ids:
            return []
        query = select(postings).where(
            in_values(postings.c.intent_id, intent_ids),
            in_values(postings.c.tx, txs),
        )
        return [POSTINGS.decode(row) for row in self._db.execute(query.order_by(postings.c.id))]

    def sum_by_intent(
        self, account: Account, intent_ids: Collection[int], *against: Account
    ) -> dict[int, int]:
        c = postings.c
        is_side = or_(c.debit == account.value, c.credit == account.value)
        query = select(c.intent_id, c.debit, c.amount).where(
            in_values(c.intent_id, intent_ids), is_side
        )
        if against:
            names = [account.value for account in against]
            query = query.where(or_(c.debit.in_(names), c.credit.in_(names)))
        totals: dict[int, int] = {}
        for intent_id, debit, amount in self._db.execute(query) if intent_ids else ():
            signed = int(amount) if debit == account.value else -int(amount)
            totals[intent_id] = totals.get(intent_id, 0) + signed
        return totals

    def get_address_balances(
        self, keys: Collection[AddressKey]
    ) -> dict[AddressKey, AddressBalance]:
        return AddressBalances(self._db).get_many(keys)

    def list_address_balances(self, intent_id: int, limit: int) -> list[AddressBalance]:
        return AddressBalances(self._db).list_of_intent(intent_id, limit)

    def list_misdirected(
        self, intent_ids: Collection[int] | None, limit: int
    ) -> list[AddressBalance]:
        return AddressBalances(self._db).list_misdirected(intent_ids, limit)

    def list_claimable(self, chain: str, from_intent: int, limit: int) -> list[AddressBalance]:
        return AddressBalances(self._db).list_claimable(chain, from_intent, limit)

    def get_balances(
        self, chain: str = "", accounts: Collection[Account] = ()
    ) -> dict[BalanceKey, int]:
        c = account_balances.c
        query = select(c.account, c.chain, c.token, c.balance)
        if chain:
            query = query.where(c.chain == chain)
        if accounts:
            query = query.where(c.account.in_([account.value for account in accounts]))
        return {(Account(r[0]), r[1], r[2]): int(r[3]) for r in self._db.execute(query).all()}

    def list_opened_accounts(self) -> set[BalanceKey]:
        c, equity = postings.c, Account.EQUITY.value
        queries = (
            select(other, c.chain, c.token).where(side == equity).distinct()
            for other, side in ((c.debit, c.credit), (c.credit, c.debit))
        )
        return {(Account(r[0]), r[1], r[2]) for query in queries for r in self._db.execute(query)}

    def get_balances_before(self, day: int) -> dict[BalanceKey, int]:
        return DailyBalances(self._db).get_balances_before(day)

    def sum_moved(self, debit: Account, credit: Account, chain: str, token: str) -> int:
        c = postings.c
        of_token = (c.chain == chain, c.token == token)
        query = select(c.amount).where(c.debit == debit.value, c.credit == credit.value, *of_token)
        return sum(int(amount) for amount in self._db.execute(query).scalars())

    def sum_of_tx(self, account: Account, chain: str, token: str, tx: str, since: datetime) -> int:
        c = postings.c
        of_tx = (c.chain == chain, c.token == token, c.at >= to_micros(since), c.tx == tx)
        debits, credits = (
            sum(map(int, self._db.execute(select(c.amount).where(side, *of_tx)).scalars()))
            for side in (c.debit == account.value, c.credit == account.value)
        )
        return debits - credits

    def sum_credits(self, account: Account, chain: str, token: str, first_day: int) -> int:
        return DailyBalances(self._db).sum_credits((account, chain, token), first_day)

    def get_turnovers(self, account: Account, first_day: int) -> dict[BalanceKey, Turnover]:
        return DailyBalances(self._db).get_turnovers(account, first_day)

    def list_page(self, filter: PostingFilter, limit: int) -> list[StoredPosting]:
        query = select(postings)
        if filter.first_day is not None:
            query = query.where(postings.c.at >= filter.first_day * MICROS_IN_DAY)
        if filter.last_day is not None:
            query = query.where(postings.c.at < (filter.last_day + 1) * MICROS_IN_DAY)
        oldest_first = filter.after_id is not None
        if (key := self._page_start(filter)) is not None:
            query = query.where(key)
        posting_by_id = {
            row.id: StoredPosting(row.id, from_micros(row.at), POSTINGS.decode(row))
            for side in _account_conditions(filter.balance_key)
            for row in self._db.execute(_ordered(query.where(*side), oldest_first).limit(limit))
        }
        ordered = sorted(
            posting_by_id.values(),
            key=lambda posting: (posting.at, posting.id),
            reverse=not oldest_first,
        )
        return ordered[:limit]

    def _page_start(self, filter: PostingFilter) -> ColumnElement[bool] | None:
        """The condition at which a page begins: postings are ordered by time, then id."""
        number = filter.after_id or filter.before_id
        if number is None or filter.after_id == 0:
            return None
        at = self._db.scalar(select(postings.c.at).where(postings.c.id == number)) or 0
        if filter.after_id is not None:
            same = and_(postings.c.at == at, postings.c.id > number)
            return and_(postings.c.at >= at, or_(postings.c.at > at, same))
        same = and_(postings.c.at == at, postings.c.id < number)
        return and_(postings.c.at <= at, or_(postings.c.at < at, same))

    def _update_balances(self, changed: dict[BalanceKey, tuple[int, int]], day: int) -> None:
        """Add to the stored balances; rows are locked in one order, so writers never deadlock."""
        keys = sorted(changed)
        chains = {chain for _, chain, _ in keys}
        dialect = self._db.dialect.name
        current = self._fetch_balances(_BALANCES, chains)
        new = [key for key in keys if key not in current]
        if new:
            # Before any is locked: this waits for others that add the same accounts.
            rows = [{"account": a.value, "chain": c, "token": t, "balance": "0"} for a, c, t in new]
            execute_each(self._db, _ADD_ACCOUNT[dialect], rows)
        if new or dialect != "sqlite":
            current = self._fetch_balances(_LOCK_BALANCES, chains)
        balances = [_new_balance(key, current[key], *changed[key], day) for key in keys]
        execute_each(self._db, _SAVE_BALANCE[dialect], balances)
        on_time = [row for row in balances if row["day"] == day]
        if on_time:
            days = [_daily_row(row) for row in on_time]
            execute_each(self._db, _SAVE_DAY[dialect], days)
        late_changes = {key: changed[key] for key in keys if current[key].day > day}
        if late_changes:
            # The clock went back, or another process was first: later days change too.
            DailyBalances(self._db).add_to_past_day(late_changes, day)

    def _fetch_balances(
        self, query: Select[Any], chains: Collection[str]
    ) -> dict[BalanceKey, _Balance]:
        rows = fetch(self._db, query, {"chains": chains})
        return {
            (_ACCOUNTS[account], chain, token): _Balance(
                int(balance), day, int(debits), int(credits)
            )
            for account, chain, token, balance, day, debits, credits in rows
        }


def _new_balance(
    key: BalanceKey, row: _Balance, debits: int, credits: int, day: int
) -> dict[str, Any]:
    """The new balance row of an account; the turnover of a new day starts at zero."""
    of_day = (0, 0) if row.day < day else (row.day_debits, row.day_credits)
    if row.day <= day:
        of_day = (of_day[0] + debits, of_day[1] + credits)
    return {
        "account": key[0].value,
        "chain": key[1],
        "token": key[2],
        "balance": str(row.balance + debits - credits),
        "day": max(row.day, day),
        "day_debits": str(of_day[0]),
        "day_credits": str(of_day[1]),
    }


def _daily_row(row: dict[str, Any]) -> dict[str, Any]:
    key = {name: row[name] for name in ("account", "chain", "token", "day", "balance")}
    return key | {"debits": row["day_debits"], "credits": row["day_credits"]}


def _account_conditions(key: BalanceKey | None) -> list[tuple[ColumnElement[bool], ...]]:
    """The conditions for the debits and for the credits of an account, each with its index."""
    if key is None:
        return [()]
    account, chain, token = key
    of_token = (postings.c.chain == chain, postings.c.token == token)
    return [(side == account.value, *of_token) for side in (postings.c.debit, postings.c.credit)]


def _ordered(query: Select[Any], oldest_first: bool) -> Select[Any]:
    if oldest_first:
        return query.order_by(postings.c.at, postings.c.id)
    return query.order_by(postings.c.at.desc(), postings.c.id.desc())
