"""Records of invoices and subscriptions."""

from datetime import date, datetime
from typing import Any

from crossway_client.records.base import Record


class InvoicePayer(Record):
    """Whom an invoice is for; texts are empty where nothing is known."""

    name: str
    email: str
    address: str


class InvoiceLine(Record):
    """One line; amounts are net, in the smallest unit of the invoice's token."""

    description: str
    quantity: int
    unit_amount: int
    net_amount: int
    tax_bps: int


class InvoiceTax(Record):
    """The tax of one rate."""

    tax_bps: int
    net_amount: int
    amount: int


class InvoiceContent(Record):
    """What invoices and subscriptions have in common; amounts in the smallest unit of the token."""

    title: str
    payer: InvoicePayer
    lines: tuple[InvoiceLine, ...]
    tax_name: str
    net_amount: int
    taxes: tuple[InvoiceTax, ...]
    total_amount: int
    token_symbol: str
    token_decimals: int
    notes: str
    language: str
    allow_parts: bool
    remind_days_before: int | None
    remind_days_after: int | None
    id: str
    url: str
    client_id: str
    mode: str
    destination_chain: str
    token_out: str
    recipient: str
    metadata: dict[str, Any]
    time_zone: str
    updated_at: datetime


class Invoice(InvoiceContent):
    """One invoice. `paid_amount` has reached the recipient, `coming_amount` is on its way or asked
    for by open payments."""

    number: str
    status: str
    overdue: bool
    paid_amount: int
    coming_amount: int
    subscription_id: str | None
    period: int | None
    payment_link_id: str
    due_date: date
    reminder: str | None
    issued_at: datetime
    paid_at: datetime | None


class Subscription(InvoiceContent):
    """One subscription; periods count from 0."""

    state: str
    reason: str
    interval: str
    every: int
    first_due_date: date
    lead_days: int
    periods: int | None
    max_unpaid: int
    next_period: int
    next_due_date: date | None
    next_issue_at: datetime | None
    skipped_periods: int
    created_at: datetime
