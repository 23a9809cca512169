"""How many calls a node may be sent in a minute and in a day."""

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

MINUTE_SECONDS, DAY_SECONDS = 60.0, 86_400.0
# A window's calls are counted in so many parts, so that a day costs no more memory than a minute.
_PARTS = 60


@dataclass
class _Window:
    """The calls of the last `seconds`, of which there may be `limit`."""

    limit: int
    seconds: float
    parts: deque[tuple[float, int]] = field(default_factory=deque)
    total: int = 0

    def seconds_to_room(self, calls: int, now: float) -> float:
        """How long until so many calls are allowed; more than the whole limit once it is empty."""
        self._drop_old(now)
        excess = self.total + calls - self.limit
        wait = 0.0
        for began, count in self.parts:
            if excess <= 0:
                break
            wait, excess = began + self.seconds - now, excess - count
        return max(wait, 0.0)

    def add(self, calls: int, now: float) -> None:
        """Count calls that are sent now."""
        # A part is counted as old as its newest call.
        if self.parts and now - self.parts[-1][0] < self.seconds / _PARTS:
            self.parts[-1] = (now, self.parts[-1][1] + calls)
        else:
            self.parts.append((now, calls))
        self.total += calls

    def _drop_old(self, now: float) -> None:
        while self.parts and self.parts[0][0] + self.seconds <= now:
            self.total -= self.parts.popleft()[1]


class CallBudget:
    """The budget of one node; a limit of None is none. Counts from the start of the process."""

    def __init__(
        self,
        per_minute: int | None,
        per_day: int | None,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        limits = ((per_minute, MINUTE_SECONDS), (per_day, DAY_SECONDS))
        self._windows = [_Window(limit, seconds) for limit, seconds in limits if limit is not None]
        self._lock, self._timer = Lock(), timer
        self.enforced = True

    def spend(self, calls: int) -> float:
        """0 and count the calls where they are allowed now, else the seconds until they are."""
        now = self._timer()
        with self._lock:
            wait = max((w.seconds_to_room(calls, now) for w in self._windows), default=0.0)
            if not self.enforced:
                return 0.0
            if wait == 0.0:
                for window in self._windows:
                    window.add(calls, now)
        return wait

    def seconds_worth(self, calls: int) -> float:
        """The time over which so many calls must be spread to keep within the budget."""
        return max((calls * w.seconds / w.limit for w in self._windows), default=0.0)
