"""What is forgotten once nothing depends on it any more, a few records a pass."""

from collections.abc import Mapping
from datetime import datetime
from functools import partial

from crossway.ports.services import Services
from crossway.ports.store import Unit

BATCH = 2_000


def sweep(services: Services) -> int:
    """Forget some of what is older than the operator wants to keep; answers how much."""
    before = limits(services)
    with services.store.read() as unit:
        due = [kind for kind, at in before.items() if unit.retention.has_older(kind, at)]
    return sum(services.store.write(partial(_forget, kind, before[kind])) for kind in due)


def limits(services: Services) -> Mapping[str, datetime]:
    """Before which instant records of each kind may go."""
    now, kept = services.clock.now(), services.retention
    return {
        "requests": now - kept.requests,
        # Before what they tell of, which stays as long as they do.
        "deliveries": now - kept.deliveries,
        "announcements": now - kept.announcements,
        "order_reports": now - kept.order_reports,
    }


def _forget(kind: str, before: datetime, unit: Unit) -> int:
    unit.network.lock("retention")
    return unit.retention.forget(kind, before, BATCH)
