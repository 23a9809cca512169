"""When the engine counts what can wait: in the time it has left, and a little without."""

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from crossway.ports.clock import Clock

INTERVAL: Final = timedelta(seconds=10)
# A pass that takes longer leaves no time to spare: then a count takes one of so many parts of the
# engine's processor time.
BUSY_PASS: Final = timedelta(milliseconds=20)
BUSY_SHARE: Final = 20


class SpareTime:
    """Runs a count when it is due; while it says that something remains, that is in every pass with
    time left."""

    def __init__(self, clock: Clock, count: Callable[[], int]) -> None:
        """`count` counts a part, and returns 0 once nothing remains."""
        self._clock, self._count = clock, count
        self._counted_at: datetime | None = None
        self._took = self._ended = 0.0  # in seconds of this thread's processor time
        self.is_behind = True

    def use(self, pass_began: datetime) -> int:
        """Count a part if it is due in a pass that began at a time of the machine's clock; returns
        1 if it was and something remains, else 0."""
        now, began = self._clock.machine(), time.thread_time()
        if self._is_early(now, began, is_busy=now - pass_began > BUSY_PASS):
            return 0
        self._counted_at = now
        self.is_behind = self._count() > 0
        self._ended = time.thread_time()
        self._took = self._ended - began
        return int(self.is_behind)

    def _is_early(self, now: datetime, began: float, is_busy: bool) -> bool:
        if self._counted_at is None:
            return False
        if not self.is_behind:
            return abs(now - self._counted_at) < INTERVAL
        return is_busy and abs(began - self._ended) < self._took * (BUSY_SHARE - 1)
