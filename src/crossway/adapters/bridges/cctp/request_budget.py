"""How many requests the attestation service is sent, and when it is left alone."""

import time
from collections.abc import Callable
from threading import Lock
from typing import Final

from crossway.domain.errors import Unreachable

REQUESTS_PER_SECOND: Final = 10.0
"""Circle allows 35 a second for each caller, in all of its processes."""
BURST: Final = 5
PENALTY_SECONDS: Final = 300.0
"""After too many requests, Circle refuses all of them for five minutes."""


class RequestBudget:
    """The budget of one service in this process: tokens that come at `per_second`, `burst` at most.
    `timer` returns monotonic seconds, and `pause` waits."""

    def __init__(
        self,
        per_second: float = REQUESTS_PER_SECOND,
        burst: int = BURST,
        timer: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._per_second, self._burst = per_second, float(burst)
        self._timer, self._pause = timer, pause
        self._lock = Lock()
        self._tokens, self._counted_at = self._burst, timer()
        self._refused_until = float("-inf")

    def spend(self, max_wait_seconds: float) -> None:
        """Take a token, or wait for one. Raises `Unreachable` where none comes in that time, and
        while the service refuses requests."""
        with self._lock:
            now = self._timer()
            if now < self._refused_until:
                seconds = int(self._refused_until - now) + 1
                raise Unreachable(
                    f"Circle's attestation service refused requests as too many; it is asked again "
                    f"in {seconds} s"
                )
            earned = (now - self._counted_at) * self._per_second
            self._tokens = min(self._burst, self._tokens + earned)
            self._counted_at = now
            # Whoever waits has taken a token that has yet to come: they are served in order.
            wait = max(1 - self._tokens, 0) / self._per_second
            if wait > max_wait_seconds:
                raise Unreachable("Circle's attestation service is asked too often; ask again soon")
            self._tokens -= 1
        if wait:
            self._pause(wait)

    def refuse(self) -> None:
        """The service has refused a request as one too many: it is left alone for a while."""
        with self._lock:
            self._refused_until = self._timer() + PENALTY_SECONDS
