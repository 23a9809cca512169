"""What the search of the frame finds: where a text leads, and the page of what it could mean."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from crossway.dashboard.views import links, ramp_wording, wording
from crossway.dashboard.views.cells import Cell, Column, Row
from crossway.dashboard.views.fiat import fiat_amount
from crossway.dashboard.views.figures import about_usd, brief_amount, chain_name, millis
from crossway.domain.clients import Caller
from crossway.domain.intent import Intent
from crossway.domain.ramps import RampOrder, provider_name
from crossway.ports.finding_records import Hit
from crossway.ports.services import Services
from crossway.usecases.payments import finding

SEARCHED: Final = (
    "Search takes, whole: a payment's number, deposit address, key or metadata reference; an "
    "address that pays, is paid or is refunded; the hash of a transaction on either side; a ramp "
    "order (order 12) or either reference to it; an e-mail address; an event (evt_…), a request "
    "id, a delivery (delivery 12), a webhook, a client, a payment link; links to explorers and "
    "payment URIs, too."
)
KINDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "payment": "Payments",
        "order": "Ramp orders",
        "person": "People",
        "link": "Payment links",
        "client": "Clients",
        "delivery": "Deliveries of webhooks",
        "webhook": "Webhooks",
        "request": "Requests",
    }
)
_WHY: Final[Mapping[str, str]] = MappingProxyType(
    {
        "number": "its number",
        "address": "its deposit address",
        "destination_address": "its address on the destination chain",
        "token_account": "its token account for the deposit",
        "key": "its key",
        "nonce": "its nonce",
        "payout": "the transaction that paid its recipient",
        "deposit": "the transaction of a deposit to it",
        "transfer": "a transaction that Crossway sent for it",
        "attempt": "a transaction that was signed for it",
        "event": "one of its events",
        "recipient": "its recipient",
        "sender": "its sender",
        "depositor": "who sent a deposit to it",
        "refund_address": "where its refunds go",
        "metadata": "a value of its metadata",
        "link": "the payment link that it was made by",
        "payers_page": "its page for the payer",
        "reference": "its reference",
        "provider_reference": "the provider's reference to it",
        "provider_tx": "the provider's transaction",
        "intent_address": "the deposit address of its payment",
        "request_id": "its request id",
        "id": "its identifier",
        "name": "its name",
        "email": "the e-mail address",
        "person": "it is for the person with this e-mail address",
    }
)
_ONE: Final[Mapping[str, str]] = MappingProxyType(
    {
        "person": "Person",
        "delivery": "Delivery",
        "webhook": "Webhook",
        "request": "Request",
        "client": "Client",
        "link": "Payment link",
    }
)
COLUMNS: Final = (
    Column("What"),
    Column("Found by"),
    Column("Status"),
    Column("Amount", "right"),
    Column("Way", wide=True),
    Column("Created"),
)


@dataclass(frozen=True, slots=True)
class Found:
    """Where to go: a screen's link, and the e-mail address that it is to start from, which never
    stands in a link."""

    href: str
    email: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """All that a text may mean of one kind."""

    kind: str
    title: str
    rows: tuple[Row, ...]


def found(services: Services, caller: Caller, text: str) -> Found | None:
    """Where a text leads: to the one thing that it means, or to the page of what it could; an
    e-mail address that nobody knows to the identity checks. None where nothing is known by it."""
    known = finding.find(services, caller, text)
    email = finding.email_in(text)
    if known.only is not None:
        return Found(href(known.only), email if known.only.kind == "person" else "")
    if email:
        return Found("search" if known.hits else "kyc", email)
    return Found(links.link("search", q=text.strip())) if known.hits else None


def href(hit: Hit) -> str:
    """The screen of one thing."""
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
            return links.link("payment_link", id=str(number))
    return "kyc"


def groups(services: Services, caller: Caller, text: str) -> tuple[tuple[Group, ...], bool]:
    """All that a text could mean, by kind; and whether there is more than is shown."""
    known = finding.find(services, caller, text)
    made = []
    for kind, title in KINDS.items():
        hits = [hit for hit in known.hits if hit.kind == kind]
        rows = tuple(_row(services, known, hit) for hit in hits)
        if rows:
            made.append(Group(kind, f"{title} ({len(rows)})", rows))
    return tuple(made), known.more


def _row(services: Services, known: finding.Found, hit: Hit) -> Row:
    if hit.kind == "payment":
        cells = _of_payment(services, known.intents[int(hit.id)])
    elif hit.kind == "order":
        cells = _of_order(services, known.orders[int(hit.id)])
    else:
        name = _ONE[hit.kind] if hit.kind == "person" else f"{_ONE[hit.kind]} {hit.id}"
        cells = (Cell(name), Cell("–"), Cell("–"), Cell("–"), Cell("–"))
    why = _WHY.get(hit.why, hit.why)
    what, *rest = cells
    row = (what, Cell(why[0].upper() + why[1:]), *rest)
    return Row(f"{hit.kind}-{hit.id}", row, href(hit), f"{what.text}, found by {why}")


def _of_payment(services: Services, intent: Intent) -> tuple[Cell, ...]:
    terms, names = intent.terms, services.catalogue
    source, destination = (
        chain_name(names, terms.source_chain),
        chain_name(names, terms.destination_chain),
    )
    total = brief_amount(terms.total_units, intent.asset_decimals, intent.asset_symbol)
    return (
        Cell(f"Payment #{intent.id}"),
        Cell(chips=(wording.STATES[intent.state],)),
        Cell(total, about_usd(intent.costs.total_micro_usd)),
        Cell(f"{source} → {destination}"),
        Cell(at=millis(intent.created_at)),
    )


def _of_order(services: Services, order: RampOrder) -> tuple[Cell, ...]:
    local = fiat_amount(order.fiat_minor, order.digits, order.currency)
    way = f"{ramp_wording.KINDS[order.direction]}, {provider_name(order.provider)}"
    return (
        Cell(f"Ramp order #{order.id}"),
        Cell(chips=(ramp_wording.STATES[order.state],)),
        Cell(local),
        Cell(way),
        Cell(at=millis(order.created_at)),
    )
