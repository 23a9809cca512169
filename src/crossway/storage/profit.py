"""Prices of the ledger by the hour, and the daily results counted with them."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Connection, bindparam, select, update

from crossway.domain.ledger import Posting
from crossway.domain.profit_and_loss import Group, Origin, ProfitLine, Result
from crossway.ports.profit_repository import HourlyPrices
from crossway.ports.treasury_repository import StoredPosting
from crossway.sql.in_values import in_values, within
from crossway.storage.bulk_sql import insert_into, per_dialect
from crossway.storage.ledger import IS_ARRIVAL, POSTINGS
from crossway.storage.prepared import execute_each, fetch
from crossway.storage.profit_tables import daily_results, ledger_prices, profit_progress
from crossway.storage.row_mapper import from_micros
from crossway.storage.tables import postings

_KEYS: Final = tuple(column.name for column in daily_results.primary_key)
_TOTALS: Final = ("units", "nano_usd", "unpriced")
_SAVE: Final = per_dialect(
    lambda put: put(daily_results).on_conflict_do_update(
        index_elements=list(_KEYS),
        set_={name: put(daily_results).excluded[name] for name in _TOTALS},
    )
)
_UNCOUNTED: Final = (
    select(postings)
    .where(postings.c.id > bindparam("counted_to"), postings.c.id <= bindparam("last_id"))
    .order_by(postings.c.id)
    .limit(bindparam("limit"))
)
_AT: Final = list(postings.columns.keys()).index("at")
_OF_OWNERS: Final = (
    select(postings)
    .where(within(postings.c.intent_id, "owners"), ~IS_ARRIVAL)
    .order_by(postings.c.id)
)
_ROW: Final = 1
Key = tuple[Any, ...]


class SqlProfit:
    """`ports.profit_repository.ProfitRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def has_prices(self, hour: int) -> bool:
        query = select(ledger_prices.c.hour).where(ledger_prices.c.hour == hour)
        return self._db.scalar(query.limit(1)) is not None

    def record_prices(self, hour: int, pico_usd: Mapping[str, int]) -> None:
        rows = [
            {"hour": hour, "symbol": symbol, "pico_usd": str(price)}
            for symbol, price in sorted(pico_usd.items())
        ]
        if rows:
            self._db.execute(insert_into(self._db, ledger_prices).on_conflict_do_nothing(), rows)

    def get_prices(self, hours: Collection[int]) -> HourlyPrices:
        query = select(ledger_prices).where(in_values(ledger_prices.c.hour, hours))
        return {(row.hour, row.symbol): int(row.pico_usd) for row in self._db.execute(query)}

    def counted_to(self) -> int:
        return int(self._db.scalar(select(profit_progress.c.posting_id)) or 0)

    def list_uncounted(self, last_id: int, limit: int) -> list[StoredPosting]:
        of = {"counted_to": self.counted_to(), "last_id": last_id, "limit": limit}
        return [
            StoredPosting(row[0], from_micros(row[_AT]), POSTINGS.decode(row))
            for row in fetch(self._db, _UNCOUNTED, of)
        ]

    def list_of_owners(self, owners: Collection[int]) -> dict[int, list[Posting]]:
        found = defaultdict[int, list[Posting]](list)
        for posting in map(POSTINGS.decode, fetch(self._db, _OF_OWNERS, {"owners": owners})):
            found[posting.intent_id].append(posting)
        return found

    def add(self, results: Sequence[Result], before: int, after: int) -> bool:
        if not self._advance(before, after):
            return False
        # Whoever advances next waits until this is stored, so that nobody else adds meanwhile.
        totals = {key: list(of) for key, of in self._get({r.day for r in results}).items()}
        changed = {}
        for result in results:
            key = _key(result)
            total = changed[key] = totals.setdefault(key, [0, 0, 0])
            for index, more in enumerate((result.units, result.nano_usd, result.unpriced)):
                total[index] += more
        rows = [
            dict(zip((*_KEYS, *_TOTALS), (*key, *map(str, total)), strict=True))
            for key, total in sorted(changed.items())
        ]
        execute_each(self._db, _SAVE[self._db.dialect.name], rows)
        return True

    def list_days(self, first: int, last: int) -> list[Result]:
        days = daily_results.c.day.between(first, last)
        return [_result(row) for row in self._db.execute(select(daily_results).where(days))]

    def _advance(self, before: int, after: int) -> bool:
        values = {"id": _ROW, "posting_id": after}
        if before == 0:
            start = insert_into(self._db, profit_progress).on_conflict_do_nothing()
            if self._db.execute(start.returning(profit_progress.c.id), values).first():
                return True
        moved = update(profit_progress).where(profit_progress.c.posting_id == before)
        return self._db.execute(moved.values(posting_id=after)).rowcount == 1

    def _get(self, days: Collection[int]) -> dict[Key, tuple[int, int, int]]:
        query = select(daily_results).where(in_values(daily_results.c.day, days))
        found = (_result(row) for row in self._db.execute(query))
        return {_key(r): (r.units, r.nano_usd, r.unpriced) for r in found}


def _key(result: Result) -> Key:
    group = result.group
    parties = (group.client_id, group.mode, group.source, group.destination, group.bridge)
    line, origin = result.line.value, group.origin.value
    return result.day, line, result.chain, result.token, origin, *parties


def _result(row: Any) -> Result:
    parties = (row.client_id, row.mode, row.source, row.destination, row.bridge)
    group = Group(Origin(row.origin), *parties)
    totals = (int(getattr(row, name)) for name in _TOTALS)
    return Result(row.day, ProfitLine(row.line), row.chain, row.token, group, *totals)
