"""Rate limits: per API key, and per IP address for requests without a valid key."""

import math
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from starlette.types import Scope

from crossway.api.client_ip import UNKNOWN_ADDRESS, client_address, rate_limit_address
from crossway.ports.services import Services

UNAUTHENTICATED_PER_MINUTE = 60
# Ramp providers send from few addresses and resend refused webhooks.
PROVIDER_WEBHOOKS_PER_MINUTE = 600
_WINDOW_SECONDS = 60


@dataclass(frozen=True, slots=True)
class RateLimitResult:
    """The result of one request against a sliding window of a minute.

    `remaining` requests are left of `quota`; `wait_seconds` pass until the next one is free.
    """

    granted: bool
    quota: int
    remaining: int
    wait_seconds: int

    def headers(self) -> list[tuple[bytes, bytes]]:
        """The headers `RateLimit` and `RateLimit-Policy`, and `Retry-After` when it is refused."""
        policy = f'"default";q={self.quota};w={_WINDOW_SECONDS}'
        now = f'"default";r={self.remaining};t={self.wait_seconds}'
        headers = [(b"ratelimit-policy", policy.encode()), (b"ratelimit", now.encode())]
        if not self.granted:
            headers.append((b"retry-after", str(self.wait_seconds).encode()))
        return headers


@dataclass
class RateLimiter:
    """Sliding windows of one process, used by its event loop only. `seconds` is a monotonic clock;
    a window holds the times of the requests granted in the last minute."""

    seconds: Callable[[], float] = time.monotonic
    _windows: dict[str, deque[float]] = field(default_factory=dict)
    _swept_at: float = -math.inf

    def is_exhausted(self, name: str, quota: int) -> bool:
        """Whether a request for this name would be refused."""
        window = self._windows.get(name)
        start = self.seconds() - _WINDOW_SECONDS
        return window is not None and sum(at > start for at in window) >= quota

    def spend(self, name: str, quota: int, weight: int = 1) -> RateLimitResult:
        """Count a request against the window of this name as `weight` requests; one that counts as
        more than the quota is granted when the window is empty."""
        now = self.seconds()
        if now - self._swept_at >= _WINDOW_SECONDS:
            # Drop unused windows, once a minute.
            self._swept_at, start = now, now - _WINDOW_SECONDS
            self._windows = {n: w for n, w in self._windows.items() if w and w[-1] > start}
        window = self._windows.get(name)
        if window is None:
            window = self._windows[name] = deque()
        while window and window[0] <= now - _WINDOW_SECONDS:
            window.popleft()
        weight = min(weight, quota)
        granted = len(window) + weight <= quota
        if granted:
            window.extend([now] * weight)
        # So many must leave the window before this request, or after it the next one, is free.
        excess = len(window) + (1 if granted else weight) - quota
        oldest = window[max(0, excess - 1)] if window else now
        wait = math.ceil(oldest + _WINDOW_SECONDS - now)
        return RateLimitResult(granted, quota, max(0, quota - len(window)), wait)


class IpRateLimiter:
    """Rate limits of pages that need no key, per IP address."""

    def __init__(self) -> None:
        self._limits = RateLimiter()

    def wait_seconds(self, services: Services, scope: Scope, name: str, per_minute: int) -> int:
        """Count a request for `name` from the client's address; seconds to wait, 0 if granted."""
        address = self.find_address(services, scope) or UNKNOWN_ADDRESS
        return self.wait_for(f"{name} {address}", per_minute)

    def find_address(self, services: Services, scope: Scope) -> str:
        """The client's address, as requests are counted; empty if it is unknown."""
        address = client_address(scope, services.policy.ingress)
        return "" if address is None else rate_limit_address(address)

    def wait_for(self, name: str, per_minute: int) -> int:
        """Count a request for `name` from any address; seconds to wait, 0 if granted."""
        result = self._limits.spend(name, per_minute)
        return 0 if result.granted else max(result.wait_seconds, 1)
