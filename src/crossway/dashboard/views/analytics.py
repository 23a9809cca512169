"""Analytics on screen: headline figures, how far they reach, and what cannot be valued."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from crossway.dashboard.views import periods
from crossway.dashboard.views.analytics_changes import (
    NONE_BEFORE,
    point_change,
    relative_change,
    usd_change,
)
from crossway.dashboard.views.analytics_selection import describe_period
from crossway.dashboard.views.formatting import (
    chain_name,
    format_share,
    format_usd,
    group_thousands,
)
from crossway.dashboard.views.overview import Kpi
from crossway.domain.analytics import AnalyticsPeriod
from crossway.domain.catalogue import Catalogue
from crossway.domain.success import SUCCESS_MEANING
from crossway.ports.analytics import AnalyticsReport, Figures, Freshness

ESTIMATE: Final = "The network fees in it are an estimate, at today's prices of the chains' coins."
# Beyond this age, somebody should look why the figures are not kept up to date.
_LATE: Final = timedelta(minutes=10)
_MILLION: Final = 1_000_000
_WHOLE_DOLLARS: Final = 10_000


def build_kpis(report: AnalyticsReport) -> tuple[Kpi, ...]:
    """Volume, revenue, cost, margin, completed share and success, each against the period
    before."""
    now, then = report.total, report.before
    of, before = now.measures, then.measures
    counts = f"{of.completed:,} of {of.created:,} payments"
    change, trend = point_change(of.completed, of.created, before.completed, before.created)
    return (
        Kpi("Volume, USD", format_dollars(of.volume_micro_usd),
            "Amounts of the completed payments",
            *relative_change(of.volume_micro_usd, before.volume_micro_usd),
            _points(report, lambda each: each.measures.volume_micro_usd)),
        Kpi("Revenue, USD", format_dollars(of.revenue_micro_usd),
            "Service fees, spreads and bridge fees that payers paid, as booked",
            *relative_change(of.revenue_micro_usd, before.revenue_micro_usd),
            _points(report, lambda each: each.measures.revenue_micro_usd)),
        Kpi("Cost, USD", f"≈ {format_dollars(now.cost_micro_usd)}",
            f"What bridges took and network fees, as booked. {ESTIMATE}",
            # Neither good nor bad: it grows with the volume.
            relative_change(now.cost_micro_usd, then.cost_micro_usd)[0], "",
            _points(report, lambda each: each.cost_micro_usd)),
        Kpi("Margin, USD", f"≈ {format_dollars(now.margin_micro_usd)}",
            f"Revenue minus cost. {ESTIMATE}",
            *(usd_change(now.margin_micro_usd, then.margin_micro_usd) if before.created
              else NONE_BEFORE),
            _points(report, lambda each: each.margin_micro_usd)),
        Kpi("Completed", format_share(of.completed, of.created),
            "Completed payments as a share of all that were created in the period",
            f"{counts}; {change}" if change else counts, trend),
        Kpi("Success rate", format_share(of.completed, of.ended_funded), SUCCESS_MEANING,
            *point_change(of.completed, of.ended_funded, before.completed, before.ended_funded)),
    )  # fmt: skip


def format_dollars(micro_usd: int) -> str:
    """Dollars for a narrow column; cents only below 10,000."""
    if abs(micro_usd) >= _WHOLE_DOLLARS * _MILLION:
        return group_thousands(str(round(micro_usd / _MILLION)))
    return format_usd(micro_usd).removesuffix(" USD")


def _points(report: AnalyticsReport, measure: Callable[[Figures], int]) -> tuple[float, ...]:
    """The sparkline of a figure, in dollars."""
    values = tuple(round(measure(point.figures) / _MILLION, 2) for point in report.series)
    return values if any(values) and len(values) > 1 else ()


def describe_comparison(period: AnalyticsPeriod) -> str:
    """The period and the one it is compared with, as sentences."""
    return (
        f"Payments created {describe_period(period)}, compared with "
        f"{describe_period(period.before)}. All times are in UTC."
    )


def describe_freshness(freshness: Freshness, now: datetime) -> tuple[bool, str]:
    """Whether the figures are complete, and up to when they reach, as sentences."""
    if freshness.up_to is None:
        return False, "No figures are kept yet: the engine begins to count once it runs."
    text = f"Figures up to {periods.format_minute(freshness.up_to)}."
    if freshness.counted < 1:
        # Rounded down: never 100% while some are missing.
        share = int(freshness.counted * 100)
        return False, (
            f"{text} {share}% of the older payments are counted so far, newest first; the figures "
            "of older periods are incomplete until all are."
        )
    if now - freshness.up_to > _LATE:
        return False, f"{text} Nothing later is counted: see whether the engine runs."
    return True, text


def describe_unpriced(catalogue: Catalogue, figures: Figures) -> str:
    """Which network fees are missing in cost and margin; empty when none are."""
    names = [chain_name(catalogue, chain) for chain in figures.unpriced_chains]
    if not names:
        return ""
    return (
        f"Cost and margin lack the network fees on {', '.join(names)}: the chains' coins have no "
        "price."
    )


def describe_empty(report: AnalyticsReport, filtered: bool) -> str:
    """What to do when no payment was counted."""
    if filtered:
        return "Remove a filter, or choose a longer period."
    created = report.before.measures.created
    if created:
        return f"The period before has {created:,}. Choose a longer period."
    return "Choose a longer period, or another mode."
