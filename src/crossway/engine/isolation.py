"""Keeping one defective record from stopping all the others in its sweep."""

import logging
from collections.abc import Callable, Sequence
from typing import TypeVar

from crossway.domain.errors import Unreachable
from crossway.engine.alarms import alarm
from crossway.ports import tracing
from crossway.ports.services import Services

T = TypeVar("T")
R = TypeVar("R")
log = logging.getLogger("crossway.engine")


def in_one_go(
    services: Services,
    what: str,
    items: Sequence[T],
    intent_of: Callable[[T], int],
    work: Callable[[Sequence[T]], R],
) -> list[R]:
    """Do work for all items at once; when that fails, for each half alone, down to the one that
    cannot be done, which is left as it is and raised as an alarm."""
    if not items:
        return []
    try:
        return [work(items)]
    except Unreachable:
        raise
    except Exception as error:
        if len(items) == 1:
            _tell(services, what, intent_of(items[0]), error)
            return []
    middle = len(items) // 2
    return [
        result
        for half in (items[:middle], items[middle:])
        for result in in_one_go(services, what, half, intent_of, work)
    ]


def _tell(services: Services, what: str, intent_id: int, error: Exception) -> None:
    with tracing.about(intent=intent_id):
        log.error("%s failed for intent %s", what, intent_id, exc_info=error)
    message = (
        f"Payment {intent_id}: {what} failed: {type(error).__name__}. The log has the details."
    )
    key = f"record:{what}:{intent_id}"
    services.store.write(lambda unit: alarm(unit, services, key, "engine", str(intent_id), message))
