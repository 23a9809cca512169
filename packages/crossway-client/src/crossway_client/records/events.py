"""Events, as webhooks and the event stream carry them."""

import json
from datetime import datetime
from decimal import Decimal
from typing import Any

from pydantic import Field

from crossway_client.records.base import Record
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


def parse_event(raw: bytes) -> Event:
    """The event in the body of a webhook or of a stream's message, of the class that fits its
    type; an unknown type is an `Event`. Raises `ValueError` if it is none."""
    content = json.loads(raw, parse_float=Decimal)
    name = str(content.get("type", "")) if isinstance(content, dict) else ""
    kind = Event
    if name.startswith("intent_"):
        kind = IntentEvent
    elif name.startswith("ramp_order_"):
        kind = RampOrderEvent
    elif name.startswith("standing_deposit_"):
        kind = StandingDepositEvent
    event = kind.parse(content).model_copy(update={"raw": raw})
    return event
