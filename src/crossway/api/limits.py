"""How often one may ask: by key, and by address for requests without a good key."""

import math
import time
from dataclasses import dataclass

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

ADDRESS_PER_MINUTE = 60
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


class Limits:
    """The windows of one process."""

    def __init__(self) -> None:
        self._windows = MovingWindowRateLimiter(MemoryStorage())
        self._by_address = RateLimitItemPerMinute(ADDRESS_PER_MINUTE)
        self._items: dict[int, RateLimitItemPerMinute] = {}

    def spend_key(self, key: str, per_minute: int) -> Allowance:
        """Count one request of a key."""
        item = self._items.get(per_minute)
        if item is None:
            item = self._items[per_minute] = RateLimitItemPerMinute(per_minute)
        return self._allowance(item, self._windows.hit(item, "key", key), "key", key)

    def spend_address(self, address: str) -> Allowance:
        """Count one request that came without a good key."""
        item = self._by_address
        return self._allowance(
            item, self._windows.hit(item, "address", address), "address", address
        )

    def check_address(self, address: str) -> Allowance:
        """Whether this address may still try a key; counts nothing."""
        item = self._by_address
        return self._allowance(
            item, self._windows.test(item, "address", address), "address", address
        )

    def _allowance(self, item: RateLimitItemPerMinute, granted: bool, *names: str) -> Allowance:
        free_at, left = self._windows.get_window_stats(item, *names)
        wait = max(1, math.ceil(free_at - time.time()))
        return Allowance(granted, item.amount, left, wait)
