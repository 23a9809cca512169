"""Exact deposits of completed payments by token, hour and day, as text of any length."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Final

from sqlalchemy import Connection, select

from crossway.domain.analytics import Step
from crossway.sql.in_values import in_values
from crossway.storage.analytics_tables import token_deposits
from crossway.storage.bulk_sql import per_dialect
from crossway.storage.figure_rows import HOURS_IN_DAY
from crossway.storage.prepared import execute_each

Deposits = defaultdict[tuple[str, int, str, int], int]
"""Units by mode, hour, symbol and decimals."""
_KEYS: Final = [column.name for column in token_deposits.primary_key]
_SAVE: Final = per_dialect(
    lambda put: put(token_deposits).on_conflict_do_update(
        index_elements=_KEYS, set_={"units": put(token_deposits).excluded.units}
    )
)


def add_deposits(db: Connection, by_hour: Deposits) -> None:
    """Add to the sums by hour and day. The caller holds the lock of the figures."""
    _add(db, Step.HOUR, by_hour)
    by_day: Deposits = defaultdict(int)
    for (mode, hour, symbol, decimals), units in by_hour.items():
        by_day[mode, hour // HOURS_IN_DAY, symbol, decimals] += units
    _add(db, Step.DAY, by_day)


def _add(db: Connection, span: Step, more: Mapping[tuple[str, int, str, int], int]) -> None:
    if not more:
        return
    c = token_deposits.c
    numbers = {number for _, number, _, _ in more}
    query = select(token_deposits).where(c.span == span.value, in_values(c.number, numbers))
    units = {tuple(key): int(total) for _, *key, total in db.execute(query)}
    rows = [
        dict(zip(_KEYS, (span.value, *key), strict=True))
        | {"units": str(units.get(key, 0) + added)}
        for key, added in more.items()
    ]
    execute_each(db, _SAVE[db.dialect.name], rows)
