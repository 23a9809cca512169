"""When an order is looked at again, and how long an outsider may take."""

from datetime import datetime, timedelta
from typing import Final

from crossway.domain.ramps import ORDER_ENDED, OrderState, RampOrder
from crossway.domain.transfers import backoff_seconds

# While the request that opens an order still waits for the provider, the engine leaves it alone.
OPENING: Final = timedelta(seconds=30)
# How long a request waits for a provider before it is left to the engine.
PATIENCE_SECONDS: Final = 8.0
# How often a provider is asked, by the age of what was last learnt of the order.
_EVERY: Final = (
    (timedelta(minutes=2), timedelta(seconds=4)),
    (timedelta(minutes=15), timedelta(seconds=15)),
    (timedelta(hours=2), timedelta(minutes=1)),
    (timedelta(days=1), timedelta(minutes=10)),
)
LONGEST_WAIT: Final = timedelta(hours=1)
# An order that ended unpaid may have been paid all the same; one that was paid and failed is
# watched until the money went back.
_WATCHED_UNPAID: Final = timedelta(days=1)
_WATCHED_PAID: Final = timedelta(days=30)
_FOR_GOOD: Final = frozenset({OrderState.COMPLETED, OrderState.REFUNDED})
# After the provider said that it has delivered, before a missing deposit is an alarm.
CLAIM_GRACE: Final = timedelta(minutes=2)


def next_look(order: RampOrder, now: datetime) -> datetime | None:
    """When the engine looks at this order by itself again; None: never."""
    if order.errand is not None:
        return now
    if order.state in _FOR_GOOD:
        return None
    age = now - order.updated_at
    if order.state in ORDER_ENDED:
        watched = _WATCHED_UNPAID if order.paid_at is None else _WATCHED_PAID
        return now + max(every(age), timedelta(seconds=15)) if age < watched else None
    at = now + every(age)
    if order.state is OrderState.INITIATED and now < order.expires_at:
        at = min(at, order.expires_at)
    return at


def every(age: timedelta) -> timedelta:
    """How long to wait between two questions about something this old."""
    return next((wait for until, wait in _EVERY if age < until), LONGEST_WAIT)


def again_at(tries: int, now: datetime) -> datetime:
    """When to try again after so many questions without an answer."""
    return now + timedelta(seconds=backoff_seconds(tries))
