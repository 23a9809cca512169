"""Events, as webhooks and the event stream carry them."""

import json
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from pydantic import Field

from crossway_client.records.base import Record
from crossway_client.records.billing import Invoice, Subscription
from crossway_client.records.intents import Intent
from crossway_client.records.ramp_orders import RampOrder
from crossway_client.records.standing import StandingDeposit


class Event(Record):
    """An event: `data` is the JSON of its resource as the resource's read endpoint returns it,
    `raw` the body as it arrived. `id` is the same each time that the event arrives."""

    id: str
    type: str
    created_at: datetime
    data: dict[str, Any]
    raw: bytes = Field(default=b"", exclude=True, repr=False)


class IntentEvent(Event):
    """An event of an intent, such as `intent_completed`."""

    @property
    def intent(self) -> Intent:
        """The intent as it was at the event."""
        return Intent.parse(self.data)


class RampOrderEvent(Event):
    """An event of a ramp order, such as `ramp_order_updated`."""

    @property
    def order(self) -> RampOrder:
        """The order as it was at the event."""
        return RampOrder.parse(self.data)


class StandingDepositEvent(Event):
    """An event of a deposit at a standing address, `standing_deposit_updated`."""

    @property
    def deposit(self) -> StandingDeposit:
        """The deposit as it was at the event."""
        return StandingDeposit.parse(self.data)


class InvoiceEvent(Event):
    """An event of an invoice, such as `invoice_paid`."""

    @property
    def invoice(self) -> Invoice:
        """The invoice as it was at the event."""
        return Invoice.parse(self.data)


class SubscriptionEvent(Event):
    """An event of a subscription: `subscription_updated`."""

    @property
    def subscription(self) -> Subscription:
        """The subscription as it was at the event."""
        return Subscription.parse(self.data)


_KINDS: Final = {
    "intent_": IntentEvent,
    "ramp_order_": RampOrderEvent,
    "standing_deposit_": StandingDepositEvent,
    "invoice_": InvoiceEvent,
    "subscription_": SubscriptionEvent,
}


def parse_event(raw: bytes) -> Event:
    """The event in the body of a webhook or of a stream's message, of the class that fits its
    type; an unknown type is an `Event`. Raises `ValueError` if it is none."""
    content = json.loads(raw, parse_float=Decimal)
    name = str(content.get("type", "")) if isinstance(content, dict) else ""
    fitting = (kind for start, kind in _KINDS.items() if name.startswith(start))
    kind: type[Event] = next(fitting, Event)
    event = kind.parse(content).model_copy(update={"raw": raw})
    return event
