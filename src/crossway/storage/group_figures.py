"""Adds the figures of payments to the sums of their groups by hour and day."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from operator import add
from typing import Any, Final

from sqlalchemy import Connection, Table

from crossway.domain.analytics import Step
from crossway.domain.payment_figures import PaymentFigures
from crossway.storage.analytics_tables import group_figures, group_network_fees, route_durations
from crossway.storage.bulk_sql import per_dialect
from crossway.storage.figure_rows import HOURS_IN_DAY, UNITS
from crossway.storage.measure_sums import TOTALS, split_amounts
from crossway.storage.prepared import execute_each
from crossway.storage.token_deposits import Deposits, add_deposits

_AMOUNT: Final = ("whole", "rest")
Key = tuple[Any, ...]
Sums = defaultdict[Key, list[int]]


def _adding(table: Table, totals: Iterable[str]) -> Any:
    """The statement that adds to the totals of a row, or inserts it."""
    return per_dialect(
        lambda insert_into: insert_into(table).on_conflict_do_update(
            index_elements=[column.name for column in table.primary_key],
            set_={name: table.c[name] + insert_into(table).excluded[name] for name in totals},
        )
    )


class _SumTable:
    """A table of sums by hour and day: adds differences by hour to the rows of both."""

    def __init__(self, table: Table, totals: tuple[str, ...]) -> None:
        keys = [column.name for column in table.primary_key]
        self._names = [*keys, *totals]
        self._span, self._number = keys.index("span"), keys.index("number")
        self._statement = _adding(table, totals)

    def add(self, db: Connection, by_hour: Sums) -> None:
        """Add to the sums; keys hold the primary key, with the hour as its number."""
        by_span: Sums = defaultdict(lambda: [0] * len(next(iter(by_hour.values()))))
        for key, totals in by_hour.items():
            if any(totals):
                for span, number in (
                    (Step.HOUR, key[self._number]),
                    (Step.DAY, key[self._number] // HOURS_IN_DAY),
                ):
                    spanned = list(key)
                    spanned[self._span], spanned[self._number] = span.value, number
                    _add(by_span[tuple(spanned)], totals)
        rows = [dict(zip(self._names, (*key, *of), strict=True)) for key, of in by_span.items()]
        execute_each(db, self._statement[db.dialect.name], rows)


_GROUPS: Final = _SumTable(group_figures, TOTALS)
_NETWORK_FEES: Final = _SumTable(group_network_fees, _AMOUNT)
_DURATIONS: Final = _SumTable(route_durations, ("payments",))


def add_differences(
    db: Connection, changed: Sequence[tuple[PaymentFigures | None, PaymentFigures]]
) -> None:
    """Add what changed from the figures before, None for a new payment, to those after."""
    groups: Sums = defaultdict(lambda: [0] * len(TOTALS))
    network_fees: Sums = defaultdict(lambda: [0, 0])
    durations: Sums = defaultdict(lambda: [0])
    deposits: Deposits = defaultdict(int)
    for pair in changed:
        for payment, sign in zip(pair, (-1, 1), strict=True):
            if payment is None:
                continue
            _add_payment(payment, sign, groups, network_fees)
            if payment.bucket is not None:
                key = ("", payment.mode, payment.hour, payment.route, payment.bucket)
                durations[key][0] += sign
            if payment.deposit_units:
                token = (payment.mode, payment.hour, payment.symbol, payment.decimals)
                deposits[token] += sign * payment.deposit_units
    _GROUPS.add(db, groups)
    _NETWORK_FEES.add(db, network_fees)
    _DURATIONS.add(db, durations)
    add_deposits(db, deposits)


def _add_payment(payment: PaymentFigures, sign: int, groups: Sums, network_fees: Sums) -> None:
    totals = [sign * n for n in split_amounts(payment.counts())]
    fees = {
        chain: [sign * n for n in divmod(units, UNITS)]
        for chain, units in payment.network_fees.items()
    }
    for dimension, value in payment.groups():
        key = (dimension.value, "", payment.mode, payment.hour, value)
        _add(groups[key], totals)
        for chain, units in fees.items():
            _add(network_fees[*key, chain], units)


def _add(totals: list[int], more: list[int]) -> None:
    totals[:] = map(add, totals, more)
