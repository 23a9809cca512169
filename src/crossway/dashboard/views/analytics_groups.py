"""Groups of payments in Analytics: their names, their rows, and the payments behind them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from crossway.dashboard.views import status_labels
from crossway.dashboard.views.analytics import format_dollars
from crossway.dashboard.views.analytics_selection import (
    DIMENSION_NAMES,
    Selection,
    payments_href,
)
from crossway.dashboard.views.cells import Cell, Column, LinkButton, Row
from crossway.dashboard.views.clients import client_names
from crossway.dashboard.views.formatting import amount_cell, chain_name, format_share
from crossway.dashboard.views.marks import mark_bridge, mark_chains, mark_token
from crossway.domain.analytics import Dimension, split_route
from crossway.domain.filters import MAX_VALUES, NO_BRIDGE, Filter, FilterField
from crossway.domain.intent import State
from crossway.domain.quotes import bridge_title
from crossway.domain.success import SUCCESS_MEANING
from crossway.ports.analytics import AnalyticsReport, Group
from crossway.ports.services import Services

PAGE_SIZE: Final = 20
SAME_CHAIN: Final = "None, same chain"
_FIELDS: Final[Mapping[Dimension, FilterField]] = MappingProxyType(
    {
        Dimension.MERCHANT: FilterField.CLIENT,
        Dimension.BRIDGE: FilterField.BRIDGE,
        Dimension.TOKEN: FilterField.TOKEN,
        Dimension.STATUS: FilterField.STATE,
    }
)


@dataclass(frozen=True, slots=True)
class NamedGroup:
    """A group with its display name."""

    name: str
    group: Group


def name_groups(services: Services, report: AnalyticsReport) -> list[NamedGroup]:
    """The groups of a report with their names, in the report's order."""
    dimension = report.query.dimension
    merchants = client_names(services) if dimension is Dimension.MERCHANT else {}
    return [
        NamedGroup(_group_name(services, dimension, group.value, merchants), group)
        for group in report.groups
    ]


def _group_name(
    services: Services, dimension: Dimension, value: str, merchants: Mapping[str, str]
) -> str:
    match dimension:
        case Dimension.MERCHANT:
            return merchants.get(value, value)
        case Dimension.ROUTE:
            source, destination = (chain_name(services.catalogue, c) for c in split_route(value))
            return f"{source} → {destination}"
        case Dimension.BRIDGE:
            return bridge_title(value) if value else SAME_CHAIN
        case Dimension.STATUS:
            return status_labels.INTENT_STATES[State(value)].text
    return value


def _group_marks(dimension: Dimension, value: str) -> tuple[str, ...]:
    match dimension:
        case Dimension.ROUTE:
            return mark_chains(*split_route(value))
        case Dimension.BRIDGE:
            return mark_bridge(value)
        case Dimension.TOKEN:
            return mark_token(value)
    return ()


def build_columns(dimension: Dimension) -> tuple[Column, ...]:
    """The columns of the table of groups."""
    deposits = (Column("Deposited", "right", "By completed payments, exact"),)
    return (
        Column(DIMENSION_NAMES[dimension]),
        Column("Payments", "right", "Created in the period"),
        Column("Completed", "right", "And their share of the payments"),
        Column("Success", "right", SUCCESS_MEANING),
        *(deposits if dimension is Dimension.TOKEN else ()),
        Column("Volume, USD", "right", "Amounts of the completed payments"),
        Column("Revenue, USD", "right", "Fees that payers paid, without the merchant's, as booked"),
        Column("Cost, USD", "right", "What bridges took as booked, network fees at today's prices"),
        Column("Margin, USD", "right", "Revenue minus cost"),
    )


def build_rows(selection: Selection, groups: Sequence[NamedGroup]) -> tuple[Row, ...]:
    """The groups, the largest volume first; each row leads to its payments."""
    compared = any(one.group.before.measures.created for one in groups)
    return tuple(_row(selection, one, compared) for one in groups)


def _row(selection: Selection, named: NamedGroup, compared: bool) -> Row:
    """One group; `compared`: there were payments in the period before."""
    group, dimension = named.group, selection.query.dimension
    now, before = group.figures.measures, group.before.measures
    badge = (
        (status_labels.INTENT_STATES[State(group.value)],) if dimension is Dimension.STATUS else ()
    )
    deposited = group.deposits
    amount = (
        amount_cell(deposited.units, deposited.decimals, deposited.symbol)
        if deposited
        else Cell("–")
    )
    return Row(
        key=group.value or "none",
        cells=(
            Cell(
                "" if badge else named.name,
                badges=badge,
                marks=_group_marks(dimension, group.value),
            ),
            Cell(f"{now.created:,}", sub=f"before: {before.created:,}" if compared else ""),
            Cell(f"{now.completed:,}", sub=format_share(now.completed, now.created)),
            Cell(format_share(now.completed, now.ended_funded)),
            *((amount,) if dimension is Dimension.TOKEN else ()),
            Cell(
                format_dollars(now.volume_micro_usd),
                sub=f"before: {format_dollars(before.volume_micro_usd)}" if compared else "",
            ),
            Cell(format_dollars(now.revenue_micro_usd)),
            Cell(f"≈ {format_dollars(group.figures.cost_micro_usd)}"),
            Cell(f"≈ {format_dollars(group.figures.margin_micro_usd)}"),
        ),
        href=payments_href(selection, *group_filters(dimension, [group.value]))
        if now.created
        else "",
        label=f"{named.name}: {count_payments(now.created)}",
    )


def group_filters(dimension: Dimension, values: Sequence[str]) -> tuple[Filter, ...]:
    """The filters of the payments list for these groups; only one route at a time."""
    if dimension is Dimension.ROUTE:
        source, destination = split_route(values[0])
        return (
            Filter(FilterField.SOURCE, (source,)),
            Filter(FilterField.DESTINATION, (destination,)),
        )
    named = tuple(value or NO_BRIDGE for value in values)
    return (Filter(_FIELDS[dimension], named),)


def count_payments(payments: int) -> str:
    """A number of payments as text."""
    return f"{payments:,} payment{'' if payments == 1 else 's'}"


def show_payments(payments: int, href: str, of: str = "") -> LinkButton:
    """The link to the payments behind a figure."""
    text = f"Show the {payments:,} payments" if payments != 1 else "Show the payment"
    return LinkButton(f"{text}{f' of {of}' if of else ''}", href, "list_alt")


def selected_links(
    selection: Selection, groups: Sequence[NamedGroup], values: Collection[str]
) -> tuple[LinkButton, ...]:
    """Links to the payments of selected groups: one for all, or one for each route."""
    dimension = selection.query.dimension
    chosen = [one for one in groups if one.group.value in values][:MAX_VALUES]
    parts = (
        [[one] for one in chosen] if dimension is Dimension.ROUTE else [chosen] if chosen else []
    )
    links = (
        show_payments(
            sum(one.group.figures.measures.created for one in part),
            payments_href(selection, *group_filters(dimension, [one.group.value for one in part])),
            part[0].name if len(part) == 1 else f"{len(part)} groups",
        )
        for part in parts
    )
    return tuple(link for link in links if link.href)
