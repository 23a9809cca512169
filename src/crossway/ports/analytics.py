"""What the page Analytics asks and is answered, and the repository that keeps the figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from crossway.domain.analytics import AnalyticsPeriod, Dimension, FailureCause, Measures, Step
from crossway.domain.clients import Mode, OwnerFilter
from crossway.domain.filters import FilterSet
from crossway.domain.intent import State


@dataclass(frozen=True, slots=True)
class AnalyticsQuery:
    """What to count: payments of a period in one mode, or in both if it is None, by groups of
    `dimension`; and the length of a point in the series over time."""

    period: AnalyticsPeriod
    dimension: Dimension
    mode: Mode | None = None
    step: Step = Step.DAY


@dataclass(frozen=True, slots=True)
class Freshness:
    """How far the kept figures reach: payments that did not change after `up_to` are counted as
    they are (None before the first count). `counted` is the share of the payments that were stored
    before figures were kept and are counted by now, from 0 to 1, newest first; below 1 the
    figures of older hours are incomplete."""

    up_to: datetime | None
    counted: float


@dataclass(frozen=True, slots=True)
class Figures:
    """Measures with the network fees valued. `network_fee_micro_usd` is an estimate: exact amounts
    of native tokens at the latest prices, as in the trial balance. Those of `unpriced_chains` have
    no price and are left out."""

    measures: Measures
    network_fee_micro_usd: int
    unpriced_chains: tuple[str, ...] = ()

    @property
    def cost_micro_usd(self) -> int:
        """What bridges and networks took."""
        return self.measures.bridge_fee_micro_usd + self.network_fee_micro_usd

    @property
    def margin_micro_usd(self) -> int:
        """Revenue minus cost, which is the operator's own fees minus network fees; may be
        negative."""
        return self.measures.revenue_micro_usd - self.cost_micro_usd


@dataclass(frozen=True, slots=True)
class TokenAmount:
    """An exact amount of a token: `units` of 10**-`decimals`."""

    symbol: str
    decimals: int
    units: int


@dataclass(frozen=True, slots=True)
class Group:
    """The figures of one group, and of the period before. `value` is the client id, the route (see
    `split_route`), the bridge (empty on one chain), the token's symbol, the state or the cause;
    empty for ALL. `deposits` is what completed payments deposited, for the dimension TOKEN."""

    value: str
    figures: Figures
    before: Figures
    deposits: TokenAmount | None = None


@dataclass(frozen=True, slots=True)
class SeriesPoint:
    """The figures of all payments created in one step that begins at `at`."""

    at: datetime
    figures: Figures


@dataclass(frozen=True, slots=True)
class RouteDuration:
    """Seconds from the complete deposit to the payout, over the completed payments of a route; to
    within `DURATION_RESOLUTION_PERCENT`. `before_p50` is that of the period before, None without
    completed payments."""

    source: str
    destination: str
    completed: int
    p50: float
    p95: float
    before_p50: float | None


@dataclass(frozen=True, slots=True)
class CauseCount:
    """Payments that ended without a payout for one cause, their requested value, and how many there
    were in the period before."""

    cause: FailureCause
    payments: int
    requested_micro_usd: int
    payments_before: int


@dataclass(frozen=True, slots=True)
class AnalyticsReport:
    """The answer to a query. `groups` are sorted by volume, then by payments; `series` has a point
    for each step of the period, also where nothing was created, and `series_before` for each step
    of the period before; `durations` and `causes` are sorted by payments, the most first."""

    query: AnalyticsQuery
    total: Figures
    before: Figures
    groups: Sequence[Group]
    series: Sequence[SeriesPoint]
    series_before: Sequence[SeriesPoint]
    durations: Sequence[RouteDuration]
    causes: Sequence[CauseCount]
    freshness: Freshness


@dataclass(frozen=True, slots=True)
class ReportProgress:
    """A step towards a report: the fraction of the work done, and the report at the end."""

    fraction: float
    report: AnalyticsReport | None = None


@dataclass(frozen=True, slots=True)
class PeriodCounts:
    """The raw sums of one period: `groups` by value, `series` by the start of the step, `durations`
    as (route, bucket) to payments, with buckets of `domain.corridor_stats`, `causes` by cause, and
    `deposits` by token and decimals."""

    groups: Mapping[str, Measures]
    series: Mapping[datetime, Measures]
    durations: Mapping[tuple[str, int], int]
    causes: Mapping[FailureCause, Measures]
    deposits: Sequence[TokenAmount] = ()


@dataclass(frozen=True, slots=True)
class CountedPayment:
    """A payment as it was last counted. `bucket` is that of its time to completion (of
    `domain.corridor_stats`), None unless it is completed; the value is the one requested."""

    source: str
    destination: str
    state: State
    bucket: int | None
    micro_usd: int


class AnalyticsRepository(Protocol):
    """Figures of payments: kept by hour and day for each dimension, and by payment."""

    def get_freshness(self, now: datetime) -> Freshness:
        """How far the kept figures reach: to `now` when all changes are counted."""
        ...

    def count_period(self, query: AnalyticsQuery) -> PeriodCounts:
        """The sums of the query's period from the kept hours and days: the cost depends on groups
        and days, not on payments."""
        ...

    def measure_groups(
        self, query: AnalyticsQuery, value: str | None = None
    ) -> Mapping[str, Measures]:
        """The measures of each group of the query's dimension, or only of the one with this value,
        from the kept hours and days."""
        ...

    def measure_steps(self, query: AnalyticsQuery, value: str) -> Mapping[datetime, Measures]:
        """The measures of one group of the query's dimension by the start of the step, from the
        kept hours and days; steps without payments are left out."""
        ...

    def list_latest(self, owners: OwnerFilter, limit: int) -> list[CountedPayment]:
        """The newest counted payments of one client: the cost depends on the limit."""
        ...

    def get_id_range(self, period: AnalyticsPeriod) -> tuple[int, int]:
        """The first id (included) and the last (excluded) that payments of a period can have."""
        ...

    def count_matching(
        self, query: AnalyticsQuery, filters: FilterSet, first_id: int, end_id: int
    ) -> PeriodCounts:
        """The sums over the payments with these ids, of the period, that match the filters: the
        cost depends on the number of ids."""
        ...
