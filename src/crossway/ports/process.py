"""What one process knows of itself: who may come in, how its engine is, what is not written yet."""

import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal

from crossway.ports.chain import Heads


@dataclass(frozen=True, slots=True)
class Doors:
    """From where and with what one may come in.

    Of `trusted_proxies`, networks, X-Forwarded-For is believed. Without a `metrics_token` only
    this machine may read the metrics.
    """

    trusted_proxies: tuple[str, ...] = ()
    metrics_token: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Retention:
    """How long the service remembers what nothing depends on any more."""

    requests: timedelta = timedelta(days=7)
    deliveries: timedelta = timedelta(days=30)
    announcements: timedelta = timedelta(days=30)
    order_reports: timedelta = timedelta(days=90)


@dataclass
class Pulse:
    """How the engine of this process is; `since` and `passed` are time.monotonic().

    `heads` is what each chain last said, with when.
    """

    runs: bool = False
    since: float = 0.0
    passed: float = 0.0
    heads: dict[str, tuple[Heads, float]] = field(default_factory=dict)

    def begin(self) -> None:
        """The engine begins now."""
        self.runs, self.since = True, time.monotonic()

    def beat(self, heads: Mapping[str, Heads]) -> None:
        """A pass over these chains has ended."""
        self.passed = time.monotonic()
        known = {chain: (head, self.passed) for chain, head in heads.items()}
        self.heads = {**self.heads, **known}

    def quiet_seconds(self) -> float:
        """How long no pass has ended; zero where no engine runs."""
        return time.monotonic() - max(self.since, self.passed) if self.runs else 0.0


@dataclass(frozen=True, slots=True)
class Heard:
    """One request as it went by; `at` is time.monotonic(), bodies None where none are kept."""

    at: float
    request_id: str
    method: str
    path: str
    status: int
    microseconds: int
    client_id: str | None
    key_shown: str | None
    asked: bytes | None
    answered: bytes | None


@dataclass
class Unwritten:
    """Requests that are not in the request log yet; the oldest are lost when there are too many."""

    heard: deque[Heard] = field(default_factory=lambda: deque(maxlen=20_000))


@dataclass
class Stock:
    """What the relayer held when its chains were last asked, whole tokens by chain and symbol.

    `asked` is the time.monotonic() of that, `asking` whether somebody asks right now.
    """

    held: Mapping[tuple[str, str], Decimal] = field(default_factory=dict)
    heads: Mapping[str, int] = field(default_factory=dict)
    asked: float = float("-inf")
    asking: bool = False
