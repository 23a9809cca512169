"""Sums over single payments that match filters, by their stored figures."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Integer, and_, func, literal_column, select, true

from crossway.domain.analytics import Dimension, FailureCause, Step, route_value
from crossway.domain.filters import FilterSet
from crossway.domain.intent import State
from crossway.domain.payment_figures import count_alike
from crossway.ports.analytics import AnalyticsQuery, PeriodCounts, TokenAmount
from crossway.sql.in_values import in_values
from crossway.storage.analytics_tables import other_network_fees, payment_figures
from crossway.storage.figure_filters import matches
from crossway.storage.figure_rows import HOURS_IN_DAY, UNITS, start_of_hour
from crossway.storage.measure_sums import NO_TOTALS, MeasureSums, split_amounts
from crossway.storage.row_mapper import to_micros

_c = payment_figures.c
_COMPLETED: Final = State.COMPLETED.value
_GROUP_COLUMNS: Final[dict[Dimension, ColumnElement[str]]] = {
    Dimension.MERCHANT: _c.client_id,
    Dimension.BRIDGE: _c.bridge,
    Dimension.TOKEN: _c.symbol,
    Dimension.STATUS: _c.state,
    Dimension.CAUSE: _c.cause,
}
# Literals: PostgreSQL takes expressions with parameters for different ones.
_DAY: Final = _c.hour - _c.hour % literal_column(str(HOURS_IN_DAY), Integer)
# What a count of equal payments depends on, and the sums over them.
_KINDS: Final = (_c.state, _c.deposited, _c.started, _c.underpaid)
_ROUTE: Final = (_c.source_chain, _c.destination_chain)
_SUMS: Final = (
    func.count(),
    func.sum(_c.requested_micro_usd // UNITS),
    func.sum(_c.requested_micro_usd % UNITS),
    func.sum(_c.service_fee_micro_usd),
    func.sum(_c.bridge_fee_micro_usd),
)
_FEES: Final = (
    func.sum(_c.source_fee_whole),
    func.sum(_c.source_fee_rest),
    func.sum(_c.destination_fee_whole),
    func.sum(_c.destination_fee_rest),
)
Fee = tuple[str, int, int]


def count_matching(
    db: Connection, query: AnalyticsQuery, filters: FilterSet, first_id: int, end_id: int
) -> PeriodCounts:
    """See `ports.analytics.AnalyticsRepository.count_matching`."""
    return _Matching(db, query, filters, (first_id, end_id)).count()


class _Matching:
    """The payments with some ids that match a query and its filters."""

    def __init__(
        self, db: Connection, query: AnalyticsQuery, filters: FilterSet, ids: tuple[int, int]
    ) -> None:
        self._db, self._dimension, self._ids = db, query.dimension, ids
        start, end = to_micros(query.period.start), to_micros(query.period.end)
        self._matching = and_(
            *(_c.intent_id >= ids[0], _c.intent_id < ids[1], matches(filters)),
            *(_c.created_at >= start, _c.created_at < end),
            true() if query.mode is None else _c.mode == query.mode.value,
        )
        step = _c.hour if query.step is Step.HOUR else _DAY
        # The hour in which a step begins, the cause, and the group if one column has it.
        self._keys = (step, _c.cause, _GROUP_COLUMNS.get(query.dimension, _c.state))

    def count(self) -> PeriodCounts:
        """Their sums."""
        groups, series = MeasureSums[str](), MeasureSums[datetime]()
        causes = MeasureSums[FailureCause]()
        for (hour, cause, value), totals, fees in self._read():
            groups.add(value, totals, fees)
            series.add(start_of_hour(hour), totals, fees)
            if cause:
                causes.add(FailureCause(cause), totals, fees)
        measures = groups.measures()
        if self._dimension is Dimension.CAUSE:
            measures.pop("", None)
        return PeriodCounts(
            groups=measures,
            series=series.measures(),
            durations=self._count_durations(),
            causes=causes.measures(),
            deposits=self._sum_deposits() if self._dimension is Dimension.TOKEN else (),
        )

    def _read(self) -> Iterator[tuple[tuple[int, str, str], Sequence[int], Sequence[Fee]]]:
        """The hour, cause and group, the values of `TOTALS`, and network fees."""
        keys = (*self._keys, *_ROUTE, *_KINDS)
        query = select(*keys, *_SUMS, *_FEES).where(self._matching).group_by(*keys)
        for hour, cause, group, source, destination, *alike, w1, r1, w2, r2 in self._db.execute(
            query
        ):
            fees = ((source, w1, r1), (destination, w2, r2))
            yield (hour, cause, self._value(group, source, destination)), _totals(alike), fees
        yield from self._read_other_fees()

    def _read_other_fees(self) -> Iterator[tuple[tuple[int, str, str], Sequence[int], list[Fee]]]:
        """Network fees on other chains, which few payments have."""
        c = other_network_fees.c
        fees = defaultdict[int, list[Fee]](list)
        query = select(other_network_fees)
        for intent_id, *fee in self._db.execute(
            query.where(c.intent_id >= self._ids[0], c.intent_id < self._ids[1])
        ):
            fees[intent_id].append((fee[0], fee[1], fee[2]))
        if fees:
            keys = select(_c.intent_id, *self._keys, *_ROUTE).where(self._matching)
            for intent_id, hour, cause, *place in self._db.execute(
                keys.where(in_values(_c.intent_id, fees))
            ):
                yield (hour, cause, self._value(*place)), NO_TOTALS, fees[intent_id]

    def _value(self, group: str, source: str, destination: str) -> str:
        if self._dimension is Dimension.ROUTE:
            return route_value(source, destination)
        return "" if self._dimension is Dimension.ALL else group

    def _count_durations(self) -> dict[tuple[str, int], int]:
        # Numbers first: they are compared faster.
        keys = (_c.bucket, *_ROUTE)
        query = select(*keys, func.count()).where(self._matching, _c.state == _COMPLETED)
        return {
            (route_value(source, destination), bucket): n
            for bucket, source, destination, n in self._db.execute(query.group_by(*keys))
        }

    def _sum_deposits(self) -> list[TokenAmount]:
        sums: dict[tuple[str, int], int] = defaultdict(int)
        query = select(_c.symbol, _c.decimals, _c.deposit_units).where(
            self._matching, _c.state == _COMPLETED
        )
        for symbol, decimals, units in self._db.execute(query):
            sums[symbol, decimals] += int(units)
        return [TokenAmount(*token, units) for token, units in sums.items()]


def _totals(alike: Sequence[Any]) -> list[int]:
    """The values of `TOTALS` for payments with the same values of `_KINDS` and their sums."""
    state, deposited, started, underpaid, payments, whole, rest, service_fee, bridge_fee = alike
    kind = State(state), int(deposited), int(started), int(underpaid), payments
    requested = int(whole) * UNITS + int(rest)
    return split_amounts(count_alike(*kind, requested, int(service_fee), int(bridge_fee)))
