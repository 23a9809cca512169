"""When the engine looks at an order again, and how long a provider may take to answer."""

from datetime import datetime, timedelta
from typing import Final

from crossway.domain.outbound import backoff_seconds
from crossway.domain.ramps import FINAL_ORDER_STATES, OrderState, RampOrder

# The engine leaves a new order alone while the request that created it waits for the provider.
CREATION_GRACE: Final = timedelta(seconds=30)
# Polling interval by the time since the order's last change.
_EVERY: Final = (
    (timedelta(minutes=2), timedelta(seconds=4)),
    (timedelta(minutes=15), timedelta(seconds=15)),
    (timedelta(hours=2), timedelta(minutes=1)),
    (timedelta(days=1), timedelta(minutes=10)),
)
MAX_POLL_INTERVAL: Final = timedelta(hours=1)
# An order that ended unpaid may still be paid; one that was paid and failed is polled until it
# is refunded.
_WATCHED_UNPAID: Final = timedelta(days=1)
_WATCHED_PAID: Final = timedelta(days=30)
_NEVER_POLLED: Final = frozenset({OrderState.COMPLETED, OrderState.REFUNDED})
# Time between the provider's report of a delivery and the alert for a missing deposit.
DELIVERY_GRACE: Final = timedelta(minutes=2)


def next_poll_at(order: RampOrder, now: datetime) -> datetime | None:
    """When the engine processes this order next; None: never."""
    if order.command is not None:
        return now
    if order.state in _NEVER_POLLED:
        return None
    age = now - order.updated_at
    if order.state in FINAL_ORDER_STATES:
        watched = _WATCHED_UNPAID if order.paid_at is None else _WATCHED_PAID
        return now + max(poll_interval(age), timedelta(seconds=15)) if age < watched else None
    at = now + poll_interval(age)
    if order.state is OrderState.INITIATED and now < order.expires_at:
        at = min(at, order.expires_at)
    return at


def poll_interval(age: timedelta) -> timedelta:
    """The polling interval for an order whose last change is `age` ago."""
    return next((wait for until, wait in _EVERY if age < until), MAX_POLL_INTERVAL)


def retry_at(attempts: int, now: datetime) -> datetime:
    """When to retry after this many unanswered attempts."""
    return now + timedelta(seconds=backoff_seconds(attempts))
