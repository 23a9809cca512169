"""An invoice with what belongs to it."""

from dataclasses import dataclass

from crossway.domain.invoices import Balance, Invoice
from crossway.domain.payment_links import PaymentLink


@dataclass(frozen=True, slots=True)
class InvoiceView:
    """An invoice with what is paid of it, the link that pays it and its subscription's name."""

    invoice: Invoice
    balance: Balance
    link: PaymentLink
    subscription: str | None = None
