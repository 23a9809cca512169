"""The pages of an invoice and of a subscription, to be read, printed and paid."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

from babel.dates import format_date
from markupsafe import Markup
from starlette.responses import Response

from crossway.domain.intent import Intent
from crossway.domain.invoices import Invoice, InvoiceState, add_up, read_lines
from crossway.domain.money import format_units
from crossway.domain.subscriptions import SubscriptionState
from crossway.payer.calendar_file import MEDIA_TYPE, DueDate, write_calendar
from crossway.payer.formatting import format_exact, format_instant
from crossway.payer.live_paper import LivePaper
from crossway.payer.responses import PageRequest, download_file
from crossway.usecases.billing import payer_pages
from crossway.usecases.billing.invoice_view import InvoiceView
from crossway.usecases.billing.pages import invoice_path, subscription_path
from crossway.usecases.billing.payer_pages import PayerInvoice, PayerSubscription
from crossway.usecases.payments.checkout_urls import create_token


@dataclass(frozen=True, slots=True)
class LineView:
    """One line of an invoice."""

    description: str
    each: Markup
    net: str


@dataclass(frozen=True, slots=True)
class SumView:
    """One of the sums; the one that matters most is `strong`."""

    label: Markup
    amount: str
    strong: bool = False


@dataclass(frozen=True, slots=True)
class PaymentView:
    """One payment of an invoice."""

    amount: str
    state: Markup
    at: str
    url: str


@dataclass(frozen=True, slots=True)
class ListedInvoice:
    """One invoice of a subscription."""

    number: str
    due: str
    amount: str
    status: Markup
    url: str


def respond_invoice(page_request: PageRequest) -> Response:
    """The page of an invoice."""
    return _build_invoice(page_request).respond(page_request)


def update_invoice(page_request: PageRequest) -> Response:
    """What has changed on the page of an invoice."""
    return _build_invoice(page_request).update(page_request)


def _build_invoice(page_request: PageRequest) -> LivePaper:
    found = payer_pages.get_invoice(page_request.services, _name(page_request))
    view, invoice = found.view, found.view.invoice
    status = invoice.status(view.balance)
    return LivePaper(
        "invoice.html",
        found.merchant,
        page_request.t.plain("invoice.title", number=invoice.number),
        invoice_path(invoice.name),
        found.now,
        # As the page of a payment tells a site that embeds it.
        "completed" if status == "paid" else status,
        invoice.state is not InvoiceState.OPEN,
        {**_paper(page_request, found), **_ways(page_request, found)},
    )


def _paper(page_request: PageRequest, found: PayerInvoice) -> dict[str, object]:
    """What stands on the paper."""
    t, view, invoice = page_request.t, found.view, found.view.invoice
    status, content = invoice.status(view.balance), invoice.content
    return {
        "title": t("invoice.title", number=invoice.number),
        "what": content["title"],
        "status": t(f"status.{status}"),
        "tone": {"paid": "good", "void": "bad"}.get(status, "warned"),
        "payer": [text for text in (content["payer"]["name"], content["payer"]["address"]) if text],
        "issued": format_instant(invoice.issued_at, t.locale),
        "due": _day(page_request, invoice.due_date),
        "overdue": invoice.is_overdue(found.now),
        "lines": list(_lines(page_request, invoice)),
        "sums": list(_sums(page_request, view)),
        "notes": content["notes"],
        "url": page_request.absolute_url(invoice_path(invoice.name)),
    }


def _ways(page_request: PageRequest, found: PayerInvoice) -> dict[str, object]:
    """The payments so far, and what can be done."""
    view, invoice = found.view, found.view.invoice
    is_open = invoice.state is InvoiceState.OPEN
    left = invoice.total - view.balance.paid
    room = left - view.balance.coming
    calendar, parent = f"{invoice_path(invoice.name)}/calendar", view.subscription
    return {
        "payments": [_payment(page_request, intent) for intent in found.payments],
        "parts": is_open and invoice.allows_parts,
        "busy": is_open and room <= 0,
        "pay_url": page_request.path(f"l/{view.link.id}") if is_open else "",
        "pay_amount": _amount(page_request, invoice, room if room > 0 else left),
        "calendar_url": page_request.path(calendar) if is_open else "",
        "subscription_url": page_request.path(subscription_path(parent)) if parent else "",
    }


def respond_subscription(page_request: PageRequest) -> Response:
    """The page of a subscription."""
    return _build_subscription(page_request).respond(page_request)


def update_subscription(page_request: PageRequest) -> Response:
    """What has changed on the page of a subscription."""
    return _build_subscription(page_request).update(page_request)


def _build_subscription(page_request: PageRequest) -> LivePaper:
    found = payer_pages.get_subscription(page_request.services, _name(page_request))
    t, one = page_request.t, found.subscription
    day = format_date(found.dates[0][1], "long", t.locale) if found.dates else ""
    values = {"date": day} if one.state == "active" else {}
    title = one.link["title"] or t.plain("subscription.title")
    page = {
        "title": title,
        "repeats": t.plural(f"repeat.{one.interval}", one.every),
        "state": t(f"subscription.{one.state}", **values),
        "skipped": one.skipped,
        "invoices": [_listed(page_request, view) for view in found.invoices],
        "calendar_url": page_request.path(f"{subscription_path(one.name)}/calendar"),
    }
    is_over = one.state in (SubscriptionState.CANCELLED, SubscriptionState.ENDED)
    path = subscription_path(one.name)
    return LivePaper(
        "subscription.html", found.merchant, title, path, found.now, one.state, is_over, page
    )


def respond_invoice_calendar(page_request: PageRequest) -> Response:
    """The due date of an invoice as a calendar file."""
    found = payer_pages.get_invoice(page_request.services, _name(page_request))
    return _calendar(found, [_due_date(page_request, found.view, found.merchant.name)])


def respond_subscription_calendar(page_request: PageRequest) -> Response:
    """The due dates of a subscription as a calendar file: of open invoices, and those to come."""
    found = payer_pages.get_subscription(page_request.services, _name(page_request))
    merchant, one = found.merchant.name, found.subscription
    due = [
        _due_date(page_request, view, merchant)
        for view in reversed(found.invoices)
        if view.invoice.state == "open"
    ]
    token = one.content["token"]
    total = add_up(read_lines(one.content), token["decimals"]).total
    amount = format_exact(total, token["decimals"], token["symbol"], page_request.t.locale)
    title = page_request.t.plain("subscription.due", title=merchant, amount=amount)
    url = page_request.absolute_url(subscription_path(one.name))
    due += [DueDate(f"{one.name}.{period}", day, title, url) for period, day in found.dates]
    return _calendar(found, due)


def _calendar(found: PayerInvoice | PayerSubscription, due: list[DueDate]) -> Response:
    return download_file(write_calendar(due, found.now), "due.ics", MEDIA_TYPE)


def _due_date(page_request: PageRequest, view: InvoiceView, merchant: str) -> DueDate:
    invoice = view.invoice
    key = invoice.name if view.subscription is None else f"{view.subscription}.{invoice.period}"
    amount = _amount(page_request, invoice, invoice.total - view.balance.paid)
    title = page_request.t.plain("subscription.due", title=merchant, amount=amount)
    url = page_request.absolute_url(invoice_path(invoice.name))
    return DueDate(key, date.fromisoformat(invoice.due_date), title, url)


def _name(page_request: PageRequest) -> str:
    return str(page_request.request.path_params["name"])


def _day(page_request: PageRequest, day: str) -> str:
    return format_date(date.fromisoformat(day), "long", page_request.t.locale)


def _amount(page_request: PageRequest, invoice: Invoice, units: int) -> str:
    token = invoice.content["token"]
    return format_exact(units, token["decimals"], token["symbol"], page_request.t.locale)


def _lines(page_request: PageRequest, invoice: Invoice) -> Iterator[LineView]:
    for line in invoice.lines:
        price = _amount(page_request, invoice, line.unit_amount)
        each = Markup('<bdi dir="ltr">{} × {}</bdi>').format(line.quantity, price)
        yield LineView(line.description, each, _amount(page_request, invoice, line.net))


def _sums(page_request: PageRequest, view: InvoiceView) -> Iterator[SumView]:
    t, invoice, balance = page_request.t, view.invoice, view.balance
    totals = invoice.totals

    def shown(units: int) -> str:
        return _amount(page_request, invoice, units)

    if totals.taxes:
        yield SumView(t("invoice.net"), shown(totals.net))
    for tax in totals.taxes:
        rate = format_units(tax.bps, 2)
        name = invoice.content["tax_name"]
        label = t("invoice.tax", name=name, rate=rate, net=shown(tax.net))
        yield SumView(label, shown(tax.amount))
    yield SumView(t("invoice.total"), shown(totals.total), strong=True)
    if balance.paid:
        yield SumView(t("invoice.paid"), shown(balance.paid))
    if balance.coming:
        yield SumView(t("invoice.coming"), shown(balance.coming))
    if balance.paid and balance.paid < totals.total:
        yield SumView(t("invoice.left"), shown(totals.total - balance.paid), strong=True)


def _payment(page_request: PageRequest, intent: Intent) -> PaymentView:
    t = page_request.t
    units = intent.terms.payout_amount
    return PaymentView(
        format_exact(units, intent.out_decimals, intent.out_symbol, t.locale),
        t(f"payment.{intent.state.lower()}"),
        format_instant(intent.created_at, t.locale),
        page_request.path(create_token(page_request.services, intent.id)),
    )


def _listed(page_request: PageRequest, view: InvoiceView) -> ListedInvoice:
    invoice = view.invoice
    return ListedInvoice(
        invoice.number,
        _day(page_request, invoice.due_date),
        _amount(page_request, invoice, invoice.total),
        page_request.t(f"status.{invoice.status(view.balance)}"),
        page_request.path(invoice_path(invoice.name)),
    )


BILLING_PAGES: Final[Mapping[str, Callable[[PageRequest], Response]]] = {
    "/i/{name}": respond_invoice,
    "/i/{name}/live": update_invoice,
    "/i/{name}/calendar": respond_invoice_calendar,
    "/s/{name}": respond_subscription,
    "/s/{name}/live": update_subscription,
    "/s/{name}/calendar": respond_subscription_calendar,
}
