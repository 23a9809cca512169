"""Sums over a period from the sums by hour and day: whole days, and the hours around them."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any, Final, TypeVar

from sqlalchemy import ColumnElement, Connection, Select, Table, func, select

from crossway.domain.analytics import AnalyticsPeriod, Dimension, Measures, Step
from crossway.domain.clients import Mode
from crossway.ports.analytics import AnalyticsQuery, TokenAmount
from crossway.storage.analytics_tables import (
    group_figures,
    group_network_fees,
    route_durations,
    token_deposits,
)
from crossway.storage.figure_rows import HOURS_IN_DAY, MICROS_IN_HOUR, start_of_hour
from crossway.storage.measure_sums import NO_TOTALS, TOTALS, MeasureSums
from crossway.storage.row_mapper import to_micros

_AMOUNT: Final = ("whole", "rest")
_MODES: Final = [mode.value for mode in Mode]
Range = tuple[Step, int, int]
K = TypeVar("K")


class PeriodSums:
    """The sums of one query: over its whole days, and over the hours before and after them."""

    def __init__(self, db: Connection, query: AnalyticsQuery) -> None:
        self._db, self._query = db, query
        self._ranges = _split_period(query.period)

    def measure(
        self, dimension: Dimension, key_of: Callable[[str], K], value: str | None = None
    ) -> dict[K, Measures]:
        """The measures of each group of a dimension, or of one, by the key of its value."""
        return self._measure(dimension, "value", lambda _, name: key_of(name), self._ranges, value)

    def measure_series(
        self, dimension: Dimension = Dimension.ALL, value: str | None = None
    ) -> dict[datetime, Measures]:
        """The measures by step: of all payments, or of one group of a dimension."""
        if self._query.step is Step.DAY:
            return self._measure(dimension, "number", _start_of_day, self._ranges, value)
        hours = [(Step.HOUR, *_hours_of(self._query.period))]
        return self._measure(dimension, "number", _start_of_hour, hours, value)

    def count_durations(self) -> dict[tuple[str, int], int]:
        """Completed payments by route and bucket."""
        counts: dict[tuple[str, int], int] = defaultdict(int)
        keys = ("value", "bucket")
        for _, route, bucket, n in self._read(route_durations, keys, ("payments",), self._ranges):
            counts[route, bucket] += int(n)
        return counts

    def sum_deposits(self) -> list[TokenAmount]:
        """The deposits of completed payments by token and decimals."""
        sums: dict[tuple[str, int], int] = defaultdict(int)
        c = token_deposits.c
        columns = [c.symbol, c.decimals, c.units]
        for _, query in self._select(token_deposits, columns, self._ranges):
            for symbol, decimals, units in self._db.execute(query):
                sums[symbol, decimals] += int(units)
        return [TokenAmount(*token, units) for token, units in sums.items()]

    def _measure(
        self,
        dimension: Dimension,
        by: str,
        key_of: Callable[[Step, Any], K],
        ranges: Sequence[Range],
        value: str | None = None,
    ) -> dict[K, Measures]:
        sums, group = MeasureSums[K](), (dimension, value)
        for step, key, *totals in self._read(group_figures, (by,), TOTALS, ranges, group):
            sums.add(key_of(step, key), totals)
        keys = (by, "chain")
        for step, key, chain, whole, rest in self._read(
            group_network_fees, keys, _AMOUNT, ranges, group
        ):
            sums.add(key_of(step, key), NO_TOTALS, [(chain, whole, rest)])
        return sums.measures()

    def _read(
        self,
        table: Table,
        keys: Sequence[str],
        totals: Sequence[str],
        ranges: Sequence[Range],
        group: tuple[Dimension, str | None] | None = None,
    ) -> Iterator[tuple[Any, ...]]:
        """The step of a range, the keys, and the sums of the totals in that range."""
        columns = [table.c[key] for key in keys]
        sums = [func.sum(table.c[name]) for name in totals]
        for step, query in self._select(table, [*columns, *sums], ranges):
            if group is not None:
                query = query.where(table.c.dimension == group[0].value)
            if group is not None and group[1] is not None:
                query = query.where(table.c.value == group[1])
            for row in self._db.execute(query.group_by(*columns)):
                yield step, *row

    def _select(
        self, table: Table, columns: Sequence[ColumnElement[Any]], ranges: Sequence[Range]
    ) -> Iterator[tuple[Step, Select[Any]]]:
        """The step and the query of each range."""
        c, mode = table.c, self._query.mode
        modes = _MODES if mode is None else [mode.value]
        for step, first, end in ranges:
            within = c.mode.in_(modes), c.span == step.value, c.number >= first, c.number < end
            yield step, select(*columns).where(*within)


def _hours_of(period: AnalyticsPeriod) -> tuple[int, int]:
    """The first hour of a period, and the hour after its last, counted from 1970."""
    return to_micros(period.start) // MICROS_IN_HOUR, -(-to_micros(period.end) // MICROS_IN_HOUR)


def _split_period(period: AnalyticsPeriod) -> list[Range]:
    """The whole days of a period, and the hours that it has before and after them."""
    first, end = _hours_of(period)
    first_day, end_day = -(-first // HOURS_IN_DAY), end // HOURS_IN_DAY
    if first_day >= end_day:
        return [(Step.HOUR, first, end)]
    ranges = [
        (Step.HOUR, first, first_day * HOURS_IN_DAY),
        (Step.DAY, first_day, end_day),
        (Step.HOUR, end_day * HOURS_IN_DAY, end),
    ]
    return [of for of in ranges if of[1] < of[2]]


def _start_of_hour(_: Step, hour: int) -> datetime:
    return start_of_hour(hour)


def _start_of_day(step: Step, number: int) -> datetime:
    """The beginning of the day of an hour or a day."""
    day = number if step is Step.DAY else number // HOURS_IN_DAY
    return start_of_hour(day * HOURS_IN_DAY)
