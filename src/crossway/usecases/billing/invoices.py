"""Create, list and void invoices, and find out which were paid."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Final

from crossway.domain.calendar_periods import (
    local_date,
    parse_date,
    parse_time_zone,
    start_of_day,
)
from crossway.domain.clients import Owner, OwnerFilter, Principal, Scope
from crossway.domain.error_codes import ErrorCode
from crossway.domain.errors import InvalidInput, InvalidStatus, NotFound
from crossway.domain.invoices import Balance, Invoice, InvoiceState
from crossway.domain.payment_links import PaymentLink
from crossway.domain.webhooks import EventType
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.billing.billing_events import add_invoice_event
from crossway.usecases.billing.invoice_fields import ContentRequest, parse_content, total_up
from crossway.usecases.billing.invoice_view import InvoiceView
from crossway.usecases.payers.invoice_balances import read_balances
from crossway.usecases.payers.links import build_link
from crossway.usecases.validation_errors import ValidationErrors

MAX_PAGE_SIZE: Final = 100
_BATCH: Final = 200
# So long after its time a payment may be stored, or later by another machine's clock: until then an
# invoice that was paid in part is looked at again.
_LATEST_COMMIT: Final = timedelta(minutes=10)
_LONGEST_DUE: Final = timedelta(days=3_650)


@dataclass(frozen=True, slots=True)
class DraftInvoice:
    """An invoice before it has a number, with its link."""

    invoice: Invoice
    link: PaymentLink


def _do_nothing(unit: UnitOfWork, view: InvoiceView) -> None:
    """The default of `in_transaction`."""


def create(
    services: Services,
    caller: Principal,
    request: ContentRequest,
    due_date: object = None,
    time_zone: object = None,
    in_transaction: Callable[[UnitOfWork, InvoiceView], None] = _do_nothing,
    client_id: str | None = None,
) -> InvoiceView:
    """Issue an invoice of the caller's client, due today unless another date is given; operators
    may name another client. `in_transaction` runs in the same transaction. Raises `InvalidInput`.
    """
    caller.require_scope(Scope.WRITE)
    owner = caller.owner
    if client_id is not None and caller.is_staff:
        owner = replace(owner, client_id=client_id)
    errors, now = ValidationErrors(request.field_errors), services.clock.now()
    zone = errors.collect(parse_time_zone, "UTC" if time_zone is None else time_zone) or "UTC"
    due = errors.collect(_parse_due, due_date, local_date(now, zone)) or local_date(now, zone)
    draft = draft_invoice(services, caller, request, owner, errors, (due, zone))

    def work(unit: UnitOfWork) -> InvoiceView:
        if unit.api_keys.get_client(owner.client_id) is None:
            raise NotFound("Client not found")
        view = issue(unit, draft)
        detail = {"invoice": view.invoice.name, "number": view.invoice.number}
        subject = f"invoice:{view.invoice.name}"
        unit.audit_log.record(caller.actor_name, "invoice created", detail, now, subject)
        in_transaction(unit, view)
        return view

    view = services.store.write(work)
    services.process.wake()
    return view


def _parse_due(value: object, today: date) -> date:
    due = today if value is None else parse_date(value, "due_date")
    if not today <= due <= today + _LONGEST_DUE:
        raise InvalidInput("due_date must be today or later, within ten years")
    return due


def draft_invoice(
    services: Services,
    caller: Principal,
    request: ContentRequest,
    owner: Owner,
    errors: ValidationErrors,
    due: tuple[date, str],
) -> DraftInvoice:
    """An invoice of an owner with its link, due on a date in a time zone. Raises `InvalidInput`
    with these errors and its own."""
    content, now = parse_content(request, errors), services.clock.now()
    due_date, time_zone = due
    invoice = Invoice(
        id=0,
        name=f"inv_{secrets.token_hex(10)}",
        client_id=owner.client_id,
        mode=owner.mode.value,
        sequence=0,
        payment_link_id="",
        subscription_id=None,
        period=None,
        state=InvoiceState.OPEN,
        total=0,
        content=content,
        due_date=due_date.isoformat(),
        time_zone=time_zone,
        due_at=start_of_day(due_date + timedelta(days=1), time_zone),
        reminders=0,
        # The first reminder is that it was issued.
        remind_at=now,
        issued_at=now,
        updated_at=now,
    )
    link = build_link(services, caller, request.link_request(), owner, errors)
    token = services.catalogue.by_address[link.destination_chain, link.token_out]
    total = total_up(invoice.lines, token).total
    if not content["allow_parts"]:
        link = replace(link, amount=total, max_uses=1)
    content["token"] = {"symbol": token.symbol, "decimals": token.decimals}
    return DraftInvoice(replace(invoice, payment_link_id=link.id, total=total), link)


def issue(unit: UnitOfWork, draft: DraftInvoice) -> InvoiceView:
    """Store a draft with the next number of its client and mode, and its link."""
    invoice, link = draft.invoice, draft.link
    # A number is given in the transaction that stores it: it has neither gaps nor doubles.
    unit.leases.lock(f"invoices:{invoice.client_id}:{invoice.mode}")
    sequence = unit.invoices.next_sequence(invoice.client_id, invoice.mode)
    invoice = replace(invoice, sequence=sequence)
    title = invoice.content["title"] or f"Invoice {invoice.number}"
    metadata = {**link.metadata, "invoice": invoice.name}
    link = replace(link, title=title, reference=invoice.number, metadata=metadata)
    unit.payment_links.add(link)
    invoice = unit.invoices.add(invoice)
    add_invoice_event(unit, invoice, EventType.INVOICE_ISSUED, Balance())
    return InvoiceView(invoice, Balance(), link)


def get(services: Services, caller: Principal, name: str) -> InvoiceView:
    """One of the caller's invoices; operators read every one."""
    caller.require_scope(Scope.READ)
    with services.store.read() as unit:
        return view_invoices(unit, [require_owned(caller, unit.invoices.get(name))])[0]


def list_page(
    services: Services,
    caller: Principal,
    limit: int,
    after: str | None = None,
    subscription: str | None = None,
    client_id: str | None = None,
) -> list[InvoiceView]:
    """One page of the caller's invoices, newest first, after the one named `after`; of one
    subscription or, for operators, of one client, if given: none of one that is not theirs."""
    caller.require_scope(Scope.READ)
    if not 1 <= limit <= MAX_PAGE_SIZE:
        raise InvalidInput(f"limit must be from 1 to {MAX_PAGE_SIZE}")
    with services.store.read() as unit:
        before = None if after is None else unit.invoices.get(after)
        if after is not None and (before is None or not caller.can_access(before)):
            raise InvalidInput("cursor must be the next cursor of another page")
        parent = None if subscription is None else unit.subscriptions.get(subscription)
        if subscription is not None and (parent is None or not caller.can_access(parent)):
            return []
        owners = caller.narrow(OwnerFilter(client_id))
        found = unit.invoices.list_page(
            owners, limit, before.id if before else None, parent.id if parent else None
        )
        return view_invoices(unit, found)


def view_invoices(unit: UnitOfWork, invoices: Sequence[Invoice]) -> list[InvoiceView]:
    """These invoices with their balances, links and subscriptions."""
    balances = read_balances(unit, invoices)
    parents = unit.subscriptions.get_many(
        {i.subscription_id for i in invoices if i.subscription_id is not None}
    )
    views = []
    for invoice in invoices:
        link = unit.payment_links.get(invoice.payment_link_id)
        assert link is not None
        parent = parents.get(invoice.subscription_id or 0)
        name = parent.name if parent else None
        views.append(InvoiceView(invoice, balances[invoice.id], link, name))
    return views


def void(services: Services, caller: Principal, name: str) -> InvoiceView:
    """Make an invoice void that nothing was paid of, with its link; it keeps its number. Raises
    `InvalidStatus`."""
    caller.require_scope(Scope.WRITE)
    now = services.clock.now()

    def work(unit: UnitOfWork) -> InvoiceView:
        found = require_owned(caller, unit.invoices.get(name))
        link = unit.payment_links.lock(found.payment_link_id)
        assert link is not None
        invoice = unit.invoices.lock(found.id)
        balance = read_balances(unit, [invoice])[invoice.id]
        _require_voidable(invoice, balance)
        invoice = replace(invoice, state=InvoiceState.VOID, remind_at=None, updated_at=now)
        link = replace(link, active=False, updated_at=now)
        unit.invoices.update(invoice)
        unit.payment_links.update(link)
        add_invoice_event(unit, invoice, EventType.INVOICE_VOIDED, balance)
        detail = {"invoice": invoice.name, "number": invoice.number}
        subject = f"invoice:{invoice.name}"
        unit.audit_log.record(caller.actor_name, "invoice voided", detail, now, subject)
        return view_invoices(unit, [invoice])[0]

    return services.store.write(work)


def _require_voidable(invoice: Invoice, balance: Balance) -> None:
    if invoice.state is InvoiceState.VOID:
        raise InvalidStatus("The invoice is already void")
    if invoice.state is InvoiceState.PAID or balance.paid:
        raise InvalidStatus("Something was paid of this invoice: it cannot be made void")
    if balance.coming:
        raise InvalidStatus("A payment of this invoice is open: wait until it ends")


def settle_paid(services: Services) -> int:
    """Mark open invoices as paid whose payments have reached the total; returns how many."""
    with services.store.read() as unit:
        candidates = unit.invoices.list_settled(_BATCH)
    if not candidates:
        return 0
    now = services.clock.now()

    def work(unit: UnitOfWork) -> int:
        return sum(_settle(unit, invoice.id, now) for invoice in candidates)

    return services.store.write(work)


def _settle(unit: UnitOfWork, invoice_id: int, now: datetime) -> int:
    invoice = unit.invoices.lock(invoice_id)
    balance = read_balances(unit, [invoice])[invoice.id]
    if invoice.state is not InvoiceState.OPEN:
        return 0
    if balance.paid < invoice.total:
        looked_at = now - _LATEST_COMMIT
        if looked_at > invoice.updated_at:
            unit.invoices.update(replace(invoice, updated_at=looked_at))
        return 0
    invoice = replace(invoice, state=InvoiceState.PAID, paid_at=now, remind_at=None, updated_at=now)
    unit.invoices.update(invoice)
    add_invoice_event(unit, invoice, EventType.INVOICE_PAID, balance)
    return 1


def require_owned(caller: Principal, invoice: Invoice | None) -> Invoice:
    """The invoice, if the caller may access it; else raises `NotFound`."""
    if invoice is None or not caller.can_access(invoice):
        raise NotFound("Invoice not found", ErrorCode.INVOICE_NOT_FOUND)
    return invoice
