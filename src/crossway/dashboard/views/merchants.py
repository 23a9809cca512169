"""Merchants on screen: the list with figures, and a merchant's page."""

from collections.abc import Sequence
from typing import Final

from crossway.dashboard.views import alerts
from crossway.dashboard.views.cells import Badge, Cell, Column, LinkButton, Row
from crossway.dashboard.views.formatting import (
    format_duration_or_dash,
    format_share,
    format_usd,
    name_day,
    route_cell,
)
from crossway.dashboard.views.links import client_href, page_href
from crossway.dashboard.views.merchant_names import drop_merchant
from crossway.dashboard.views.overview import OPEN, Kpi
from crossway.domain.analytics import Measures
from crossway.domain.catalogue import Catalogue
from crossway.domain.clients import Principal
from crossway.domain.filters import Filter, FilterField, format_filters
from crossway.domain.ramps import FINAL_ORDER_STATES
from crossway.domain.success import SUCCESS_MEANING
from crossway.ports.services import Services
from crossway.usecases.operating import merchants
from crossway.usecases.operating.merchants import (
    MAX_LATEST,
    MerchantReport,
    RouteSummary,
    WebhookHealth,
)

COLUMNS: Final = (
    Column("Merchant", name="merchant"),
    Column(
        "Volume, 24 h",
        "right",
        "Amounts of the completed payments created in the period",
        name="volume_24_h",
    ),
    Column("Volume, 7 d", "right", wide=True, name="volume_7_d"),
    Column("Volume, 30 d", "right", name="volume_30_d"),
    Column(
        "Payments, 30 d", "right", "Created in the last 30 days", wide=True, name="payments_30_d"
    ),
    Column("Success, 30 d", "right", SUCCESS_MEANING, name="success_30_d"),
    Column("Webhooks", name="webhooks"),
)
ROUTE_COLUMNS: Final = (
    Column("Route"),
    Column("Payments", "right"),
    Column("Completed", "right"),
    Column("Volume, USD", "right"),
    Column("Median time", "right", "From complete deposit to payout"),
)
ALERT_COLUMNS: Final = drop_merchant(alerts.ACTIVE_COLUMNS, ())[0]
MAX_ROUTES: Final = 8
NO_WEBHOOKS = Badge("None", "gray", "webhook", "This merchant is not notified of its payments")
_MILLION: Final = 1_000_000


def build_rows(services: Services, caller: Principal) -> tuple[Row, ...]:
    """All merchants with their figures, the most volume first."""
    return tuple(_row(one) for one in merchants.list_merchants(services, caller))


def _row(of: merchants.MerchantSummary) -> Row:
    day, week, month = of.periods.values()
    return Row(
        key=of.client.id,
        href=client_href(of.client.id),
        label=f"Merchant {of.client.name}, {_dollars(month)} in 30 days",
        cells=(
            Cell(of.client.name),
            *(Cell(_dollars(one), order=one.volume_micro_usd) for one in (day, week, month)),
            Cell(f"{month.created:,}", order=month.created),
            Cell(format_share(month.completed, month.ended_funded), order=success(month)),
            Cell(badges=(health_badge(of.webhooks),)),
        ),
    )


def health_badge(health: WebhookHealth) -> Badge:
    """The health of a merchant's webhooks."""
    if health.failing:
        return Badge(f"{health.failing} failing", "orange", "warning", "Nothing is delivered")
    if health.enabled:
        return Badge(f"{health.enabled} enabled", "green", "check_circle")
    if health.disabled:
        return Badge(f"{health.disabled} disabled", "gray", "power_off")
    return NO_WEBHOOKS


def success(measures: Measures) -> float | None:
    """The share of completed payments, to be compared; None where none has ended."""
    return measures.completed / measures.ended_funded if measures.ended_funded else None


def _dollars(measures: Measures) -> str:
    return format_usd(measures.volume_micro_usd) if measures.volume_micro_usd else "–"


def build_kpis(report: MerchantReport) -> tuple[Kpi, ...]:
    """The KPIs of a merchant's page; unknown values are a dash."""
    periods = report.summary.periods
    month = periods["30 d"]
    volumes = tuple(round(day.volume_micro_usd / _MILLION, 2) for _, day in report.days)
    counts = tuple(float(day.created) for _, day in report.days)
    median = report.median_seconds
    return (
        *(
            Kpi(
                f"Volume, {name}, USD",
                _dollars(measures).removesuffix(" USD"),
                f"Amounts of the completed payments created in the last {name}.",
                steps=volumes if name == "30 d" and any(volumes) else (),
            )
            for name, measures in periods.items()
        ),
        Kpi(
            "Payments, 30 d",
            f"{month.created:,}",
            f"Created in the last 30 days; {month.completed:,} of them are completed.",
            steps=counts if any(counts) else (),
        ),
        Kpi("Success, 30 d", format_share(month.completed, month.ended_funded), SUCCESS_MEANING),
        Kpi(
            "Median time",
            format_duration_or_dash(median),
            f"From complete deposit to payout, of the latest {report.latest:,} payments, at most "
            f"{MAX_LATEST:,}.",
        ),
        Kpi(
            "Fees, 30 d, USD",
            format_usd(month.revenue_micro_usd).removesuffix(" USD")
            if month.revenue_micro_usd
            else "–",
            "What payers paid on top of the amounts, as booked, without the merchant’s fee.",
        ),
    )


def list_days(report: MerchantReport) -> Sequence[tuple[str, int, int]]:
    """Completed payments and volume in dollars per day (UTC) of creation, for the chart."""
    return [
        (name_day(at), day.completed, day.volume_micro_usd // _MILLION) for at, day in report.days
    ]


def build_route_rows(catalogue: Catalogue, report: MerchantReport) -> tuple[Row, ...]:
    """The routes with the most volume among the latest payments, each with its payments."""
    client_id = report.summary.client.id
    return tuple(_route_row(catalogue, client_id, one) for one in report.routes[:MAX_ROUTES])


def _route_row(catalogue: Catalogue, client_id: str, of: RouteSummary) -> Row:
    route = route_cell(catalogue, of.source, of.destination)
    return Row(
        key=f"{of.source}-{of.destination}",
        href=_route_href(client_id, of.source, of.destination),
        label=f"Payments {route.text}",
        cells=(
            route,
            Cell(f"{of.payments:,}"),
            Cell(f"{of.completed:,}", sub=format_share(of.completed, of.payments)),
            Cell(format_usd(of.micro_usd).removesuffix(" USD")),
            Cell(format_duration_or_dash(of.median_seconds)),
        ),
    )


def _route_href(client_id: str, source: str, destination: str) -> str:
    ends = (
        Filter(FilterField.SOURCE, (source,)),
        Filter(FilterField.DESTINATION, (destination,)),
    )
    return page_href("intents", client=client_id, all=format_filters(ends))


def _is_of(client_id: str) -> str:
    return format_filters([Filter(FilterField.CLIENT, (client_id,))])


def describe_routes(report: MerchantReport) -> str:
    """Which payments the routes are of."""
    if report.latest < MAX_LATEST:
        return f"Of all {report.latest:,} payments, by volume."
    return f"Of the latest {report.latest:,} payments, by volume."


def build_alert_rows(services: Services, caller: Principal, client_id: str) -> tuple[Row, ...]:
    """The active alerts that concern a merchant's payments, ramp orders and webhooks."""
    now = services.clock.now()
    found = merchants.list_alerts_of(services, caller, client_id)
    rows = tuple(alerts.active_row(group, one, now, Cell()) for group, one in found)
    return drop_merchant(alerts.ACTIVE_COLUMNS, rows)[1]


def record_links(report: MerchantReport) -> tuple[LinkButton, ...]:
    """The ways to everything that belongs to a merchant, with numbers where they are counted."""
    id_ = report.summary.client.id
    payments, orders = sum(report.payments.values()), sum(report.orders.values())
    open_payments = _note_open(sum(report.payments.get(state, 0) for state in OPEN))
    open_orders = _note_open(
        sum(n for state, n in report.orders.items() if state not in FINAL_ORDER_STATES)
    )
    return (
        LinkButton(
            f"Payments ({payments:,}{open_payments})", page_href("intents", client=id_), "list_alt"
        ),
        LinkButton(
            f"Payment links ({report.links:,})", page_href("payment_links", client=id_), "add_link"
        ),
        LinkButton(
            f"Ramp orders ({orders:,}{open_orders})",
            page_href("ramp_orders", client=id_),
            "receipt_long",
        ),
        LinkButton("Identity checks", page_href("kyc", client=id_), "badge"),
        LinkButton("API requests", page_href("requests", client=id_), "swap_horiz"),
        LinkButton(
            "Analytics",
            page_href("analytics", all=_is_of(id_), group="route"),
            "query_stats",
        ),
        LinkButton("Audit log", page_href("audit", about=f"client:{id_}"), "history"),
    )


def _note_open(number: int) -> str:
    return f", {number:,} open" if number else ""
