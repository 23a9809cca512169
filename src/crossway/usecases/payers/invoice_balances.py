"""What is paid of invoices, by the payments of their links."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Final

from crossway.domain.intent import State
from crossway.domain.invoices import Balance, Invoice, InvoiceState
from crossway.domain.payment_links import ClosedReason, PaymentLink
from crossway.ports.store import UnitOfWork

_COMING: Final = frozenset({State.PENDING, State.FUNDED, State.INITIATED})


def read_balances(unit: UnitOfWork, invoices: Collection[Invoice]) -> Mapping[int, Balance]:
    """The balance of each invoice by its id."""
    payments = unit.invoices.list_payments([invoice.payment_link_id for invoice in invoices])
    balances = {}
    for invoice in invoices:
        own = payments.get(invoice.payment_link_id, ())
        paid = sum(amount for state, amount in own if state is State.COMPLETED)
        coming = sum(amount for state, amount in own if state in _COMING)
        balances[invoice.id] = Balance(paid, coming)
    return balances


def apply_invoice(
    unit: UnitOfWork, link: PaymentLink, closed: ClosedReason | None
) -> tuple[PaymentLink, ClosedReason | None]:
    """A payment link and why it is closed, as the invoice that it pays has it: it takes what is
    left of the total, and no more."""
    invoice = unit.invoices.find_by_links([link.id]).get(link.id)
    if invoice is None:
        return link, closed
    if invoice.state is InvoiceState.PAID:
        return link, ClosedReason.USED_UP
    left = remaining(unit, invoice)
    if closed is not None or left > 0:
        return (replace(link, max_amount=left) if link.amount is None else link), closed
    return link, ClosedReason.IN_USE


def remaining(unit: UnitOfWork, invoice: Invoice) -> int:
    """What payers may still begin to pay of an invoice, in smallest units; not below 0."""
    balance = read_balances(unit, [invoice])[invoice.id]
    return max(invoice.total - balance.paid - balance.coming, 0)


def has_room(unit: UnitOfWork, link: PaymentLink, amount: int) -> bool:
    """Whether a locked link may take a new payment; one that its page did not lead to an invoice
    may."""
    invoice = unit.invoices.find_by_links([link.id]).get(link.id)
    if invoice is None:
        return True
    return invoice.state is InvoiceState.OPEN and amount <= remaining(unit, invoice)
