"""Payment links on screen: amounts, uses, status, and the form to create or edit one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta

from crossway.dashboard.views.cells import Badge, Cell, Column, Detail, Row
from crossway.dashboard.views.clients import client_names
from crossway.dashboard.views.formatting import (
    address_cell,
    amount_cell,
    chain_cell,
    chain_name,
    format_short_amount,
    time_cell,
    to_millis,
)
from crossway.dashboard.views.keys import parse_whole_number
from crossway.dashboard.views.links import intent_href, page_href, payment_link_href
from crossway.dashboard.views.marks import mark_token
from crossway.dashboard.views.merchant_names import MERCHANT_COLUMN, merchant_cell, name_cell
from crossway.dashboard.views.status_labels import INTENT_STATES
from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput
from crossway.domain.intent import Intent
from crossway.domain.money import Token, format_units
from crossway.domain.payment_links import ClosedReason, LinkUse, PaymentLink
from crossway.domain.typed_amounts import read_amount
from crossway.ports.services import Services
from crossway.usecases.payers import links
from crossway.usecases.payers.link_fields import LinkRequest

COLUMNS = (
    Column("Payment link", name="payment_link"),
    Column("Status", name="status"),
    Column("Merchant", name=MERCHANT_COLUMN),
    Column("Amount", "right", name="amount"),
    Column("Destination", name="destination"),
    Column("Paid", "right", name="paid"),
    Column("Created", name="created"),
)
USE_COLUMNS = (
    Column("Payment"),
    Column("Status"),
    Column("Amount due", "right"),
    Column("From"),
    Column("Created"),
)
PAGE_SIZE = 50
OPEN = Badge("Active", "green", "check_circle")
CLOSED = {
    ClosedReason.OFF: Badge("Disabled", "gray", "power_off"),
    ClosedReason.OVER: Badge("Expired", "gray", "schedule", "The end date has passed"),
    ClosedReason.USED_UP: Badge(
        "Used up", "orange", "done_all", "The maximum number of uses is reached"
    ),
    ClosedReason.IN_USE: Badge(
        "In use", "orange", "hourglass_top", "Open payments reserve all uses that are left"
    ),
}
_CLEARABLE_FIELDS = (
    "amount", "min_amount", "max_amount", "source_chains", "source_tokens", "max_uses", "expires_at"
)  # fmt: skip
FIXED, CHOSEN = "Fixed amount", "Payer chooses"


@dataclass(frozen=True, slots=True)
class Draft:
    """The form's input: amounts as typed, chains by identifier."""

    title: str
    description: str = ""
    fixed: bool = True
    amount: str = ""
    min_amount: str = ""
    max_amount: str = ""
    destination: str = ""
    token: str = ""
    recipient: str = ""
    chains: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()
    reference: str = ""
    max_uses: str = ""
    expires_on: date | None = None


@dataclass(frozen=True, slots=True)
class ListPage:
    """A page of rows; `next_cursor` is where the next one begins, empty on the last."""

    rows: tuple[Row, ...]
    next_cursor: str


def get_link(services: Services, caller: Principal, text: str) -> PaymentLink:
    """The payment link with this id; raises `NotFound`."""
    return links.get(services, caller, text)


def load_page(
    services: Services, caller: Principal, after: str, merchant: str | None = None
) -> ListPage:
    """One page of payment links, of one merchant or all, newest first."""
    payment_links = links.list_page(services, caller, PAGE_SIZE + 1, after or None, merchant)
    names = client_names(services)
    now = services.clock.now()
    rows = tuple(
        _row(services, payment_link, names, now) for payment_link in payment_links[:PAGE_SIZE]
    )
    return ListPage(rows, payment_links[PAGE_SIZE - 1].id if len(payment_links) > PAGE_SIZE else "")


def status_badge(payment_link: PaymentLink, now: datetime) -> Badge:
    """The status of a payment link."""
    closed = payment_link.closed_reason(now)
    return CLOSED[closed] if closed else OPEN


def get_token(services: Services, payment_link: PaymentLink) -> Token:
    """The destination token."""
    return services.catalogue.by_address[payment_link.destination_chain, payment_link.token_out]


def _amount_cell(services: Services, payment_link: PaymentLink) -> Cell:
    """The requested amount, or its limits."""
    token, units = get_token(services, payment_link), payment_link.amount

    def shown(units: int) -> str:
        return format_short_amount(units, token.decimals, token.symbol)

    least, most = payment_link.min_amount, payment_link.max_amount
    if units is not None:
        text = shown(units)
    elif least and most:
        text = f"{shown(least)} to {shown(most)}"
    elif least or most:
        text = f"at least {shown(least)}" if least else f"at most {shown(most or 0)}"
    else:
        text = f"any amount of {token.symbol}"
    return Cell(text, marks=mark_token(token.symbol))


def _describe_uses(link: PaymentLink) -> str:
    limit = f" of {link.max_uses:,}" if link.max_uses else ""
    return f"{link.uses:,}{limit}{f', {link.reserved:,} open' if link.reserved else ''}"


def _row(services: Services, link: PaymentLink, names: Mapping[str, str], now: datetime) -> Row:
    badge = status_badge(link, now)
    return Row(
        key=link.id,
        href=payment_link_href(link.id),
        label=f"Payment link {link.title}, {badge.text}",
        cells=(
            Cell(link.title, sub=link.reference),
            Cell(badges=(badge,)),
            name_cell(names, link.client_id),
            _amount_cell(services, link),
            chain_cell(services.catalogue, link.destination_chain),
            Cell(_describe_uses(link)),
            Cell(at=to_millis(link.created_at)),
        ),
    )


def build_details(services: Services, payment_link: PaymentLink, url: str) -> tuple[Detail, ...]:
    """All details of a payment link."""
    names = client_names(services)
    chains, destination = services.catalogue.chains, payment_link.destination_chain
    source_names = ", ".join(
        chain_name(services.catalogue, source_chain) for source_chain in payment_link.source_chains
    )
    expires_at = payment_link.expires_at
    return (
        Detail("URL", Cell(url, copy=url, value_name="URL", href=url, mono=True)),
        Detail(
            "Merchant",
            merchant_cell(names, payment_link.client_id, f"{payment_link.mode} mode"),
        ),
        Detail("Title", Cell(payment_link.title, sub=payment_link.description)),
        Detail("Amount", _amount_cell(services, payment_link)),
        Detail(
            "Destination",
            Cell(f"{get_token(services, payment_link).symbol} on {chains[destination].name}"),
        ),
        Detail(
            "Recipient", address_cell(chains.get(destination), payment_link.recipient, "recipient")
        ),
        Detail("Accepted chains", Cell(source_names or "any")),
        Detail("Accepted tokens", Cell(", ".join(payment_link.source_tokens) or "any")),
        Detail("Reference", Cell(payment_link.reference or "–")),
        Detail("Paid", Cell(_describe_uses(payment_link))),
        Detail("Expires", time_cell(expires_at, "exact") if expires_at else Cell("never")),
        Detail("Created", time_cell(payment_link.created_at, "exact")),
        Detail("ID", Cell(payment_link.id, copy=payment_link.id, value_name="ID", mono=True)),
    )


def load_uses(
    services: Services, caller: Principal, link_id: str, before: int | None
) -> tuple[tuple[Row, ...], int | None]:
    """One page of the payments made with a link, newest first, and the cursor of the next page."""
    uses = links.list_uses(services, caller, link_id, PAGE_SIZE + 1, before)
    rows = tuple(_use_row(services, use, intent) for use, intent in uses[:PAGE_SIZE])
    return rows, uses[PAGE_SIZE - 1][0].id if len(uses) > PAGE_SIZE else None


def _use_row(services: Services, use: LinkUse, intent: Intent) -> Row:
    terms, status = intent.terms, INTENT_STATES[intent.state]
    return Row(
        key=str(use.id),
        href=intent_href(intent.id),
        label=f"Payment {intent.id}, {status.text}",
        cells=(
            Cell(f"#{intent.id}"),
            Cell(badges=(status,)),
            amount_cell(terms.deposit_amount, intent.asset_decimals, intent.asset_symbol),
            chain_cell(services.catalogue, terms.source_chain),
            Cell(at=to_millis(use.at)),
        ),
    )


def parse_change(
    services: Services, draft: Draft, existing: PaymentLink | None = None
) -> LinkRequest:
    """The form as a change; an empty field clears the value. Raises `InvalidInput`."""
    if existing is None:
        token = services.catalogue.token(draft.destination, draft.token)
    else:
        token = get_token(services, existing)
    fixed, least, most = draft.fixed, draft.min_amount, draft.max_amount
    request = LinkRequest(
        title=draft.title.strip(),
        description=draft.description,
        reference=draft.reference,
        amount=_parse_amount("Amount", draft.amount, token, needed=True) if fixed else None,
        min_amount=None if fixed else _parse_amount("Minimum", least, token),
        max_amount=None if fixed else _parse_amount("Maximum", most, token),
        source_chains=list(draft.chains) or None,
        source_tokens=list(draft.tokens) or None,
        max_uses=parse_whole_number("Maximum uses", draft.max_uses)
        if draft.max_uses.strip()
        else None,
        expires_at=_parse_expiry(draft.expires_on, existing),
    )
    cleared = frozenset(name for name in _CLEARABLE_FIELDS if getattr(request, name) is None)
    if existing is not None:
        return replace(request, cleared=cleared)
    goes_to = draft.recipient.strip()
    return replace(
        request, destination_chain=token.chain, token_out=token.address, recipient=goes_to
    )


def _parse_amount(field: str, typed: str, token: Token, needed: bool = False) -> str | None:
    if not typed.strip() and not needed:
        return None
    units = read_amount(field, typed, token.decimals, token.symbol).units
    if not units:
        raise InvalidInput(f"{field} must be greater than zero")
    return str(units)


def _parse_expiry(until: date | None, existing: PaymentLink | None) -> datetime | None:
    """The end of a day in UTC; an unchanged expiry keeps its exact time."""
    if until is None:
        return None
    current = existing.expires_at if existing else None
    if current is not None and last_day(current) == until:
        return current
    return datetime.combine(until, time(), UTC) + timedelta(days=1)


def last_day(ends: datetime) -> date:
    """The last full day before an expiry."""
    return (ends - timedelta(microseconds=1)).date()


def format_for_input(services: Services, payment_link: PaymentLink, units: int) -> str:
    """An amount in the format of the form's input."""
    return format_units(units, get_token(services, payment_link).decimals)


def list_href(after: str = "", merchant: str | None = None) -> str:
    """The link to a page of the list, by default the first one."""
    query = {"after": after} if after else {}
    return page_href("payment_links", **query, **({"client": merchant} if merchant else {}))


def list_source_symbols(services: Services, chains: Sequence[str]) -> list[str]:
    """The tokens payers can use on these chains, or on any chain."""
    symbols = {
        token.symbol
        for token in services.catalogue.tokens.values()
        if token.enabled and (not chains or token.chain in chains)
    }
    return sorted(symbols, key=lambda symbol: (symbol not in ("USDC", "USDT"), symbol.lower()))
