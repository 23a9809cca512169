"""Typed records of webhooks, deliveries and events."""

import json
from datetime import datetime
from decimal import Decimal
from typing import Any

from pydantic import Field

from crossway.client.records import Record


class Webhook(Record):
    """A webhook endpoint; `secret` is set at creation and rotation only."""

    id: int
    client_id: str
    url: str
    events: tuple[str, ...]
    description: str
    enabled: bool
    disabled_reason: str | None
    failing_since: datetime | None
    old_secret_until: datetime | None
    created_at: datetime
    updated_at: datetime
    secret: str | None = Field(default=None, repr=False)


class DeliveryAttempt(Record):
    """One attempt of a delivery."""

    at: datetime
    status: int | None
    error: str | None
    milliseconds: int
    request_headers: dict[str, str]
    response: str


class Delivery(Record):
    """The delivery of an event to an endpoint; `payload` and `attempts` are set by `get` only."""

    id: int
    webhook_id: int
    event_id: str
    type: str
    resource: dict[str, Any]
    state: str
    tries: int
    next_at: datetime | None
    last_status: int | None
    last_error: str | None
    replay_of: int | None
    created_at: datetime
    updated_at: datetime
    payload: dict[str, Any] | None = None
    attempts: tuple[DeliveryAttempt, ...] = ()


class Event(Record):
    """An event; `data` is the resource as its read endpoint returns it, `raw` the body."""

    id: str
    type: str
    created_at: datetime
    data: dict[str, Any]
    raw: bytes = Field(default=b"", exclude=True, repr=False)


def parse_event(raw: bytes) -> Event:
    """The event in the body of a delivery or of a stream's message."""
    event = Event.parse(json.loads(raw, parse_float=Decimal))
    return event.model_copy(update={"raw": raw})
