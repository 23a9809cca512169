"""How far payments get: the funnel, where people give up, times to completion, and failures."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from crossway.dashboard.views.analytics import format_dollars
from crossway.dashboard.views.analytics_groups import (
    count_payments,
    group_filters,
    show_payments,
)
from crossway.dashboard.views.analytics_selection import Selection, payments_href
from crossway.dashboard.views.cells import Cell, Column, LinkButton, Row
from crossway.dashboard.views.formatting import (
    capitalize_first,
    chain_name,
    format_duration,
    format_duration_or_dash,
    format_share,
)
from crossway.dashboard.views.marks import mark_chains
from crossway.dashboard.views.payment_filters import CAUSE_NAMES
from crossway.domain.analytics import (
    DURATION_RESOLUTION_PERCENT,
    Dimension,
    FailureCause,
    Measures,
    route_value,
)
from crossway.domain.catalogue import Catalogue
from crossway.domain.filters import Filter, FilterField, Reached
from crossway.domain.intent import State
from crossway.ports.analytics import AnalyticsReport, RouteDuration

MAX_ROUTES: Final = 15
_WITHIN: Final = f"To within {DURATION_RESOLUTION_PERCENT} per cent"
FUNNEL_COLUMNS: Final = (
    Column("Step"),
    Column("Payments", "right"),
    Column("Of created", "right"),
    Column("Waiting here", "right", "They may still get further"),
    Column("Ended here", "right", "They expired, failed or were cancelled, and get no further"),
)
DURATION_COLUMNS: Final = (
    Column("Route"),
    Column("Completed", "right"),
    Column("Median", "right", _WITHIN),
    Column("p95", "right", _WITHIN),
    Column("Median before", "right", "In the period before"),
)
CAUSE_COLUMNS: Final = (
    Column("Cause"),
    Column("Payments", "right"),
    Column("Of created", "right"),
    Column("Value, USD", "right", "The amounts that were requested"),
)


_COMPLETED: Final = Filter(FilterField.STATE, (State.COMPLETED.value,))
_STEPS: Final = (
    ("Created", None),
    ("Deposited", Filter(FilterField.REACHED, (Reached.DEPOSITED.value,))),
    ("Started", Filter(FilterField.REACHED, (Reached.STARTED.value,))),
    ("Completed", _COMPLETED),
)


@dataclass(frozen=True, slots=True)
class FunnelStep:
    """Payments that got as far as a step; of these, how many wait there and how many ended there.
    `reached` is the filter of the payments list for them; None for all."""

    title: str
    payments: int
    waiting: int
    ended: int
    reached: Filter | None


def build_funnel(of: Measures) -> tuple[FunnelStep, ...]:
    """The steps from creation to payout."""
    reached = (of.created, of.deposited, of.started, of.completed)
    waiting = (of.pending, of.funded, of.initiated, 0)
    return tuple(
        FunnelStep(title, payments, wait, max(payments - following - wait, 0), condition)
        for (title, condition), payments, wait, following in zip(
            _STEPS, reached, waiting, (*reached[1:], of.completed), strict=True
        )
    )


def funnel_bars(of: Measures) -> list[tuple[str, int, str]]:
    """The steps with their payments and their share of all, for the chart."""
    return [
        (step.title, step.payments, format_share(step.payments, of.created))
        for step in build_funnel(of)
    ]


def build_funnel_rows(selection: Selection, of: Measures) -> tuple[Row, ...]:
    """The funnel as rows, each with a link to the payments that reached the step."""
    return tuple(
        Row(
            step.title,
            (
                Cell(step.title),
                Cell(f"{step.payments:,}"),
                Cell(format_share(step.payments, of.created)),
                Cell(f"{step.waiting:,}" if step.waiting else "–"),
                Cell(
                    f"{step.ended:,}" if step.ended else "–",
                    sub=f"{format_share(step.ended, step.payments)} of them" if step.ended else "",
                ),
            ),
            href=payments_href(selection, *((step.reached,) if step.reached else ())),
            label=f"{step.title}: {count_payments(step.payments)}",
        )
        for step in build_funnel(of)
    )


def selected_steps(
    selection: Selection, of: Measures, titles: Collection[str]
) -> tuple[LinkButton, ...]:
    """Links to the payments that reached a selected step, and to those that ended at it."""
    links = list[LinkButton]()
    for step in build_funnel(of):
        if step.title in titles and step.payments:
            reached = (step.reached,) if step.reached else ()
            href = payments_href(selection, *reached)
            links.append(show_payments(step.payments, href, f"the step {step.title.lower()}"))
    return tuple(link for link in links if link.href)


def describe_funnel(of: Measures) -> str:
    """Where most payments end, as a sentence."""
    worst = max(build_funnel(of), key=lambda step: step.ended)
    if not worst.ended:
        return "No payment ended before its payout."
    share = format_share(worst.ended, worst.payments)
    return (
        f"Most give up after the step “{worst.title}”: {worst.ended:,} of "
        f"{worst.payments:,} ({share}) got no further."
    )


def build_duration_rows(
    catalogue: Catalogue, selection: Selection, durations: Sequence[RouteDuration]
) -> tuple[Row, ...]:
    """The times to completion of the routes with the most completed payments."""
    return tuple(
        _duration_row(selection, route_name(catalogue, one), one) for one in durations[:MAX_ROUTES]
    )


def _duration_row(selection: Selection, name: str, one: RouteDuration) -> Row:
    return Row(
        key=route_value(one.source, one.destination),
        cells=(
            Cell(name, marks=mark_chains(one.source, one.destination)),
            Cell(f"{one.completed:,}"),
            Cell(format_duration(one.p50)),
            Cell(format_duration(one.p95)),
            Cell(format_duration_or_dash(one.before_p50)),
        ),
        href=payments_href(selection, *_route_filters(one), _COMPLETED),
        label=f"{name}: {one.completed:,} completed payments",
    )


def route_name(catalogue: Catalogue, one: RouteDuration) -> str:
    """A route by the names of its chains."""
    return f"{chain_name(catalogue, one.source)} → {chain_name(catalogue, one.destination)}"


def describe_durations(shown: int, routes: int) -> str:
    """What the times are, and how exact."""
    some = f" The {shown} busiest of {routes:,} routes." if shown < routes else ""
    return (
        "From the complete deposit to the payout, of completed payments; to within "
        f"{DURATION_RESOLUTION_PERCENT}%.{some}"
    )


def selected_durations(
    catalogue: Catalogue, selection: Selection, report: AnalyticsReport, values: Collection[str]
) -> tuple[LinkButton, ...]:
    """Links to the completed payments of selected routes."""
    links = (
        show_payments(
            one.completed,
            payments_href(selection, *_route_filters(one), _COMPLETED),
            route_name(catalogue, one),
        )
        for one in report.durations
        if route_value(one.source, one.destination) in values
    )
    return tuple(link for link in links if link.href)


def _route_filters(one: RouteDuration) -> tuple[Filter, ...]:
    return group_filters(Dimension.ROUTE, [route_value(one.source, one.destination)])


def cause_name(cause: FailureCause) -> str:
    """A cause in a word or two."""
    return CAUSE_NAMES[cause].partition(":")[0]


def _explain(cause: FailureCause) -> str:
    return capitalize_first(CAUSE_NAMES[cause].partition(": ")[2])


def build_cause_rows(selection: Selection, report: AnalyticsReport) -> tuple[Row, ...]:
    """Why payments ended without a payout, the most frequent cause first."""
    created, compared = report.total.measures.created, report.before.measures.created
    return tuple(
        Row(
            one.cause.value,
            (
                Cell(cause_name(one.cause), sub=_explain(one.cause)),
                Cell(
                    f"{one.payments:,}",
                    sub=f"before: {one.payments_before:,}" if compared else "",
                ),
                Cell(format_share(one.payments, created)),
                Cell(format_dollars(one.requested_micro_usd)),
            ),
            href=payments_href(selection, _cause_filter([one.cause])) if one.payments else "",
            label=f"{cause_name(one.cause)}: {count_payments(one.payments)}",
        )
        for one in report.causes
    )


def selected_causes(
    selection: Selection, report: AnalyticsReport, values: Collection[str]
) -> tuple[LinkButton, ...]:
    """A link to the payments with selected causes."""
    chosen = [one for one in report.causes if one.cause in values and one.payments]
    href = payments_href(selection, _cause_filter([one.cause for one in chosen])) if chosen else ""
    payments = sum(one.payments for one in chosen)
    return (show_payments(payments, href),) if href else ()


def _cause_filter(causes: Sequence[FailureCause]) -> Filter:
    return Filter(FilterField.CAUSE, tuple(cause.value for cause in causes))
