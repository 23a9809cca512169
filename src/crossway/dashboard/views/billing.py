"""Invoices and subscriptions on screen: lists, details, and the form of a new one."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from crossway.dashboard.views.cells import Badge, Cell, Column, Detail, Row
from crossway.dashboard.views.clients import client_names
from crossway.dashboard.views.formatting import amount_cell, format_rate, time_cell, to_millis
from crossway.dashboard.views.links import page_href, payment_link_href
from crossway.dashboard.views.merchant_names import MERCHANT_COLUMN, merchant_cell, name_cell
from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput
from crossway.domain.invoices import InvoiceStatus, add_up, read_lines
from crossway.domain.money import parse_decimal
from crossway.domain.subscriptions import Subscription, SubscriptionState
from crossway.domain.typed_amounts import read_amount
from crossway.ports.services import Services
from crossway.usecases.billing import invoices, subscriptions
from crossway.usecases.billing.invoice_fields import ContentRequest
from crossway.usecases.billing.invoice_view import InvoiceView

PAGE_SIZE = 50
ONCE, WEEKLY, MONTHLY = "Once", "Every week", "Every month"
INTERVALS = {WEEKLY: "week", MONTHLY: "month"}
LANGUAGES = {
    "en": "English", "de": "German", "fr": "French", "es": "Spanish", "pt": "Portuguese",
    "ar": "Arabic",
}  # fmt: skip
COLUMNS = (
    Column("Invoice", name="invoice"),
    Column("Status", name="status"),
    Column("Merchant", name=MERCHANT_COLUMN),
    Column("Total", "right", name="total"),
    Column("Paid", "right", name="paid"),
    Column("Due", name="due"),
    Column("Issued", name="issued"),
)
SUBSCRIPTION_COLUMNS = (
    Column("Subscription"),
    Column("Status"),
    Column("Merchant", name=MERCHANT_COLUMN),
    Column("Repeats"),
    Column("Next due"),
    Column("Skipped", "right"),
    Column("Created"),
)
_STATUSES = {
    InvoiceStatus.OPEN: Badge("Open", "blue", "receipt"),
    InvoiceStatus.PARTIALLY_PAID: Badge("Partially paid", "orange", "timelapse"),
    InvoiceStatus.PAID: Badge("Paid", "green", "check_circle"),
    InvoiceStatus.VOID: Badge("Void", "gray", "block"),
}
_OVERDUE = Badge("Overdue", "red", "event_busy", "Its due date has passed")
_STATES = {
    SubscriptionState.ACTIVE: Badge("Active", "green", "autorenew"),
    SubscriptionState.PAUSED: Badge("Paused", "orange", "pause_circle"),
    SubscriptionState.CANCELLED: Badge("Cancelled", "gray", "cancel"),
    SubscriptionState.ENDED: Badge("Ended", "gray", "done_all"),
}


@dataclass(frozen=True, slots=True)
class Draft:
    """The form's input: lines and amounts as typed, the chain by identifier."""

    lines: str
    chain: str
    token: str
    recipient: str
    name: str = ""
    email: str = ""
    address: str = ""
    tax_name: str = ""
    notes: str = ""
    language: str = "en"
    parts: bool = False


def invoice_href(name: str) -> str:
    """The URL of one invoice's page."""
    return page_href("invoice", id=name)


def subscription_href(name: str) -> str:
    """The URL of one subscription's page."""
    return page_href("subscription", id=name)


def get_invoice(services: Services, caller: Principal, text: str) -> InvoiceView:
    """The invoice with this id; raises `NotFound`."""
    return invoices.get(services, caller, text)


def get_subscription(services: Services, caller: Principal, text: str) -> Subscription:
    """The subscription with this id; raises `NotFound`."""
    return subscriptions.get(services, caller, text)


def load_invoices(
    services: Services,
    caller: Principal,
    after: str | None,
    subscription: str | None = None,
    client: str | None = None,
) -> tuple[tuple[Row, ...], str | None]:
    """One page of invoices, newest first, and where the next one begins."""
    found = invoices.list_page(services, caller, PAGE_SIZE + 1, after, subscription, client)
    names, now = client_names(services), services.clock.now()
    rows = tuple(_invoice_row(view, names, view.invoice.is_overdue(now)) for view in found)
    more = len(found) > PAGE_SIZE
    return rows[:PAGE_SIZE], found[PAGE_SIZE - 1].invoice.name if more else None


def invoice_badges(view: InvoiceView, is_overdue: bool) -> tuple[Badge, ...]:
    """The status of an invoice, and whether it is overdue."""
    status = _STATUSES[view.invoice.status(view.balance)]
    return (status, _OVERDUE) if is_overdue else (status,)


def _invoice_row(view: InvoiceView, names: Any, is_overdue: bool) -> Row:
    invoice, badges = view.invoice, invoice_badges(view, is_overdue)
    return Row(
        key=invoice.name,
        href=invoice_href(invoice.name),
        label=f"Invoice {invoice.number}, {badges[0].text}",
        cells=(
            Cell(invoice.number, sub=invoice.content["payer"]["name"]),
            Cell(badges=badges),
            name_cell(names, invoice.client_id),
            _amount(view, invoice.total),
            _amount(view, view.balance.paid),
            Cell(invoice.due_date),
            Cell(at=to_millis(invoice.issued_at)),
        ),
    )


def _amount(view: InvoiceView, units: int) -> Cell:
    token = view.invoice.content["token"]
    return amount_cell(units, token["decimals"], token["symbol"])


def build_details(services: Services, view: InvoiceView, url: str) -> tuple[Detail, ...]:
    """All details of an invoice."""
    invoice, balance, names = view.invoice, view.balance, client_names(services)
    payer = invoice.content["payer"]
    parent = view.subscription
    return (
        Detail("Page", Cell(url, copy=url, value_name="URL", href=url, mono=True)),
        Detail("Merchant", merchant_cell(names, invoice.client_id, f"{invoice.mode} mode")),
        Detail("Payer", Cell(payer["name"] or "–", sub=payer["email"])),
        *(
            Detail(f"{line.quantity} × {line.description}", _amount(view, line.net))
            for line in invoice.lines
        ),
        *(
            Detail(
                f"{invoice.content['tax_name']} {format_rate(tax.bps)}", _amount(view, tax.amount)
            )
            for tax in invoice.totals.taxes
        ),
        Detail("Total", _amount(view, invoice.total)),
        Detail("Paid", _amount(view, balance.paid)),
        Detail("On its way or asked for", _amount(view, balance.coming)),
        Detail("Left to pay", _amount(view, max(invoice.total - balance.paid, 0))),
        Detail("Due", Cell(invoice.due_date, sub=invoice.time_zone)),
        Detail(
            "Subscription", Cell(parent, href=subscription_href(parent)) if parent else Cell("–")
        ),
        Detail("Payments", Cell("Payment link", href=payment_link_href(view.link.id))),
        Detail("Issued", time_cell(invoice.issued_at, "exact")),
        Detail("ID", Cell(invoice.name, copy=invoice.name, value_name="ID", mono=True)),
    )


def load_subscriptions(
    services: Services, caller: Principal, after: str | None, client: str | None = None
) -> tuple[tuple[Row, ...], str | None]:
    """One page of subscriptions, newest first, and where the next one begins."""
    found = subscriptions.list_page(services, caller, PAGE_SIZE + 1, after, client)
    names = client_names(services)
    rows = tuple(_subscription_row(one, names) for one in found[:PAGE_SIZE])
    return rows, found[PAGE_SIZE - 1].name if len(found) > PAGE_SIZE else None


def subscription_badge(subscription: Subscription) -> Badge:
    """The state of a subscription, with its reason."""
    badge = _STATES[subscription.state]
    return Badge(badge.text, badge.color, badge.icon, subscription.reason)


def _subscription_row(one: Subscription, names: Any) -> Row:
    badge = subscription_badge(one)
    title = one.link["title"] or read_lines(one.content)[0].description
    due = one.schedule.due_date(one.next_period).isoformat() if one.next_at else "–"
    return Row(
        key=one.name,
        href=subscription_href(one.name),
        label=f"Subscription {title}, {badge.text}",
        cells=(
            Cell(title, sub=one.content["payer"]["name"]),
            Cell(badges=(badge,)),
            name_cell(names, one.client_id),
            Cell(repeats(one)),
            Cell(due),
            Cell(f"{one.skipped:,}"),
            Cell(at=to_millis(one.created_at)),
        ),
    )


def repeats(one: Subscription) -> str:
    """How a subscription repeats, in words."""
    return f"every {one.every} {one.interval}s" if one.every > 1 else f"every {one.interval}"


def subscription_details(services: Services, one: Subscription, url: str) -> tuple[Detail, ...]:
    """All details of a subscription."""
    names = client_names(services)
    return (
        Detail("Page", Cell(url, copy=url, value_name="URL", href=url, mono=True)),
        Detail("Merchant", merchant_cell(names, one.client_id, f"{one.mode} mode")),
        Detail(
            "Payer", Cell(one.content["payer"]["name"] or "–", sub=one.content["payer"]["email"])
        ),
        *_billed(one),
        Detail("Repeats", Cell(f"{repeats(one)} from {one.first_date}", sub=one.time_zone)),
        Detail("Issued", Cell(f"{_count(one.lead_days, 'day')} before the due date")),
        Detail("Next invoice", time_cell(one.next_at, "exact") if one.next_at else Cell("–")),
        Detail("Skipped periods", Cell(f"{one.skipped:,}")),
        Detail("Pauses itself with", Cell(_count(one.max_unpaid, "unpaid invoice"))),
        Detail("Reason", Cell(one.reason or "–")),
        Detail("ID", Cell(one.name, copy=one.name, value_name="ID", mono=True)),
    )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _billed(one: Subscription) -> Iterator[Detail]:
    """What each of its invoices asks for: its lines, net, and their total."""
    token, lines = one.content["token"], read_lines(one.content)
    for line in lines:
        net = amount_cell(line.net, token["decimals"], token["symbol"])
        yield Detail(f"{line.quantity} × {line.description}", net)
    total = add_up(lines, token["decimals"]).total
    yield Detail("Total, with tax", amount_cell(total, token["decimals"], token["symbol"]))


def parse_draft(services: Services, draft: Draft) -> ContentRequest:
    """The form as a request. Raises `InvalidInput`."""
    token = services.catalogue.token(draft.chain, draft.token)
    typed = [line for line in draft.lines.splitlines() if line.strip()]
    if not typed:
        raise InvalidInput("Lines must have one line at least")
    lines = [_parse_line(number, line, token) for number, line in enumerate(typed, 1)]
    return ContentRequest(
        lines=lines,
        payer={"name": draft.name, "email": draft.email.strip(), "address": draft.address},
        tax_name=draft.tax_name or None,
        notes=draft.notes,
        language=draft.language,
        allow_parts=draft.parts,
        destination_chain=token.chain,
        token_out=token.address,
        recipient=draft.recipient.strip(),
    )


def _parse_line(number: int, line: str, token: Any) -> dict[str, Any]:
    """One line as typed: `description | quantity | net price | tax %`."""
    parts = [part.strip() for part in line.split("|")]
    if not 2 <= len(parts) <= 4:
        raise InvalidInput(f"Line {number} must be: description | quantity | net price | tax %")
    description, *rest = parts
    quantity = rest[0] if len(rest) > 1 else "1"
    price, tax = rest[1 if len(rest) > 1 else 0], rest[2] if len(rest) > 2 else "0"
    if not quantity.isdecimal():
        raise InvalidInput(f"Line {number}: the quantity must be a whole number")
    units = read_amount(f"Line {number}: the price", price, token.decimals, token.symbol).units
    bps = parse_decimal(f"Line {number}: the tax", tax.removesuffix("%").strip(), 2)
    return {
        "description": description,
        "quantity": int(quantity),
        "unit_amount": str(units),
        "tax_bps": bps,
    }
