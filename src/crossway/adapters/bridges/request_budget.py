"""How many requests the service of a bridge is sent, and when it is left alone."""

import time
from collections import deque
from collections.abc import Callable
from threading import Lock

from crossway.adapters.bridges.service_limits import ServiceLimits
from crossway.domain.errors import Unreachable


class RequestBudget:
    """The budget of one service in this process: no more requests begin in any second and minute
    than its limits allow. `title` names it in sentences, `timer` returns monotonic seconds, and
    `pause` waits."""

    def __init__(
        self,
        title: str,
        limits: ServiceLimits,
        timer: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._title, self._pause_seconds = title, limits.pause_seconds
        self._timer, self._pause = timer, pause
        self._lock = Lock()
        windows = (limits.requests_per_second, 1.0), (limits.requests_per_minute, 60.0)
        # When the last requests began or will begin, as many as may in each window.
        self._windows = [
            (seconds, deque[float](maxlen=most)) for most, seconds in windows if most is not None
        ]
        self._refused_until = float("-inf")

    def spend(self, max_wait_seconds: float) -> None:
        """Begin a request, or wait until one may begin. Raises `Unreachable` where none may in that
        time, and while the service refuses requests."""
        with self._lock:
            now = self._timer()
            if now < self._refused_until:
                seconds = int(self._refused_until - now) + 1
                raise Unreachable(
                    f"{self._title} refused requests as too many; it is asked again in {seconds} s"
                )
            begins_at = max([now, *self._earliest()])
            if begins_at - now > max_wait_seconds:
                raise Unreachable(f"{self._title} is asked too often; ask again soon")
            # Whoever waits has a place in the order already.
            for _, begun in self._windows:
                begun.append(begins_at)
        if begins_at > now:
            self._pause(begins_at - now)

    def refuse(self) -> None:
        """The service has refused a request as one too many: it is left alone for a while."""
        with self._lock:
            self._refused_until = self._timer() + self._pause_seconds

    def _earliest(self) -> list[float]:
        """When each window that is full has room again."""
        return [
            begun[0] + seconds for seconds, begun in self._windows if len(begun) == begun.maxlen
        ]
