"""Reminders of invoices: an event each, and a mail where the payer has an address."""

import json
from dataclasses import asdict, replace
from datetime import datetime
from typing import Final

from crossway.domain.invoices import Invoice, InvoiceState, ReminderKind, next_reminder
from crossway.domain.mails import Mail, MailMessage, MailState
from crossway.domain.money import format_units
from crossway.domain.webhooks import EventType
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.billing.billing_events import add_invoice_event
from crossway.usecases.billing.mail_texts import TEXTS
from crossway.usecases.billing.pages import invoice_path, page_url
from crossway.usecases.payers.invoice_balances import read_balances

_BATCH: Final = 200


def remind(services: Services) -> int:
    """Record the reminders that are due; returns how many invoices were looked at."""
    with services.store.read() as unit:
        due = unit.invoices.list_to_remind(services.clock.now(), _BATCH)
    if not due:
        return 0

    def work(unit: UnitOfWork) -> int:
        for invoice in due:
            _remind(services, unit, invoice.id)
        return len(due)

    return services.store.write(work)


def _remind(services: Services, unit: UnitOfWork, invoice_id: int) -> None:
    now, invoice = services.clock.now(), unit.invoices.lock(invoice_id)
    if invoice.state is not InvoiceState.OPEN or invoice.remind_at is None:
        return
    kind, done, next_at = next_reminder(invoice, now)
    invoice = replace(invoice, reminders=done, remind_at=next_at)
    unit.invoices.update(invoice)
    if kind is None:
        return
    balance = read_balances(unit, [invoice])[invoice.id]
    if kind is not ReminderKind.ISSUED:
        reminded = replace(invoice, updated_at=now)
        add_invoice_event(unit, reminded, EventType.INVOICE_REMINDER, balance, kind.value)
    if invoice.content["payer"]["email"]:
        left = invoice.total - balance.paid
        unit.mails.add(_write_mail(services, unit, invoice, kind, left, now))


def _write_mail(
    services: Services,
    unit: UnitOfWork,
    invoice: Invoice,
    kind: ReminderKind,
    left: int,
    now: datetime,
) -> Mail:
    """The mail of a reminder, in the payer's language."""
    link = unit.payment_links.get(invoice.payment_link_id)
    client = unit.api_keys.get_client(invoice.client_id)
    assert link is not None
    assert client is not None
    token = services.catalogue.by_address[link.destination_chain, link.token_out]
    texts, payer = TEXTS[invoice.content["language"]], invoice.content["payer"]
    values = {
        "merchant": client.public_profile.display_name or client.name,
        "number": invoice.number,
        "amount": f"{format_units(left, token.decimals)} {token.symbol}",
        "date": invoice.due_date,
        "name": payer["name"],
        "url": page_url(services, "", invoice_path(invoice.name)),
    }
    greeting = "named" if payer["name"] else "greeting"
    parts = [texts[greeting], texts[kind.value], texts["link"], texts["automatic"]]
    message = MailMessage(
        number=f"{invoice.name}.{kind.value}",
        to=payer["email"],
        subject=" ".join(texts["subject"].format(**values).split()),
        text="\n\n".join(part.format(**values) for part in parts) + "\n",
    )
    cause = f"invoice:{invoice.name}:{kind.value}"
    body = json.dumps(asdict(message))
    return Mail(0, cause, MailState.DUE, body, 0, "", now, now, now)
