"""The changes of one order and its intent that one transaction stores: transitions, postings,
alerts and the time of the next poll."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from crossway.domain.bridge_transfer import BridgeTransfer, Custody
from crossway.domain.intent import Intent
from crossway.domain.ledger import Leg, Posting, fiat_location
from crossway.domain.money import format_units
from crossway.domain.ramps import (
    FINAL_ORDER_STATES,
    OrderEvent,
    RampOrder,
    advance_order,
    provider_name,
)
from crossway.ports.ramp_repository import OrderChange
from crossway.ports.records import Alert
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.cancellation import cancel
from crossway.usecases.payments.lifecycle import IntentBatch
from crossway.usecases.ramps.poll_schedule import next_poll_at

LATE, SHORT, CONTRADICTED, OWED = "late", "short", "contradicted", "owed"
# LATE is the provider's delay, DELAYED that of the crypto on its way.
DELAYED = "delayed"
# The kind of every alert about an order; its subject is the order's id.
ALERT_KIND = "ramp"
_ALERT_SUFFIXES = (LATE, SHORT, CONTRADICTED, OWED, DELAYED)


@dataclass
class OrderUnitOfWork:
    """Pending changes of one order, which is locked until the transaction ends."""

    services: Services
    unit: UnitOfWork
    now: datetime
    order: RampOrder
    intent_work: IntentBatch
    changes: list[OrderChange] = field(default_factory=list)
    alerts: dict[str, str] = field(default_factory=dict)
    resolved: set[str] = field(default_factory=set)

    @property
    def intent(self) -> Intent | None:
        """The order's intent with all pending changes."""
        intent_id = self.order.intent_id
        return None if intent_id is None else self.intent_work.current.get(intent_id)

    @property
    def transfer(self) -> BridgeTransfer | None:
        """The bridge transfer of the order's intent; None where no bridge carries it yet. It is not
        locked, but changes only while its intent is."""
        intent = self.intent
        if intent is None or intent.custody is not Custody.BRIDGE:
            return None
        return self.unit.bridge_transfers.get_many([intent.id]).get(intent.id)

    def apply_event(self, event: OrderEvent, note: str = "", **fields: Any) -> None:
        """Apply an event, and set fields of the order; one that has ended is no longer late. Raises
        `InvalidTransition`."""
        before = self.order
        state = advance_order(before.state, event)
        if state in FINAL_ORDER_STATES:
            fields["delay_reason"] = ""
            self.resolve_alert(DELAYED)
        self.order = replace(before, state=state, updated_at=self.now, **fields)
        self.changes.append(OrderChange(before, self.order, event, note))

    def add_note(self, note: str, **fields: Any) -> None:
        """Add an entry to the history without changing the state."""
        self.apply_event(OrderEvent.NOTED, note, **fields)

    @property
    def status_clause(self) -> str:
        """The order's state as a clause for notes and alerts."""
        return f"the order is {self.order.state.lower()}"

    def add_postings(self, kind: str, *legs: Leg) -> None:
        """Post fiat amounts at the provider, in minor units, under a reference of this `kind`."""
        order = self.order
        if order.intent_id is not None:
            location, reference = fiat_location(order.provider), self.posting_reference(kind)
            self.intent_work.postings += [
                Posting(order.intent_id, location, order.currency, debit, credit, amount, reference)
                for debit, credit, amount in legs
            ]

    def has_posted(self, kind: str) -> bool:
        """Whether the ledger already holds postings of this `kind` for the order."""
        reference, intent_id = self.posting_reference(kind), self.order.intent_id
        if intent_id is None:
            return False
        is_pending = any(posting.tx == reference for posting in self.intent_work.postings)
        return is_pending or bool(self.unit.ledger.list_by_tx([intent_id], {reference}))

    def posting_reference(self, kind: str) -> str:
        """The reference that postings of this order carry in place of a transaction."""
        return f"order:{self.order.id}:{kind}"

    def cancel_intent(self, reason: str) -> bool:
        """Cancel the order's intent; returns False when it is too late. True without an intent."""
        intent = self.intent
        return intent is None or cancel(self.unit, self.intent_work, intent.id, reason)

    def raise_alert(self, kind: str, message: str) -> None:
        """Raise an alert, one for each kind and order."""
        readable = message.replace(self.order.provider, provider_name(self.order.provider))
        self.alerts[kind] = f"Order {self.order.id}: {readable}"

    def resolve_alert(self, kind: str) -> None:
        """Resolve the alert of this kind about this order."""
        self.alerts.pop(kind, None)
        self.resolved.add(kind)

    def resolve_alerts(self) -> None:
        """Resolve every alert about this order."""
        for kind in _ALERT_SUFFIXES:
            self.resolve_alert(kind)

    def format_fiat(self, minor: int) -> str:
        """An amount of the order's currency for display, such as `1448.50 NGN`."""
        return format_fiat(self.order, minor)

    def save(self) -> RampOrder:
        """Store all changes and the time of the next poll; returns the order as stored."""
        self.intent_work.store(self.unit)
        at = next_poll_at(self.order, self.now)
        if self.changes:
            self.order = replace(self.order, next_at=at, attempt_count=0)
            self.changes[-1] = replace(self.changes[-1], after=self.order)
            transfer = self.transfer
            self.unit.orders.apply([replace(c, transfer=transfer) for c in self.changes])
        else:
            self.order = replace(self.order, next_at=at)
            self.unit.orders.reschedule(self.order.id, self.order.attempt_count, at)
        self._save_alerts()
        return self.order

    def _save_alerts(self) -> None:
        subject = str(self.order.id)
        for kind, message in self.alerts.items():
            key = f"order:{subject}:{kind}"
            self.unit.alerts.raise_alert(
                Alert(key, ALERT_KIND, subject, message, self.now, self.now, None)
            )
        if ended := self.resolved - self.alerts.keys():
            keys = [f"order:{subject}:{kind}" for kind in sorted(ended)]
            self.unit.alerts.resolve(keys, self.now)


def format_fiat(order: RampOrder, minor: int) -> str:
    """An amount of an order's currency for display, such as `1448.50 NGN`."""
    return f"{format_units(minor, order.digits, order.digits)} {order.currency}"


def lock_order(services: Services, unit: UnitOfWork, order_id: int) -> OrderUnitOfWork:
    """Lock an order and its intent until the transaction ends. The intent is locked first, in the
    same order as transactions that change an intent and then wake its order."""
    current = unit.orders.get(order_id)
    intent_id = None if current is None else current.intent_id
    intents = unit.intents.lock([intent_id]) if intent_id is not None else {}
    order = unit.orders.lock([order_id])[order_id]
    if order.intent_id is not None and order.intent_id not in intents:
        intents = unit.intents.lock([order.intent_id])
    now = services.clock.now()
    return OrderUnitOfWork(services, unit, now, order, IntentBatch(services, now, intents))
