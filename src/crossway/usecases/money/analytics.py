"""Reports for the page Analytics: figures by group and over time, with the period before."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final, TypeVar

from crossway.domain.analytics import AnalyticsPeriod, FailureCause, Measures, Step, add_measures
from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput
from crossway.domain.filters import FilterSet
from crossway.domain.roles import Permission
from crossway.ports.analytics import (
    AnalyticsQuery,
    AnalyticsReport,
    PeriodCounts,
    ReportProgress,
    TokenAmount,
)
from crossway.ports.services import Services
from crossway.usecases.money.analytics_report import build_report

MAX_PERIOD: Final = timedelta(days=3_660)
MAX_HOURLY: Final = timedelta(days=31)
_FIRST_YEAR: Final = 2000
_HOUR: Final = timedelta(hours=1)
_BATCH: Final = 50_000
K = TypeVar("K")


def parse_period(services: Services, start: datetime, end: datetime) -> AnalyticsPeriod:
    """The period between two times, widened to whole hours in UTC; raises `InvalidInput` with a
    sentence when there is no such period."""
    if start.year < _FIRST_YEAR or end.year < _FIRST_YEAR:
        raise InvalidInput(f"The period must begin in the year {_FIRST_YEAR} or later")
    if end <= start:
        raise InvalidInput("The period must end after it begins")
    if end - start > MAX_PERIOD:
        raise InvalidInput("The period must be ten years at most")
    if start > services.clock.now():
        raise InvalidInput("The period begins in the future: choose a start before now")
    first, last = (at.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
                   for at in (start, end))  # fmt: skip
    return AnalyticsPeriod(first, last if last == end else last + _HOUR)


def choose_step(period: AnalyticsPeriod) -> Step:
    """Hours for up to three days, else days."""
    return Step.HOUR if period.end - period.start <= timedelta(days=3) else Step.DAY


def get_report(services: Services, caller: Principal, query: AnalyticsQuery) -> AnalyticsReport:
    """The report of a standard grouping, from the figures kept by hour and day. Operators only;
    raises `InvalidInput` for points of an hour over more than `MAX_HOURLY`."""
    query = _check(caller, query)
    with services.store.read() as unit:
        counts = unit.analytics.count_period(query)
        before = unit.analytics.count_period(_query_before(query))
        freshness = unit.analytics.get_freshness(services.clock.now())
    return build_report(services, query, counts, before, freshness)


def stream_filtered_report(
    services: Services, caller: Principal, query: AnalyticsQuery, filters: FilterSet
) -> Iterator[ReportProgress]:
    """The report over the payments that match any filters, counted in batches of payments: yields
    the progress after each, and the report last. To cancel, stop iterating."""
    query = _check(caller, query)
    return _stream(services, query, filters)


def _stream(
    services: Services, query: AnalyticsQuery, filters: FilterSet
) -> Iterator[ReportProgress]:
    queries = (query, _query_before(query))
    with services.store.read() as unit:
        freshness = unit.analytics.get_freshness(services.clock.now())
        ranges = [unit.analytics.get_id_range(q.period) for q in queries]
    total = sum(end - first for first, end in ranges)
    done, results = 0, list[PeriodCounts]()
    for part, (first, end) in zip(queries, ranges, strict=True):
        batches = list[PeriodCounts]()
        for start in range(first, end, _BATCH):
            stop = min(start + _BATCH, end)
            # A unit of work for each batch, so that none is held while the caller draws.
            with services.store.read() as unit:
                batches.append(unit.analytics.count_matching(part, filters, start, stop))
            done += stop - start
            yield ReportProgress(done / total)
        results.append(_add_counts(batches))
    counts, before = results
    yield ReportProgress(1.0, build_report(services, query, counts, before, freshness))


def _check(caller: Principal, query: AnalyticsQuery) -> AnalyticsQuery:
    """The query, limited to the mode that the caller lists."""
    caller.require_permission(Permission.VIEW)
    if query.step is Step.HOUR and query.period.end - query.period.start > MAX_HOURLY:
        raise InvalidInput(f"A series by hour may span {MAX_HOURLY.days} days at most: use days")
    return query if caller.mode is None else replace(query, mode=caller.mode)


def _query_before(query: AnalyticsQuery) -> AnalyticsQuery:
    return AnalyticsQuery(query.period.before, query.dimension, query.mode, query.step)


def _add_counts(parts: Iterable[PeriodCounts]) -> PeriodCounts:
    """The sum of the counts of disjoint payments."""
    groups, series = dict[str, Measures](), dict[datetime, Measures]()
    causes = dict[FailureCause, Measures]()
    durations: dict[tuple[str, int], int] = {}
    deposits: dict[tuple[str, int], int] = {}
    for part in parts:
        _add_each(groups, part.groups)
        _add_each(series, part.series)
        _add_each(causes, part.causes)
        for bucket, payments in part.durations.items():
            durations[bucket] = durations.get(bucket, 0) + payments
        for amount in part.deposits:
            token = amount.symbol, amount.decimals
            deposits[token] = deposits.get(token, 0) + amount.units
    return PeriodCounts(
        groups, series, durations, causes, [TokenAmount(*key, n) for key, n in deposits.items()]
    )


def _add_each(totals: dict[K, Measures], more: Mapping[K, Measures]) -> None:
    for key, measures in more.items():
        totals[key] = add_measures((totals[key], measures)) if key in totals else measures
