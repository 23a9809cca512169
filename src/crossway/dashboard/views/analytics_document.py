"""A report of Analytics as a document: what it counts, when it was made, and its records."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from crossway.dashboard.views import periods
from crossway.dashboard.views.analytics import describe_freshness, describe_unpriced
from crossway.dashboard.views.analytics_groups import NamedGroup, name_groups
from crossway.dashboard.views.analytics_selection import (
    DIMENSION_NAMES,
    Selection,
    describe_filters,
    describe_period,
    parse_selection,
)
from crossway.dashboard.views.analytics_steps import build_funnel, cause_name, route_name
from crossway.domain.clients import Principal
from crossway.domain.intent import State
from crossway.domain.money import MICRO_USD_DECIMALS, format_units
from crossway.ports.analytics import AnalyticsReport, Figures
from crossway.ports.services import Services
from crossway.usecases.money import analytics

Record = Mapping[str, Any]
_STATES: Final = tuple(State)


@dataclass(frozen=True, slots=True)
class AnalyticsDocument:
    """A report with what it says about itself as (title, text)."""

    selection: Selection
    report: AnalyticsReport
    groups: tuple[NamedGroup, ...]
    made_at: datetime
    facts: tuple[tuple[str, str], ...]


def make_document(
    services: Services, caller: Principal, params: Mapping[str, str]
) -> AnalyticsDocument:
    """Count what a query string selects; raises `InvalidInput` with the reason if it is wrong."""
    selection, now = parse_selection(services, caller.mode, params), services.clock.now()
    report = _count(services, caller, selection)
    return AnalyticsDocument(
        selection,
        report,
        tuple(name_groups(services, report)),
        now,
        tuple(_facts(services, caller, selection, report, now)),
    )


def _count(services: Services, caller: Principal, selection: Selection) -> AnalyticsReport:
    if not selection.filters:
        return analytics.get_report(services, caller, selection.query)
    *_, last = analytics.stream_filtered_report(
        services, caller, selection.query, selection.filters
    )
    if last.report is None:
        raise RuntimeError("The count ended without a report")
    return last.report


def _facts(
    services: Services,
    caller: Principal,
    selection: Selection,
    report: AnalyticsReport,
    now: datetime,
) -> list[tuple[str, str]]:
    period = selection.query.period
    facts = [
        ("Payments created", f"{describe_period(period)} (UTC)"),
        ("Compared with", f"{describe_period(period.before)} (UTC)"),
        ("Payments", describe_filters(services, caller, selection)),
        ("Grouped by", DIMENSION_NAMES[selection.query.dimension]),
        ("Made", f"{periods.format_minute(now)} UTC by {caller.actor_name}"),
        ("Reach", describe_freshness(report.freshness, now)[1]),
        ("Estimate", "Network fees are valued at today's prices, also in cost and margin."),
    ]
    missing = describe_unpriced(services.catalogue, report.total)
    return [*facts, ("Missing", missing)] if missing else facts


def usd(micro_usd: int) -> Decimal:
    """Micro-USD as an exact decimal of dollars."""
    return Decimal(micro_usd).scaleb(-MICRO_USD_DECIMALS)


def figure_record(figures: Figures) -> dict[str, int | Decimal]:
    """All figures of a group; what depends on today's prices is named an estimate."""
    of = figures.measures
    return {
        "payments": of.created,
        **{state.value.lower(): of.count(state) for state in _STATES},
        "reached_deposited": of.deposited,
        "reached_started": of.started,
        "underpaid": of.underpaid,
        "funded_and_ended": of.ended_funded,
        "requested_usd": usd(of.requested_micro_usd),
        "volume_usd": usd(of.volume_micro_usd),
        "service_fees_usd": usd(of.service_fee_micro_usd),
        "bridge_fees_usd": usd(of.bridge_fee_micro_usd),
        "revenue_usd": usd(of.revenue_micro_usd),
        "network_fees_usd_estimate": usd(figures.network_fee_micro_usd),
        "cost_usd_estimate": usd(figures.cost_micro_usd),
        "margin_usd_estimate": usd(figures.margin_micro_usd),
    }


def series_records(document: AnalyticsDocument) -> list[Record]:
    """The figures by hour or day."""
    return [{"time": point.at, **figure_record(point.figures)} for point in document.report.series]


def funnel_records(document: AnalyticsDocument) -> list[Record]:
    """The steps from creation to payout."""
    return [
        {"step": s.title, "payments": s.payments, "waiting": s.waiting, "ended": s.ended}
        for s in build_funnel(document.report.total.measures)
    ]


def duration_records(services: Services, document: AnalyticsDocument) -> list[Record]:
    """Seconds to completion by route."""
    return [
        {
            "route": route_name(services.catalogue, one),
            "source_chain": one.source,
            "destination_chain": one.destination,
            "completed": one.completed,
            "p50_seconds": round(one.p50, 1),
            "p95_seconds": round(one.p95, 1),
            "p50_seconds_before": None if one.before_p50 is None else round(one.before_p50, 1),
        }
        for one in document.report.durations
    ]


def cause_records(document: AnalyticsDocument) -> list[Record]:
    """Why payments ended without a payout."""
    return [
        {
            "cause": one.cause.value,
            "name": cause_name(one.cause),
            "payments": one.payments,
            "requested_usd": usd(one.requested_micro_usd),
            "payments_before": one.payments_before,
        }
        for one in document.report.causes
    ]


def deposited(group: NamedGroup) -> str | None:
    """The exact deposits of a token's completed payments, in the token."""
    amount = group.group.deposits
    return None if amount is None else format_units(amount.units, amount.decimals)
