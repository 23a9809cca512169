"""When the engine counts what can wait: in the time it has left, and a little without."""

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from crossway.ports.clock import Clock

INTERVAL: Final = timedelta(seconds=10)
# A pass that takes longer leaves no time to spare: then it is so many times the time of a count
# until the next one, so that it takes a twentieth of a busy engine's time.
BUSY_PASS: Final = timedelta(milliseconds=20)
BUSY_SHARE: Final = 20


class SpareTime:
    """Runs a count when it is due; while it says that something remains, that is in every pass with
    time left."""

    def __init__(self, clock: Clock, count: Callable[[], int]) -> None:
        """`count` counts a part, and returns 0 once nothing remains."""
        self._clock, self._count = clock, count
        self._counted_at: datetime | None = None
        self._took = timedelta()
        self.is_behind = True

    def use(self, pass_began: datetime) -> int:
        """Count a part if it is due in a pass that began at a time of the machine's clock; returns
        1 if it was and something remains, else 0."""
        now, last = self._clock.machine(), self._counted_at
        interval = INTERVAL
        if self.is_behind:
            interval = self._took * BUSY_SHARE if now - pass_began > BUSY_PASS else timedelta()
        if last is not None and abs(now - last) < interval:
            return 0
        self._counted_at, began = now, time.thread_time()
        self.is_behind = self._count() > 0
        self._took = timedelta(seconds=time.thread_time() - began)
        return int(self.is_behind)
