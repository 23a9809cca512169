"""Builds an analytics report from raw sums: values network fees, compares with the period before,
fills the series and finds the quantiles of durations."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from crossway.domain.analytics import (
    STEP_LENGTHS,
    AnalyticsPeriod,
    Measures,
    Step,
    add_measures,
    split_route,
)
from crossway.domain.corridor_stats import quantile_seconds
from crossway.domain.money import micro_usd_down
from crossway.ports.analytics import (
    AnalyticsQuery,
    AnalyticsReport,
    CauseCount,
    Figures,
    Freshness,
    Group,
    PeriodCounts,
    RouteDuration,
    SeriesPoint,
    TokenAmount,
)
from crossway.ports.services import Services
from crossway.usecases.pricing.price_snapshot import latest_prices

_NOTHING = Measures()


def build_report(
    services: Services,
    query: AnalyticsQuery,
    counts: PeriodCounts,
    before: PeriodCounts,
    freshness: Freshness,
) -> AnalyticsReport:
    """The report of a period and the period before."""
    prices = _native_prices(services)
    return AnalyticsReport(
        query,
        total=_value(add_measures(counts.series.values()), prices),
        before=_value(add_measures(before.series.values()), prices),
        groups=_groups(counts, before, prices),
        series=_series(query.period, query.step, counts, prices),
        series_before=_series(query.period.before, query.step, before, prices),
        durations=_durations(counts, before),
        causes=_causes(counts, before),
        freshness=freshness,
    )


def _series(
    period: AnalyticsPeriod,
    step: Step,
    counts: PeriodCounts,
    prices: Mapping[str, tuple[int, int]],
) -> list[SeriesPoint]:
    return [
        SeriesPoint(at, _value(counts.series.get(at, _NOTHING), prices))
        for at in list_steps(period, step)
    ]


def list_steps(period: AnalyticsPeriod, step: Step) -> Iterator[datetime]:
    """The beginning of each step that a period touches; the first may begin before it."""
    at = period.start.replace(hour=0) if step is Step.DAY else period.start
    while at < period.end:
        yield at
        at += STEP_LENGTHS[step]


def _native_prices(services: Services) -> Mapping[str, tuple[int, int]]:
    """The decimals and the latest price in pico-USD of the native token of each chain that has a
    price."""
    prices = latest_prices(services)
    return {
        chain.id: (chain.native_decimals, prices[chain.native_symbol])
        for chain in services.catalogue.chains.values()
        if chain.native_symbol in prices
    }


def _value(measures: Measures, prices: Mapping[str, tuple[int, int]]) -> Figures:
    total, unpriced = 0, list[str]()
    for chain, units in measures.network_fees.items():
        if chain in prices:
            total += micro_usd_down(units, *prices[chain])
        elif units:
            unpriced.append(chain)
    return Figures(measures, total, tuple(sorted(unpriced)))


def _groups(
    counts: PeriodCounts, before: PeriodCounts, prices: Mapping[str, tuple[int, int]]
) -> list[Group]:
    deposits = _add_tokens(counts.deposits)
    groups = [
        Group(
            value,
            _value(counts.groups.get(value, _NOTHING), prices),
            _value(before.groups.get(value, _NOTHING), prices),
            deposits.get(value),
        )
        for value in counts.groups.keys() | before.groups.keys()
    ]
    groups.sort(key=lambda group: group.value)
    groups.sort(key=lambda group: _size(group.figures.measures), reverse=True)
    return groups


def _size(measures: Measures) -> tuple[int, int]:
    return measures.volume_micro_usd, measures.created


def _add_tokens(amounts: Sequence[TokenAmount]) -> dict[str, TokenAmount]:
    """The amounts of each symbol as one, exactly: in the finest unit it has on any chain."""
    by_symbol: dict[str, list[TokenAmount]] = defaultdict(list)
    for amount in amounts:
        by_symbol[amount.symbol].append(amount)
    totals = {}
    for symbol, parts in by_symbol.items():
        decimals = max(part.decimals for part in parts)
        units = sum(part.units * 10 ** (decimals - part.decimals) for part in parts)
        totals[symbol] = TokenAmount(symbol, decimals, units)
    return totals


def _durations(counts: PeriodCounts, before: PeriodCounts) -> list[RouteDuration]:
    earlier, durations = _by_route(before), list[RouteDuration]()
    for route, buckets in _by_route(counts).items():
        p50, p95 = (quantile_seconds(buckets, share) for share in (0.5, 0.95))
        if p50 is not None and p95 is not None:
            completed = sum(n for _, n in buckets)
            before_p50 = quantile_seconds(earlier.get(route, ()), 0.5)
            durations.append(RouteDuration(*split_route(route), completed, p50, p95, before_p50))
    return sorted(durations, key=lambda of: (-of.completed, of.source, of.destination))


def _by_route(counts: PeriodCounts) -> dict[str, list[tuple[int, int]]]:
    by_route: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for (route, bucket), payments in counts.durations.items():
        if payments:
            by_route[route].append((bucket, payments))
    return by_route


def _causes(counts: PeriodCounts, before: PeriodCounts) -> list[CauseCount]:
    causes = [
        CauseCount(
            cause,
            counts.causes.get(cause, _NOTHING).created,
            counts.causes.get(cause, _NOTHING).requested_micro_usd,
            before.causes.get(cause, _NOTHING).created,
        )
        for cause in counts.causes.keys() | before.causes.keys()
    ]
    return sorted(causes, key=lambda count: (-count.payments, count.cause))
