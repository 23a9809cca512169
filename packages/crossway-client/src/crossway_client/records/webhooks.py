"""Records of webhook endpoints and deliveries."""

from datetime import datetime
from typing import Any

from pydantic import Field

from crossway_client.records.base import Record


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


class EventResource(Record):
    """The resource of an event: `intent`, `ramp_order` or `webhook`, and its number."""

    kind: str
    id: int


class DeliveryAttempt(Record):
    """One attempt of a delivery; `status` is None without a response."""

    at: datetime
    status: int | None
    error: str | None
    milliseconds: int
    request_headers: dict[str, str]
    response: str


class Delivery(Record):
    """The delivery of an event to an endpoint; `payload` and `attempts` are set where one delivery
    is read."""

    id: int
    webhook_id: int
    event_id: str
    type: str
    resource: EventResource
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


class TestDelivery(Delivery):
    """The delivery of a test event, which a disabled endpoint gets too."""

    webhook_enabled: bool


class Replay(Record):
    """The number of events of a period that are sent again; `end` is exclusive."""

    replayed: int
    already_queued: int
    start: datetime
    end: datetime


class MissedReplay(Record):
    """The number of missed events that are sent again."""

    replayed: int
