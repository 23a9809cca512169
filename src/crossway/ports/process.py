"""What one process knows of itself: who may come in, how its engine is, what is not written yet."""

import time
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from threading import Lock

from crossway.domain.flows import bucket_of, share_of_time
from crossway.ports.chain import Heads


@dataclass(frozen=True, slots=True)
class Doors:
    """From where and with what one may come in.

    Of `trusted_proxies`, networks, X-Forwarded-For is believed. Without a `metrics_token` only
    this machine may read the metrics. `public_url` is where payers find this service, without a
    path; empty where it is not said, and then it is where they were found.
    """

    trusted_proxies: tuple[str, ...] = ()
    metrics_token: str = field(default="", repr=False)
    public_url: str = ""


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
    intent: int | None = None


@dataclass
class Unwritten:
    """Requests that are not in the request log yet; the oldest are lost when there are too many."""

    heard: deque[Heard] = field(default_factory=lambda: deque(maxlen=20_000))


HEALTH_MINUTES = 60


@dataclass
class _Minute:
    """What one bridge did in one minute; times by `domain.flows.bucket_of` their milliseconds."""

    answers: int = 0
    errors: int = 0
    times: Counter[int] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Health:
    """How one bridge answered in the last hour; times in seconds, None where it gave no answer.
    `last_error` is the newest reason for none, `last_error_at` its time.monotonic()."""

    answers: int
    errors: int
    p50_seconds: float | None
    p95_seconds: float | None
    last_error: str
    last_error_at: float | None


class BridgeHealth:
    """What this process has measured of its bridges by really asking them, minute by minute."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._minutes: dict[str, dict[int, _Minute]] = {}
        self._failed: dict[str, tuple[str, float]] = {}

    def asked(self, bridge: str, seconds: float, error: str = "") -> None:
        """One question was answered, or failed, after this time."""
        now = time.monotonic()
        minute = int(now // 60)
        with self._lock:
            known = self._minutes.setdefault(bridge, {})
            if minute not in known:
                for old in [m for m in known if m <= minute - HEALTH_MINUTES]:
                    del known[old]
                known[minute] = _Minute()
            if error:
                known[minute].errors += 1
                self._failed[bridge] = error, now
            else:
                known[minute].answers += 1
                known[minute].times[bucket_of(seconds * 1_000)] += 1

    def of(self, bridge: str) -> Health:
        """The last hour of one bridge."""
        oldest = int(time.monotonic() // 60) - HEALTH_MINUTES
        with self._lock:
            recent = [m for at, m in self._minutes.get(bridge, {}).items() if at > oldest]
            times = sum((m.times for m in recent), Counter[int]())
            failed = self._failed.get(bridge)
        p50, p95 = (share_of_time(times.items(), share) for share in (0.5, 0.95))
        return Health(
            answers=sum(m.answers for m in recent),
            errors=sum(m.errors for m in recent),
            p50_seconds=None if p50 is None else p50 / 1_000,
            p95_seconds=None if p95 is None else p95 / 1_000,
            last_error=failed[0] if failed else "",
            last_error_at=failed[1] if failed else None,
        )


@dataclass
class Stock:
    """What the relayer held when its chains were last asked, whole tokens by chain and symbol.

    `asked` is the time.monotonic() of that, `asking` whether somebody asks right now.
    """

    held: Mapping[tuple[str, str], Decimal] = field(default_factory=dict)
    heads: Mapping[str, int] = field(default_factory=dict)
    asked: float = float("-inf")
    asking: bool = False
