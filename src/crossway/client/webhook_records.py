"""Webhooks, their deliveries and the events they carry, as typed records."""

import json
from datetime import datetime
from decimal import Decimal
from typing import Any

from pydantic import Field

from crossway.client.records import CamelCaseRecord, Record


class Webhook(CamelCaseRecord):
    """An endpoint that events are sent to; `secret` is there at creation and rotation alone."""

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


class DeliveryAttempt(CamelCaseRecord):
    """One request of a delivery and its answer."""

    at: datetime
    status: int | None
    error: str | None
    milliseconds: int
    request_headers: dict[str, str]
    response: str


class Delivery(CamelCaseRecord):
    """One event on its way to one endpoint; `payload` and `attempts` only where one is read."""

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
    """Something that happened; `data` is the resource as its read endpoint shows it, `raw` the
    bytes as they came."""

    id: str
    type: str
    created_at: datetime
    data: dict[str, Any]
    raw: bytes = Field(default=b"", exclude=True, repr=False)


def parse_event(raw: bytes) -> Event:
    """The event in the body of a delivery or of a stream's message."""
    found = Event.parse(json.loads(raw, parse_float=Decimal))
    return found.model_copy(update={"raw": raw})
