"""What is told to the outside: events, the endpoints they go to, and the life of a delivery."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from crossway.domain.errors import IllegalMove


class EventType(StrEnum):
    """What can be announced (wire.md §6)."""

    INTENT_CREATED = "intent_created"
    INTENT_FUNDED = "intent_funded"
    INTENT_INITIATED = "intent_initiated"
    INTENT_COMPLETED = "intent_completed"
    INTENT_REFUNDED = "intent_refunded"
    INTENT_EXPIRED = "intent_expired"
    INTENT_FAILED = "intent_failed"
    INTENT_REORGED = "intent_reorged"
    RAMP_ORDER_UPDATED = "ramp_order_updated"


EVERY_EVENT: Final = "*"
TEST_EVENT: Final = "webhook_test"
TEST_KIND: Final = "webhook"


@dataclass(frozen=True, slots=True)
class Announcement:
    """One event of a client's resource. `facts` is the JSON of what of it can change, as it stood
    at `at`; `position` its place in the order in which all is told."""

    id: int
    event_id: str
    client_id: str
    type: str
    kind: str
    resource_id: int
    at: datetime
    facts: str
    position: int | None

    @property
    def line(self) -> str:
        """What must be told in order: everything of one resource."""
        return f"{self.kind}:{self.resource_id}"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a client wants to be told of what. Secrets are sealed; the old one signs too until its
    time. `failing_since` is the first failure after the last success."""

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

    def wants(self, one: Announcement) -> bool:
        """Whether it is to be told of this; a test goes to the endpoint that was tested alone."""
        if one.client_id != self.client_id or one.kind == TEST_KIND:
            return False
        return EVERY_EVENT in self.events or one.type in self.events

    def signing(self, now: datetime) -> tuple[bytes, ...]:
        """The sealed secrets that sign now, the newest first."""
        if self.old_secret is None or self.old_secret_until is None or now >= self.old_secret_until:
            return (self.secret,)
        return (self.secret, self.old_secret)


class DeliveryState(StrEnum):
    """Where a delivery stands."""

    WAITING = "WAITING"
    DUE = "DUE"
    DELIVERED = "DELIVERED"
    FAILED = "FAILED"


class DeliveryEvent(StrEnum):
    """What can happen to a delivery."""

    TURN = "TURN"
    TAKEN = "TAKEN"
    REFUSED = "REFUSED"
    GIVEN_UP = "GIVEN_UP"
    SWITCHED_OFF = "SWITCHED_OFF"


D, V = DeliveryState, DeliveryEvent
DELIVERY_TRANSITIONS: Final = MappingProxyType(
    {
        # It waits for an earlier one of the same resource.
        (D.WAITING, V.TURN): D.DUE,
        (D.WAITING, V.SWITCHED_OFF): D.FAILED,
        (D.DUE, V.TAKEN): D.DELIVERED,
        (D.DUE, V.REFUSED): D.DUE,
        (D.DUE, V.GIVEN_UP): D.FAILED,
        (D.DUE, V.SWITCHED_OFF): D.FAILED,
    }
)
OPEN_DELIVERY: Final = frozenset({D.WAITING, D.DUE})


def advance_delivery(state: DeliveryState, event: DeliveryEvent) -> DeliveryState:
    """The only way to a new state; a pair that the table lacks raises `IllegalMove`."""
    to = DELIVERY_TRANSITIONS.get((state, event))
    if to is None:
        raise IllegalMove(f"{event} cannot happen to a delivery that is {state}")
    return to


@dataclass(frozen=True, slots=True)
class Delivery:
    """One announcement on its way to one endpoint. Those of one `line` and endpoint go one after
    the other. `status` and `error` are those of its last try; `replay_of` an earlier delivery."""

    id: int
    webhook_id: int
    announcement_id: int
    line: str
    state: DeliveryState
    tries: int
    next_at: datetime
    status: int | None
    error: str
    replay_of: int | None
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Try:
    """One request to an endpoint and what came of it: a status, or the error that kept it away.
    `headers` are those sent, without the signature; `answer` is the beginning of the body."""

    delivery_id: int
    at: datetime
    status: int | None
    error: str
    milliseconds: int
    headers: str
    answer: str

    @property
    def taken(self) -> bool:
        """Whether the endpoint said that it has it: any 2xx."""
        return self.status is not None and 200 <= self.status < 300


# From each failed try to the next; after the last there is none (wire.md §6).
RETRY_AFTER: Final = tuple(
    timedelta(seconds=seconds) for seconds in (5, 60, 300, 900, 3_600, 21_600, 86_400)
)
MOST_TRIES: Final = len(RETRY_AFTER) + 1
_JITTER = 0.1
FAILING_LIMIT: Final = timedelta(days=7)
OLD_SECRET_SIGNS: Final = timedelta(hours=24)
SWITCHED_OFF = "Every delivery failed for 7 days"


def tried(delivery: Delivery, one: Try, chance: float) -> Delivery:
    """The delivery after a try. `chance`, from 0 to 1, lengthens the wait by up to a tenth, so
    that what failed together does not come back together."""
    tries = delivery.tries + 1
    event = V.TAKEN if one.taken else V.REFUSED if tries < MOST_TRIES else V.GIVEN_UP
    wait = RETRY_AFTER[tries - 1] * (1 + _JITTER * chance) if event is V.REFUSED else timedelta()
    return replace(
        delivery,
        state=advance_delivery(delivery.state, event),
        tries=tries,
        next_at=one.at + wait,
        status=one.status,
        error=one.error,
        updated_at=one.at,
    )


def felt(endpoint: Endpoint, one: Try) -> Endpoint:
    """The endpoint after a try: one that has failed for seven days on end is switched off."""
    if one.taken:
        return replace(endpoint, failing_since=None) if endpoint.failing_since else endpoint
    since = endpoint.failing_since or one.at
    if endpoint.enabled and one.at - since >= FAILING_LIMIT:
        return replace(
            endpoint,
            enabled=False,
            disabled_reason=SWITCHED_OFF,
            failing_since=since,
            updated_at=one.at,
        )
    return endpoint if endpoint.failing_since else replace(endpoint, failing_since=since)
