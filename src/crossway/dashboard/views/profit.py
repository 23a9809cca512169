"""Profit and loss on screen and on paper: figures, lines, and margins by group."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Final, TypeVar

from crossway.dashboard.views import periods
from crossway.dashboard.views.book_cells import location_cell, money_cell
from crossway.dashboard.views.cells import Badge, Cell, Column, Row
from crossway.dashboard.views.clients import client_names
from crossway.dashboard.views.formatting import chain_name, format_percent, group_thousands
from crossway.dashboard.views.links import client_href
from crossway.dashboard.views.marks import mark_chains
from crossway.dashboard.views.treasury import Kpi
from crossway.domain.errors import InvalidInput
from crossway.domain.money import format_units
from crossway.domain.profit_and_loss import NANO_USD_DECIMALS
from crossway.domain.quotes import bridge_title
from crossway.ports.services import Services
from crossway.usecases.money import statement as statements
from crossway.usecases.money.profit_and_loss import LineAmount, Margin, ProfitReport, margin_of
from crossway.usecases.money.profit_lines import ORIGINS, SECTIONS, TITLES, section_of
from crossway.usecases.money.sheets import Sheet
from crossway.usecases.money.statement import Statement

K = TypeVar("K")
NETWORKS: Final = ("Mainnets", "Testnets")
NETWORK_PARAM: Final = "network"
PERIODS: Final[Mapping[str, str]] = {
    "7d": "7 days",
    "30d": "30 days",
    "month": "This month",
    "last_month": "Last month",
    "90d": "90 days",
    periods.CUSTOM: "Custom",
}
DEFAULT_PERIOD: Final = "month"
MAX_GROUPS: Final = 50
_EPOCH: Final = date(1970, 1, 1)
LINE_COLUMNS: Final = (Column("Line"), Column("USD", "right", "At the prices of the hours"))
MARGIN_COLUMNS: Final = (Column("Line"), Column("Amount", "right"), Column("USD", "right"))
UNPRICED_COLUMNS: Final = (Column("Line"), Column("Where"), Column("Amount", "right"))
_MONEY: Final = (
    Column("Revenue", "right"),
    Column("Costs", "right"),
    Column("Result", "right"),
)


def are_testnets(params: Mapping[str, str]) -> bool:
    """Whether a link names test networks. Raises `InvalidInput`."""
    name = params.get(NETWORK_PARAM, NETWORKS[0])
    if name not in NETWORKS:
        raise InvalidInput(f"{NETWORK_PARAM} must be one of {', '.join(NETWORKS)}")
    return name == NETWORKS[1]


def parse_days(params: Mapping[str, str], now: datetime) -> tuple[date, date]:
    """The first and the last day that a URL says, this month without any. Raises `InvalidInput`
    with the reason."""
    if not any(params.get(name) for name in periods.BOUNDS):
        name = params.get(periods.PERIOD) or DEFAULT_PERIOD
        if name not in PERIODS or name == periods.CUSTOM:
            raise InvalidInput(f"period must be one of {', '.join(list(PERIODS)[:-1])}")
        return named_period(name, now.date())
    chosen = periods.parse_range(params, now, DEFAULT_PERIOD)
    if chosen.start is None:
        raise InvalidInput("The period has an end and no start: choose both, or a start")
    end = chosen.end or periods.next_hour(now)
    return chosen.start.date(), (end - timedelta(microseconds=1)).date()


def named_period(name: str, today: date) -> tuple[date, date]:
    """The first and the last day of a period, today included."""
    first = today.replace(day=1)
    if name == "last_month":
        return (first - timedelta(days=1)).replace(day=1), first - timedelta(days=1)
    if name in ("7d", "30d", "90d"):
        return today - timedelta(days=int(name[:-1]) - 1), today
    return first, today


def format_nano_usd(nano: int, places: int = 2) -> str:
    """Nano-USD as `-25.03 USD`, rounded half away from zero."""
    scale = 10 ** (NANO_USD_DECIMALS - places)
    rounded = (abs(nano) + scale // 2) // scale
    sign = "-" if nano < 0 and rounded else ""
    return f"{sign}{group_thousands(format_units(rounded, places, places))} USD"


def build_kpis(report: ProfitReport) -> tuple[Kpi, ...]:
    """Result, revenue, costs and margin of the period."""
    total = report.total
    share = format_percent(100 * total.result / total.revenue) if total.revenue > 0 else "–"
    return (
        Kpi("Result", format_nano_usd(total.result), "Revenue less costs."),
        Kpi("Revenue", format_nano_usd(total.revenue), "Without app fees, which are merchants'."),
        Kpi("Costs", format_nano_usd(total.costs), "Network fees, bridges, swaps and losses."),
        Kpi("Margin", share, "The result as a share of the revenue."),
    )


def build_line_rows(report: ProfitReport) -> dict[str, tuple[Row, ...]]:
    """Rows of the lines that are not zero, by section."""
    found = {}
    for section, lines in SECTIONS.items():
        values = {line: report.value_of(line) for line in lines}
        found[section] = tuple(
            Row(line.value, (Cell(TITLES[line]), Cell(format_nano_usd(nano, 4))))
            for line, nano in values.items()
            if nano
        )
    return found


def build_unpriced_rows(services: Services, report: ProfitReport) -> tuple[Row, ...]:
    """What has no known value."""
    return tuple(
        Row(
            ":".join(map(str, of.key)),
            (
                Cell(TITLES[of.line]),
                location_cell(services, of.chain),
                Cell(statements.format_unpriced(services, of)),
            ),
        )
        for of in report.unpriced
    )


@dataclass(frozen=True, slots=True)
class Grouped:
    """Margins by one criterion: the largest in either direction first, and how many are left
    out."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    left_out: int


def build_groups(services: Services, report: ProfitReport) -> tuple[Grouped, ...]:
    """Margins by chain, route, merchant and cause."""
    catalogue = services.catalogue
    chains = {key: chain_name(catalogue, key) for key in report.by_chain}
    routes = {key: _route_name(services, key) for key in report.by_route}
    names = client_names(services)
    merchants = {key: names.get(key, key) for key in report.by_merchant}
    links = {key: client_href(key) for key in merchants}
    return (
        _grouped("Chain", report.by_chain, chains, mark=mark_chains),
        _grouped("Route", report.by_route, routes, mark=lambda route: mark_chains(*route[::2])),
        _grouped("Merchant", report.by_merchant, merchants, links),
        _grouped("Cause", report.by_origin, {key: ORIGINS[key] for key in report.by_origin}),
    )


def _route_name(services: Services, route: tuple[str, str, str]) -> str:
    source, bridge, destination = route
    ends = (chain_name(services.catalogue, chain) for chain in (source, destination))
    return f"{' → '.join(ends)} ({bridge_title(bridge) if bridge else 'same chain'})"


def _grouped(
    title: str,
    of: Mapping[K, Margin],
    names: Mapping[K, str],
    links: Mapping[K, str] | None = None,
    mark: Callable[[K], tuple[str, ...]] = lambda _: (),
) -> Grouped:
    ordered = sorted(of, key=lambda key: (-abs(of[key].result), names[key]))
    rows = tuple(
        Row(
            str(key),
            (Cell(names[key], marks=mark(key)), *_margin_cells(of[key])),
            href=links[key] if links else "",
            label=names[key],
        )
        for key in ordered[:MAX_GROUPS]
    )
    return Grouped(title, (Column(title), *_MONEY), rows, max(0, len(ordered) - MAX_GROUPS))


def _margin_cells(margin: Margin) -> tuple[Cell, ...]:
    loss = (Badge("Loss", "red", "trending_down"),) if margin.result < 0 else ()
    result = Cell(format_nano_usd(margin.result), badges=loss)
    return Cell(format_nano_usd(margin.revenue)), Cell(format_nano_usd(margin.costs)), result


def build_days(report: ProfitReport) -> list[tuple[date, Margin]]:
    """Every day of the period with its margin, oldest first."""
    days = (report.last - report.first).days + 1
    start = (report.first - _EPOCH).days
    by_day = report.by_day
    return [
        (report.first + timedelta(days=n), by_day.get(start + n, Margin())) for n in range(days)
    ]


def build_margin_rows(services: Services, amounts: Sequence[LineAmount]) -> tuple[Row, ...]:
    """A payment's lines with their amounts and values, and its result."""
    rows = [
        Row(
            ":".join(map(str, of.key)),
            (
                Cell(TITLES[of.line], sub=_place(services, of)),
                _amount_cell(services, of),
                Cell("unknown price" if of.unpriced else format_nano_usd(of.nano_usd, 4)),
            ),
        )
        for of in amounts
        if section_of(of.line)
    ]
    if rows:
        result = format_nano_usd(margin_of(amounts).result, 4)
        rows.append(Row("result", (Cell("Result"), Cell(""), Cell(result)), marked=True))
    return tuple(rows)


def _place(services: Services, of: LineAmount) -> str:
    return f"{section_of(of.line)} · {chain_name(services.catalogue, of.chain)}"


def _amount_cell(services: Services, of: LineAmount) -> Cell:
    if not of.units:
        return Cell("–")  # What several tokens are worth together.
    return money_cell(services, (of.chain, of.token), of.units)


@dataclass(frozen=True, slots=True)
class PrintedSection:
    """A table on paper."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]


def printed_sections(services: Services, statement: Statement) -> list[PrintedSection]:
    """The statement's sheets as tables of texts."""
    return [_printed(services, sheet) for sheet in statements.make_sheets(services, statement)]


_NUMBERS: Final = ("usd", "amount", "opening", "closing")
_HIDDEN: Final = ("token",)


def _printed(services: Services, sheet: Sheet) -> PrintedSection:
    shown = [i for i, name in enumerate(sheet.columns) if name not in _HIDDEN]
    columns = tuple(_printed_column(sheet.columns[i]) for i in shown)
    rows = tuple(
        tuple(_text(services, sheet.columns[i], row[i]) for i in shown) for row in sheet.rows
    )
    return PrintedSection(sheet.title, columns, rows)


def _printed_column(name: str) -> Column:
    title = name.replace("_", " ").capitalize().replace("Usd", "USD").replace(" usd", " USD")
    return Column(title, "right" if any(part in name for part in _NUMBERS) else "")


def _text(services: Services, column: str, value: object) -> str:
    if isinstance(value, Decimal):
        return f"{value:,.2f}" if "usd" in column else group_thousands(format(value, "f"))
    if column == "chain":
        return chain_name(services.catalogue, str(value))
    return "" if value is None else str(value)
