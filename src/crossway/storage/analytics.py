"""Answers analytics from the sums by hour and day, and from the figures of single payments."""

from datetime import datetime

from sqlalchemy import Connection, func, select

from crossway.domain.analytics import AnalyticsPeriod, Dimension, FailureCause, Measures
from crossway.domain.clients import OwnerFilter
from crossway.domain.filters import FilterSet
from crossway.domain.intent import State
from crossway.ports.analytics import AnalyticsQuery, CountedPayment, Freshness, PeriodCounts
from crossway.ports.payment_figures import ChangeLog
from crossway.storage.analytics_tables import payment_figures
from crossway.storage.matching_figures import count_matching
from crossway.storage.owner_sql import is_owned
from crossway.storage.payment_figures import SqlPaymentFigures
from crossway.storage.period_sums import PeriodSums
from crossway.storage.row_mapper import from_micros, to_micros
from crossway.storage.tables import intents, transitions


class SqlAnalytics:
    """`ports.analytics.AnalyticsRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def get_freshness(self, now: datetime) -> Freshness:
        figures = SqlPaymentFigures(self._db)
        cursor = figures.get_cursor()
        if cursor is None:
            return Freshness(None, 0.0)
        counted = 1 - cursor.backfill_end / (cursor.backfill_from + 1)
        if figures.newest_ids() == cursor.log_ids:
            return Freshness(now, counted)
        counted_to = cursor.log_ids[ChangeLog.TRANSITIONS]
        newest = select(transitions.c.at).where(transitions.c.id <= counted_to)
        at = self._db.scalar(newest.order_by(transitions.c.id.desc()).limit(1))
        return Freshness(None if at is None else from_micros(at), counted)

    def count_period(self, query: AnalyticsQuery) -> PeriodCounts:
        sums = PeriodSums(self._db, query)
        is_token = query.dimension is Dimension.TOKEN
        return PeriodCounts(
            groups=sums.measure(query.dimension, str),
            series=sums.measure_series(),
            durations=sums.count_durations(),
            causes=sums.measure(Dimension.CAUSE, FailureCause),
            deposits=sums.sum_deposits() if is_token else (),
        )

    def measure_groups(
        self, query: AnalyticsQuery, value: str | None = None
    ) -> dict[str, Measures]:
        return PeriodSums(self._db, query).measure(query.dimension, str, value)

    def measure_steps(self, query: AnalyticsQuery, value: str) -> dict[datetime, Measures]:
        return PeriodSums(self._db, query).measure_series(query.dimension, value)

    def list_latest(self, owners: OwnerFilter, limit: int) -> list[CountedPayment]:
        c = payment_figures.c
        columns = c.source_chain, c.destination_chain, c.state, c.bucket, c.requested_micro_usd
        query = select(*columns).where(*is_owned(payment_figures, owners))
        rows = self._db.execute(query.order_by(c.intent_id.desc()).limit(limit))
        return [CountedPayment(a, b, State(state), *rest) for a, b, state, *rest in rows]

    def get_id_range(self, period: AnalyticsPeriod) -> tuple[int, int]:
        c = intents.c
        start, end = to_micros(period.start), to_micros(period.end)
        query = select(func.min(c.id), func.max(c.id))
        first, last = self._db.execute(query.where(c.created_at >= start, c.created_at < end)).one()
        return (first, last + 1) if first is not None else (0, 0)

    def count_matching(
        self, query: AnalyticsQuery, filters: FilterSet, first_id: int, end_id: int
    ) -> PeriodCounts:
        return count_matching(self._db, query, filters, first_id, end_id)
