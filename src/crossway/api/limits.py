"""How often one may ask: by key, and by address for requests without a good key."""

import math
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

ADDRESS_PER_MINUTE = 60
# What a provider reports comes from few addresses, and comes again when it is refused.
REPORTS_PER_MINUTE = 600
_WINDOW_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Allowance:
    """What is left of a moving window of a minute; `wait_seconds` until the next one is free."""

    granted: bool
    quota: int
    left: int
    wait_seconds: int

    def headers(self) -> list[tuple[bytes, bytes]]:
        """`RateLimit` and `RateLimit-Policy`, and `Retry-After` when it was refused."""
        policy = f'"default";q={self.quota};w={_WINDOW_SECONDS}'
        now = f'"default";r={self.left};t={self.wait_seconds}'
        found = [(b"ratelimit-policy", policy.encode()), (b"ratelimit", now.encode())]
        if not self.granted:
            found.append((b"retry-after", str(self.wait_seconds).encode()))
        return found


@dataclass
class Limits:
    """The windows of one process, used by its event loop alone; `seconds` is a clock that never
    goes back. A window is when each granted request of the last minute came."""

    seconds: Callable[[], float] = time.monotonic
    _windows: dict[str, deque[float]] = field(default_factory=dict)
    _swept: float = -math.inf

    def spend_key(self, key: str, per_minute: int) -> Allowance:
        """Count one request of a key."""
        return self._ask(f"key {key}", per_minute, spend=True)

    def spend_address(self, address: str) -> Allowance:
        """Count one request that came without a good key."""
        return self._ask(f"address {address}", ADDRESS_PER_MINUTE, spend=True)

    def spend(self, name: str, per_minute: int) -> Allowance:
        """Count one of whatever has this name."""
        return self._ask(name, per_minute, spend=True)

    def spend_report(self, address: str) -> Allowance:
        """Count one report of a ramp provider, which is signed and has no key."""
        return self._ask(f"report {address}", REPORTS_PER_MINUTE, spend=True)

    def check_address(self, address: str) -> Allowance:
        """Whether this address may still try a key; counts nothing."""
        return self._ask(f"address {address}", ADDRESS_PER_MINUTE, spend=False)

    def _ask(self, name: str, quota: int, spend: bool) -> Allowance:
        now = self.seconds()
        self._sweep(now)
        window = self._windows.get(name)
        if window is None:
            window = self._windows[name] = deque()
        while window and window[0] <= now - _WINDOW_SECONDS:
            window.popleft()
        granted = len(window) < quota
        if granted and spend:
            window.append(now)
        # After a quota was lowered, more than one must leave before there is room.
        leaves = window[max(0, len(window) - quota)] if window else now
        wait = math.ceil(leaves + _WINDOW_SECONDS - now)
        return Allowance(granted, quota, max(0, quota - len(window)), wait)

    def _sweep(self, now: float) -> None:
        """Once a minute, forget those who no longer ask."""
        if now - self._swept < _WINDOW_SECONDS:
            return
        self._swept = now
        last = now - _WINDOW_SECONDS
        self._windows = {n: w for n, w in self._windows.items() if w and w[-1] > last}
