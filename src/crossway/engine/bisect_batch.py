"""Runs a batch so that one defective record does not stop the others."""

import logging
from collections.abc import Callable, Sequence
from typing import TypeVar

from crossway.domain.errors import Unreachable
from crossway.domain.owners import owner_subject, owner_title
from crossway.engine.alerts import raise_alert
from crossway.engine.fenced_store import LeaseLost
from crossway.ports import process
from crossway.ports.services import Services

T = TypeVar("T")
R = TypeVar("R")
log = logging.getLogger("crossway.engine")


def bisect_batch(
    services: Services,
    activity: str,
    items: Sequence[T],
    intent_of: Callable[[T], int],
    work: Callable[[Sequence[T]], R],
) -> list[R]:
    """Run `work` on all items; when it fails, on each half, down to the single failing item.

    A failing item is left as it is and raises an alert on its intent. Returns the results of the
    batches that succeeded: what failed is no work done, or the engine would repeat it at once.
    `Unreachable` and `LeaseLost` are passed on.
    """
    if not items:
        return []
    try:
        return [work(items)]
    except (Unreachable, LeaseLost):
        raise
    except Exception as error:
        if len(items) == 1:
            _report(services, activity, intent_of(items[0]), error)
            return []
    middle = len(items) // 2
    return [
        result
        for half in (items[:middle], items[middle:])
        for result in bisect_batch(services, activity, half, intent_of, work)
    ]


def _report(services: Services, activity: str, intent_id: int, error: Exception) -> None:
    with process.log_context(intent=intent_id):
        log.error("%s failed for intent %s", activity, intent_id, exc_info=error)
    title, subject = owner_title(intent_id).capitalize(), owner_subject(intent_id)
    message = f"{title}: {activity} failed: {type(error).__name__}. The log has the details."
    key = f"record:{activity}:{intent_id}"
    services.store.write(lambda unit: raise_alert(unit, services, key, "engine", subject, message))
