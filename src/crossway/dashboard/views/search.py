"""Global search: the page a text resolves to, and the page of results."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from crossway.dashboard.views import links, ramp_status_labels, status_labels
from crossway.dashboard.views.cells import Cell, Column, Row
from crossway.dashboard.views.fiat import format_fiat
from crossway.dashboard.views.formatting import (
    amount_cell,
    format_approx_usd,
    route_cell,
    to_millis,
)
from crossway.domain.clients import Principal
from crossway.domain.intent import Intent
from crossway.domain.ramps import RampOrder, provider_name
from crossway.ports.search_repository import SearchHit
from crossway.ports.services import Services
from crossway.usecases.payments import search

SEARCH_HELP: Final = (
    "Enter an exact value: a payment's ID, deposit address, intent hash or metadata reference; a "
    "sender, recipient or refund address; a transaction hash on either chain; a ramp order (order "
    "12) or one of its references; an e-mail address; an event (evt_…), a request ID, a delivery "
    "(delivery 12), a webhook, a merchant, a payment link, a standing address. Explorer links and "
    "payment URIs work too."
)
KIND_TITLES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "payment": "Payments",
        "order": "Ramp orders",
        "customer": "Customers",
        "link": "Payment links",
        "standing": "Standing addresses",
        "standing_deposit": "Deposits at standing addresses",
        "client": "Merchants",
        "delivery": "Webhook deliveries",
        "webhook": "Webhooks",
        "request": "Requests",
    }
)
_KIND_NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "customer": "Customer",
        "delivery": "Delivery",
        "webhook": "Webhook",
        "request": "Request",
        "client": "Merchant",
        "link": "Payment link",
        "standing": "Standing address",
        "standing_deposit": "Deposit",
    }
)
COLUMNS: Final = (
    Column("Result"),
    Column("Matched by"),
    Column("Status"),
    Column("Amount", "right"),
    Column("Route", wide=True),
    Column("Created"),
)


@dataclass(frozen=True, slots=True)
class SearchTarget:
    """The page to open. `email` prefills it and is passed in the session, never in the URL."""

    href: str
    email: str = ""


@dataclass(frozen=True, slots=True)
class ResultGroup:
    """The results of one kind."""

    kind: str
    title: str
    rows: tuple[Row, ...]


def resolve(services: Services, caller: Principal, text: str) -> SearchTarget | None:
    """The page a text resolves to: the only match, or the page of results. An unknown e-mail
    address resolves to the identity checks. None without a match."""
    results = search.search(services, caller, text)
    email = search.parse_email_query(text)
    if results.best_match is not None:
        return SearchTarget(
            hit_href(results, results.best_match),
            email if results.best_match.kind == "customer" else "",
        )
    if email:
        return SearchTarget("search" if results.hits else "kyc", email)
    return SearchTarget(links.page_href("search", q=text.strip())) if results.hits else None


def hit_href(results: search.SearchResult, hit: SearchHit) -> str:
    """The link to the page of one result."""
    number = hit.id
    match hit.kind:
        case "payment":
            return links.intent_href(number)
        case "order":
            return links.order_href(number)
        case "delivery":
            return links.delivery_href(int(number))
        case "webhook":
            return links.webhook_href(int(number))
        case "request":
            return links.request_href(int(number))
        case "client":
            return links.client_href(str(number))
        case "link":
            return links.page_href("payment_link", id=str(number))
        case "standing":
            return links.standing_href(str(number))
        case "standing_deposit":
            return links.standing_href(results.standing[int(number)])
    return "kyc"


def group_results(
    services: Services, caller: Principal, text: str, restores_archived: bool = True
) -> tuple[tuple[ResultGroup, ...], bool, bool]:
    """The results by kind, whether there are more than shown, and whether they are of the other
    mode, as the caller's has none."""
    results = search.search(services, caller, text, restores_archived)
    groups = []
    for kind, title in KIND_TITLES.items():
        hits = [hit for hit in results.hits if hit.kind == kind]
        rows = tuple(_row(services, results, hit) for hit in hits)
        if rows:
            groups.append(ResultGroup(kind, f"{title} ({len(rows)})", rows))
    return tuple(groups), results.truncated, results.in_other_mode


def _row(services: Services, results: search.SearchResult, hit: SearchHit) -> Row:
    if hit.kind == "payment":
        cells = _payment_cells(services, results.intents[int(hit.id)])
    elif hit.kind == "order":
        cells = _order_cells(services, results.orders[int(hit.id)])
    else:
        name = (
            _KIND_NAMES[hit.kind] if hit.kind == "customer" else f"{_KIND_NAMES[hit.kind]} {hit.id}"
        )
        cells = (Cell(name), Cell("–"), Cell("–"), Cell("–"), Cell("–"))
    reason = search.MATCHED_BY.get(hit.matched_field, hit.matched_field)
    name_cell, *other_cells = cells
    row = (name_cell, Cell(reason[0].upper() + reason[1:]), *other_cells)
    return Row(
        f"{hit.kind}-{hit.id}",
        row,
        hit_href(results, hit),
        f"{name_cell.text}, matched by {reason}",
    )


def _payment_cells(services: Services, intent: Intent) -> tuple[Cell, ...]:
    terms, names = intent.terms, services.catalogue
    usd_value = format_approx_usd(intent.costs.total_micro_usd)
    return (
        Cell(f"Payment #{intent.id}"),
        Cell(badges=(status_labels.INTENT_STATES[intent.state],)),
        amount_cell(terms.deposit_amount, intent.asset_decimals, intent.asset_symbol, usd_value),
        route_cell(names, terms.source_chain, terms.destination_chain),
        Cell(at=to_millis(intent.created_at)),
    )


def _order_cells(services: Services, order: RampOrder) -> tuple[Cell, ...]:
    local = format_fiat(order.fiat_minor, order.digits, order.currency)
    description = (
        f"{ramp_status_labels.DIRECTIONS[order.direction]}, {provider_name(order.provider)}"
    )
    return (
        Cell(f"Ramp order #{order.id}"),
        Cell(badges=(ramp_status_labels.STATES[order.state],)),
        Cell(local),
        Cell(description),
        Cell(at=to_millis(order.created_at)),
    )
