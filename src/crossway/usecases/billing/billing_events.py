"""Events of invoices and subscriptions, for webhooks and event streams."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Final

from crossway.domain.clients import Mode
from crossway.domain.event_ids import new_event_id
from crossway.domain.invoices import Balance, Invoice, InvoiceState
from crossway.domain.subscriptions import Subscription, SubscriptionState
from crossway.domain.webhooks import EventType, OutboxEvent
from crossway.ports.store import UnitOfWork
from crossway.usecases.billing.invoice_view import InvoiceView

INVOICE_KIND: Final = "invoice"
SUBSCRIPTION_KIND: Final = "subscription"


def add_invoice_event(
    unit: UnitOfWork, invoice: Invoice, type: EventType, balance: Balance, reminder: str = ""
) -> None:
    """Record what happened to an invoice, with what was paid of it then."""
    snapshot = {
        "state": invoice.state.value,
        "paid": str(balance.paid),
        "coming": str(balance.coming),
        "reminder": reminder,
    }
    _add(unit, invoice, type, INVOICE_KIND, invoice.updated_at, snapshot)


def add_subscription_event(unit: UnitOfWork, subscription: Subscription) -> None:
    """Record that a subscription changed."""
    next_at = subscription.next_at
    snapshot = {
        "state": subscription.state.value,
        "reason": subscription.reason,
        "next_period": subscription.next_period,
        "next_at": next_at.isoformat() if next_at else None,
        "skipped": subscription.skipped,
    }
    type, at = EventType.SUBSCRIPTION_UPDATED, subscription.updated_at
    _add(unit, subscription, type, SUBSCRIPTION_KIND, at, snapshot)


def restore_subscription(subscription: Subscription, event: OutboxEvent) -> Subscription:
    """A subscription as it was at the time of the event."""
    snapshot = json.loads(event.snapshot)
    next_at = snapshot["next_at"]
    return replace(
        subscription,
        state=SubscriptionState(snapshot["state"]),
        reason=snapshot["reason"],
        next_period=snapshot["next_period"],
        next_at=datetime.fromisoformat(next_at) if next_at else None,
        skipped=snapshot["skipped"],
        updated_at=event.at,
    )


def restore_invoice(view: InvoiceView, event: OutboxEvent) -> tuple[InvoiceView, str]:
    """An invoice as it was at the time of the event, and the reminder that the event is, if any."""
    snapshot = json.loads(event.snapshot)
    state = InvoiceState(snapshot["state"])
    paid_at = view.invoice.paid_at if state is InvoiceState.PAID else None
    invoice = replace(view.invoice, state=state, paid_at=paid_at, updated_at=event.at)
    balance = Balance(int(snapshot["paid"]), int(snapshot["coming"]))
    return replace(view, invoice=invoice, balance=balance), snapshot["reminder"]


def _add(
    unit: UnitOfWork,
    record: Invoice | Subscription,
    type: EventType,
    kind: str,
    at: datetime,
    snapshot: Mapping[str, object],
) -> None:
    unit.outbox.add(
        OutboxEvent(
            0,
            new_event_id(),
            record.client_id,
            type.value,
            kind,
            record.id,
            at,
            json.dumps(snapshot),
            position=None,
            mode=Mode(record.mode),
        )
    )
