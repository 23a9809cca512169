"""What payers see of invoices and subscriptions, without an API key: who has the URL sees it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import count, takewhile
from typing import Final

from crossway.domain.branding import Branding
from crossway.domain.clients import OwnerFilter
from crossway.domain.errors import NotFound
from crossway.domain.intent import Intent
from crossway.domain.subscriptions import Subscription
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.billing.invoice_view import InvoiceView
from crossway.usecases.billing.invoices import view_invoices
from crossway.usecases.payers.checkout import Merchant

MAX_SHOWN: Final = 50
_MAX_DATES: Final = 12
_INVOICE: Final = re.compile(r"inv_[0-9a-f]{20}\Z")
_SUBSCRIPTION: Final = re.compile(r"sub_[0-9a-f]{20}\Z")


@dataclass(frozen=True, slots=True)
class PayerInvoice:
    """An invoice with its merchant and its newest payments; `now` is the service's time."""

    view: InvoiceView
    merchant: Merchant
    payments: Sequence[Intent]
    now: datetime


@dataclass(frozen=True, slots=True)
class PayerSubscription:
    """A subscription with its merchant and its newest invoices, and the due dates that come."""

    subscription: Subscription
    merchant: Merchant
    invoices: Sequence[InvoiceView]
    dates: Sequence[tuple[int, date]]
    now: datetime


def get_invoice(services: Services, name: str) -> PayerInvoice:
    """The invoice of a URL; raises `NotFound`."""
    if not _INVOICE.match(name):
        raise NotFound("No such page")
    with services.store.read() as unit:
        invoice = unit.invoices.get(name)
        if invoice is None:
            raise NotFound("No such page")
        [view] = view_invoices(unit, [invoice])
        uses = unit.payment_links.list_uses(view.link.id, MAX_SHOWN)
        intents = unit.intents.get_many([use.intent_id for use in uses])
        payments = [intents[use.intent_id] for use in uses if use.intent_id in intents]
        merchant = _get_merchant(unit, invoice.client_id)
    return PayerInvoice(view, merchant, payments, services.clock.now())


def get_subscription(services: Services, name: str) -> PayerSubscription:
    """The subscription of a URL; raises `NotFound`."""
    if not _SUBSCRIPTION.match(name):
        raise NotFound("No such page")
    with services.store.read() as unit:
        found = unit.subscriptions.get(name)
        if found is None:
            raise NotFound("No such page")
        owners = OwnerFilter(found.client_id, found.mode)
        invoices = unit.invoices.list_page(owners, MAX_SHOWN, subscription_id=found.id)
        views = view_invoices(unit, invoices)
        merchant = _get_merchant(unit, found.client_id)
    return PayerSubscription(found, merchant, views, _list_dates(found), services.clock.now())


def _list_dates(subscription: Subscription) -> list[tuple[int, date]]:
    """The next periods and their due dates; none while no invoices are issued."""
    if subscription.next_at is None:
        return []
    periods = takewhile(subscription.has_period, count(subscription.next_period))
    listed = (period for _, period in zip(range(_MAX_DATES), periods, strict=False))
    return [(period, subscription.schedule.due_date(period)) for period in listed]


def _get_merchant(unit: UnitOfWork, client_id: str) -> Merchant:
    client = unit.api_keys.get_client(client_id)
    if client is None:
        raise NotFound("No such page")
    return Merchant(client, unit.payment_links.get_branding(client_id) or Branding(client_id))
