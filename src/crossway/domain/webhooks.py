"""Webhooks: events, endpoints, and the states and retries of deliveries."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from crossway.domain.clients import Mode, Owner
from crossway.domain.errors import InvalidTransition


class EventType(StrEnum):
    """The event types."""

    INTENT_CREATED = "intent_created"
    INTENT_FUNDED = "intent_funded"
    INTENT_INITIATED = "intent_initiated"
    INTENT_COMPLETED = "intent_completed"
    INTENT_REFUNDED = "intent_refunded"
    INTENT_EXPIRED = "intent_expired"
    INTENT_FAILED = "intent_failed"
    INTENT_REORGED = "intent_reorged"
    RAMP_ORDER_UPDATED = "ramp_order_updated"
    STANDING_DEPOSIT_UPDATED = "standing_deposit_updated"
    INVOICE_ISSUED = "invoice_issued"
    INVOICE_REMINDER = "invoice_reminder"
    INVOICE_PAID = "invoice_paid"
    INVOICE_VOIDED = "invoice_voided"
    SUBSCRIPTION_UPDATED = "subscription_updated"


ALL_EVENTS: Final = "*"
TEST_EVENT: Final = "webhook_test"
TEST_KIND: Final = "webhook"


@dataclass(frozen=True, slots=True)
class OutboxEvent:
    """One event of a client's resource, to be delivered in the mode of that resource.

    `snapshot` is JSON of the resource's mutable fields at `at`; `position` is the event's place in
    the delivery order, None until it is assigned.
    """

    id: int
    event_id: str
    client_id: str
    type: str
    kind: str
    resource_id: int
    at: datetime
    snapshot: str
    position: int | None
    mode: Mode

    @property
    def sequence_key(self) -> str:
        """The resource whose events must be delivered in order."""
        return f"{self.kind}:{self.resource_id}"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A webhook endpoint of a client and mode, and the events it subscribes to.

    Secrets are encrypted; after a rotation the old one also signs until `old_secret_until`.
    `failing_since` is the first failure after the last success, or when an endpoint that had failed
    was enabled again or got a new URL: since then nothing has been delivered. `later_events` are
    the types of events that it did not have from the start, each with the instant (ISO 8601) at
    which it was added.
    """

    id: int
    client_id: str
    url: str
    events: tuple[str, ...]
    description: str
    secret: bytes
    old_secret: bytes | None
    old_secret_until: datetime | None
    enabled: bool
    disabled_reason: str
    failing_since: datetime | None
    created_at: datetime
    updated_at: datetime
    mode: Mode
    later_events: Mapping[str, str] = field(default_factory=dict)

    @property
    def owner(self) -> Owner:
        """The client and the mode whose events it receives."""
        return Owner(self.client_id, self.mode)

    def subscribes_to(self, event: OutboxEvent) -> bool:
        """Whether the endpoint receives this event: one of its client and mode that it subscribes
        to. The event `TEST_EVENT` goes to the tested endpoint only."""
        is_own = self.owner == Owner(event.client_id, event.mode)
        if not is_own or event.kind == TEST_KIND:
            return False
        return ALL_EVENTS in self.events or event.type in self.events

    def with_events(self, events: tuple[str, ...], now: datetime) -> "Endpoint":
        """The endpoint with other subscriptions from now on."""
        before, after = _event_types(self.events), _event_types(events)
        later = {type: at for type, at in self.later_events.items() if type in after}
        later |= dict.fromkeys(sorted(after - before), now.isoformat())
        return replace(self, events=events, later_events=later)

    def signing_secrets(self, now: datetime) -> tuple[bytes, ...]:
        """The encrypted secrets to sign with now, newest first."""
        if self.old_secret is None or self.old_secret_until is None or now >= self.old_secret_until:
            return (self.secret,)
        return (self.secret, self.old_secret)


def _event_types(events: tuple[str, ...]) -> set[str]:
    return {*EventType} if ALL_EVENTS in events else set(events)


class DeliveryState(StrEnum):
    """The state of a delivery."""

    WAITING = "WAITING"
    DUE = "DUE"
    DELIVERED = "DELIVERED"
    FAILED = "FAILED"


class DeliveryEvent(StrEnum):
    """What can happen to a delivery."""

    UNBLOCKED = "TURN"
    ACCEPTED = "TAKEN"
    REJECTED = "REFUSED"
    GIVEN_UP = "GIVEN_UP"
    DISABLED = "SWITCHED_OFF"


D, V = DeliveryState, DeliveryEvent
DELIVERY_TRANSITIONS: Final = MappingProxyType(
    {
        # An earlier delivery of the same resource has ended.
        (D.WAITING, V.UNBLOCKED): D.DUE,
        (D.WAITING, V.DISABLED): D.FAILED,
        (D.DUE, V.ACCEPTED): D.DELIVERED,
        (D.DUE, V.REJECTED): D.DUE,
        (D.DUE, V.GIVEN_UP): D.FAILED,
        (D.DUE, V.DISABLED): D.FAILED,
    }
)
OPEN_DELIVERY: Final = frozenset({D.WAITING, D.DUE})


def advance_delivery(state: DeliveryState, event: DeliveryEvent) -> DeliveryState:
    """The new state after an event; raises `InvalidTransition` when the table has none."""
    new_state = DELIVERY_TRANSITIONS.get((state, event))
    if new_state is None:
        raise InvalidTransition(f"{event} cannot happen to a delivery that is {state}")
    return new_state


@dataclass(frozen=True, slots=True)
class Delivery:
    """The delivery of one event to one endpoint.

    Deliveries with the same `sequence_key` and endpoint are sent one after the other. `status` and
    `error` are those of the last attempt; `replay_of` is the delivery that this one repeats.
    """

    id: int
    webhook_id: int
    event_id: int
    sequence_key: str
    state: DeliveryState
    attempt_count: int
    next_at: datetime
    status: int | None
    error: str
    replay_of: int | None
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class DeliveryAttempt:
    """One request to an endpoint and its result: a status, or the error that prevented one.

    `headers` are those sent, without the signature; `response` is the beginning of the body.
    """

    delivery_id: int
    at: datetime
    status: int | None
    error: str
    milliseconds: int
    headers: str
    response: str

    @property
    def accepted(self) -> bool:
        """Whether the endpoint accepted the event: any 2xx status."""
        return self.status is not None and 200 <= self.status < 300


# The delays after each failed attempt; after the last there is no retry.
RETRY_AFTER: Final = tuple(
    timedelta(seconds=seconds) for seconds in (5, 60, 300, 900, 3_600, 21_600, 86_400)
)
MAX_ATTEMPTS: Final = len(RETRY_AFTER) + 1
_JITTER = 0.1
DISABLE_AFTER: Final = timedelta(days=7)
OLD_SECRET_GRACE: Final = timedelta(hours=24)
DISABLED_REASON = "Every delivery failed for 7 days"


def alert_key(webhook_id: int) -> str:
    """The key of the alert about an endpoint."""
    return f"webhook:{webhook_id}"


def apply_attempt(delivery: Delivery, attempt: DeliveryAttempt, random_fraction: float) -> Delivery:
    """The delivery after an attempt.

    `random_fraction` (0 to 1) extends the delay by up to a tenth, so that deliveries that failed
    together are not retried together.
    """
    attempt_count = delivery.attempt_count + 1
    event = (
        V.ACCEPTED
        if attempt.accepted
        else V.REJECTED
        if attempt_count < MAX_ATTEMPTS
        else V.GIVEN_UP
    )
    wait = (
        RETRY_AFTER[attempt_count - 1] * (1 + _JITTER * random_fraction)
        if event is V.REJECTED
        else timedelta()
    )
    return replace(
        delivery,
        state=advance_delivery(delivery.state, event),
        attempt_count=attempt_count,
        next_at=attempt.at + wait,
        status=attempt.status,
        error=attempt.error,
        updated_at=attempt.at,
    )


def endpoint_health(endpoint: Endpoint, attempt: DeliveryAttempt) -> Endpoint:
    """The endpoint after an attempt; it is disabled after failing for seven days. A test of a
    disabled one changes nothing."""
    if not endpoint.enabled:
        return endpoint
    if attempt.accepted:
        return replace(endpoint, failing_since=None) if endpoint.failing_since else endpoint
    failing_since = endpoint.failing_since or attempt.at
    if attempt.at - failing_since >= DISABLE_AFTER:
        return replace(
            endpoint,
            enabled=False,
            disabled_reason=DISABLED_REASON,
            failing_since=failing_since,
            updated_at=attempt.at,
        )
    return endpoint if endpoint.failing_since else replace(endpoint, failing_since=failing_since)
