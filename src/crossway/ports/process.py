"""The in-memory state of one process: caches, health, buffered request log entries, log ids."""

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from threading import Lock
from typing import Any

from crossway.domain.clients import Owner, Principal
from crossway.domain.corridor_stats import bucket_of, quantile_seconds
from crossway.domain.staff import StaffMember, StaffSession
from crossway.ports.chain import ChainHead
from crossway.ports.demo import DemoJob
from crossway.ports.records import KeyedRequest

HEALTH_MINUTES = 60
# Beyond this many queued requests, further ones are logged without their bodies.
MAX_QUEUED_BODIES = 1_000
MAX_LOGGED_REQUEST_BYTES = 64 * 1024
# The ids that every log line of the current request or task carries. A handler runs in another
# thread with a copy of the context; both share this one dict.
LOG_IDS: ContextVar[dict[str, Any]] = ContextVar("log_ids")


def add_log_ids(**ids: Any) -> None:
    """Add ids to the log lines of the current request or task; does nothing outside of one."""
    LOG_IDS.get({}).update(ids)


@contextmanager
def log_context(**ids: Any) -> Iterator[None]:
    """Add ids to log lines for the length of a `with` block."""
    before = LOG_IDS.set({**LOG_IDS.get({}), **ids})
    try:
        yield
    finally:
        LOG_IDS.reset(before)


@dataclass
class EngineHealth:
    """The health of this process's engine; times are time.monotonic().

    `heads` is the last head of each chain and when it was read.
    """

    running: bool = False
    started_at: float = 0.0
    last_pass_at: float = 0.0
    heads: dict[str, tuple[ChainHead, float]] = field(default_factory=dict)

    def start(self) -> None:
        """The engine starts now."""
        self.running, self.started_at = True, time.monotonic()

    def record_pass(self, heads: Mapping[str, ChainHead]) -> None:
        """A pass over these chains has ended."""
        self.last_pass_at = time.monotonic()
        read_heads = {chain: (head, self.last_pass_at) for chain, head in heads.items()}
        self.heads = {**self.heads, **read_heads}

    def seconds_running(self) -> float:
        """Seconds since the engine started; zero where no engine runs."""
        return time.monotonic() - self.started_at if self.running else 0.0

    def seconds_since_pass(self) -> float:
        """Seconds since the last completed pass; zero where no engine runs."""
        return time.monotonic() - max(self.started_at, self.last_pass_at) if self.running else 0.0


@dataclass(frozen=True, slots=True)
class RequestLogEntry:
    """One handled request; `at` is time.monotonic(), bodies are None where none are stored."""

    at: float
    request_id: str
    method: str
    path: str
    status: int
    microseconds: int
    client_id: str | None
    key_prefix: str | None
    request_body: bytes | None
    response_body: bytes | None
    intent_id: int | None = None
    mode: str | None = None


@dataclass
class RequestLogBuffer:
    """Requests that are not in the request log yet; the oldest are dropped on overflow."""

    entries: deque[RequestLogEntry] = field(default_factory=lambda: deque(maxlen=20_000))

    def add(self, entry: RequestLogEntry) -> None:
        """Queue a request for the log; never blocks."""
        if (
            len(self.entries) >= MAX_QUEUED_BODIES
            or len(entry.request_body or b"") > MAX_LOGGED_REQUEST_BYTES
        ):
            entry = replace(entry, request_body=None, response_body=None)
        self.entries.append(entry)


@dataclass
class _Minute:
    """The calls to one bridge in one minute; `times` counts duration buckets in milliseconds."""

    answers: int = 0
    errors: int = 0
    times: Counter[int] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class BridgeStats:
    """The calls to one bridge in the last hour; durations in seconds, None without an answer.

    `last_error` is the newest error, `last_error_at` its time.monotonic().
    """

    answers: int
    errors: int
    p50_seconds: float | None
    p95_seconds: float | None
    last_error: str
    last_error_at: float | None


class BridgeHealth:
    """Counts and durations of this process's calls to bridges, per minute."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._minutes: dict[str, dict[int, _Minute]] = {}
        self._failed: dict[str, tuple[str, float]] = {}

    def record(self, bridge: str, seconds: float, error: str = "") -> None:
        """Record one call that took `seconds`; `error` is empty when it was answered."""
        now = time.monotonic()
        minute = int(now // 60)
        with self._lock:
            minutes = self._minutes.setdefault(bridge, {})
            if minute not in minutes:
                for outdated in [m for m in minutes if m <= minute - HEALTH_MINUTES]:
                    del minutes[outdated]
                minutes[minute] = _Minute()
            if error:
                minutes[minute].errors += 1
                self._failed[bridge] = error, now
            else:
                minutes[minute].answers += 1
                minutes[minute].times[bucket_of(seconds * 1_000)] += 1

    def get_stats(self, bridge: str) -> BridgeStats:
        """The statistics of one bridge over the last hour."""
        oldest = int(time.monotonic() // 60) - HEALTH_MINUTES
        with self._lock:
            recent = [m for at, m in self._minutes.get(bridge, {}).items() if at > oldest]
            times = sum((m.times for m in recent), Counter[int]())
            failed = self._failed.get(bridge)
        p50, p95 = (quantile_seconds(times.items(), share) for share in (0.5, 0.95))
        return BridgeStats(
            answers=sum(m.answers for m in recent),
            errors=sum(m.errors for m in recent),
            p50_seconds=None if p50 is None else p50 / 1_000,
            p95_seconds=None if p95 is None else p95 / 1_000,
            last_error=failed[0] if failed else "",
            last_error_at=failed[1] if failed else None,
        )


@dataclass
class InventoryCache:
    """The relayer's balances when its chains were last read, in whole tokens by (chain, symbol).

    `asked_at` is the time.monotonic() of that read, `refreshing` whether one is running.
    """

    balances: Mapping[tuple[str, str], Decimal] = field(default_factory=dict)
    heads: Mapping[str, int] = field(default_factory=dict)
    asked_at: float = float("-inf")
    refreshing: bool = False


@dataclass
class ApiKeyCache:
    """API keys that this process looked up recently, and uses that are not stored yet.

    `by_hash` maps a key's hash to the time.monotonic() of the look-up and the key's principal.
    `last_used` holds the last use by key id until it is stored; `written_at` is the
    time.monotonic() of the last write.
    """

    by_hash: dict[str, tuple[float, Principal]] = field(default_factory=dict)
    last_used: dict[int, datetime] = field(default_factory=dict)
    written_at: float = 0.0


@dataclass
class KillSwitchCache:
    """The kill switches that this process read last.

    `last_read` holds them with the epoch and the time.monotonic() from before the read. A switch
    made here begins a new epoch, which invalidates earlier reads.
    """

    epoch: object = field(default_factory=object)
    last_read: tuple[object, float, Mapping[str, str]] | None = None


@dataclass(frozen=True, slots=True)
class CachedSession:
    """A session with its member and whether they have a second factor, as of the epoch and the
    time.monotonic() of the look-up."""

    epoch: object
    read_at: float
    session: StaffSession | None
    member: StaffMember | None
    has_second_factor: bool


@dataclass
class SessionCache:
    """Staff sessions that this process looked up recently, recent guesses and open challenges.

    `by_token_hash` maps a token's hash to what was looked up. `has_staff` says whether any staff
    exist, with the epoch and the time.monotonic() of the look-up. A change made here begins a new
    epoch, which invalidates earlier look-ups. `last_active` is the last activity by token hash,
    newer than what is stored. `login_attempts` holds the time.monotonic() of guesses by what limits
    them, `known_addresses` the names with an address from which they signed in. `challenges` are
    those that no passkey has answered yet, with their purpose and the time.monotonic() at which
    they expire. `lock` guards these three.
    """

    epoch: object = field(default_factory=object)
    by_token_hash: dict[str, CachedSession] = field(default_factory=dict)
    has_staff: tuple[object, float, bool] | None = None
    last_active: dict[str, datetime] = field(default_factory=dict)
    login_attempts: dict[str, deque[float]] = field(default_factory=dict)
    known_addresses: set[str] = field(default_factory=set)
    challenges: dict[bytes, tuple[str, float]] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)


@dataclass(frozen=True)
class ProcessState:
    """What this process remembers between calls, and the hooks through which it signals.

    `wake` makes the engine start its next pass at once; `pause` waits a moment while polling.
    `failpoint` is called with the name of each step that tests interrupt. `first_keys` returns the
    API keys of the first run by mode, once; afterwards it is empty. `keys_in_flight` are the
    requests of this process that store their idempotency keys with their responses.
    """

    api_keys: ApiKeyCache = field(default_factory=ApiKeyCache)
    kill_switches: KillSwitchCache = field(default_factory=KillSwitchCache)
    keys_in_flight: dict[tuple[Owner, str], KeyedRequest] = field(default_factory=dict)
    sessions: SessionCache = field(default_factory=SessionCache)
    engine: EngineHealth = field(default_factory=EngineHealth)
    request_log: RequestLogBuffer = field(default_factory=RequestLogBuffer)
    inventory: InventoryCache = field(default_factory=InventoryCache)
    bridge_health: BridgeHealth = field(default_factory=BridgeHealth)
    demo_job: DemoJob = field(default_factory=DemoJob)
    wake: Callable[[], None] = lambda: None
    pause: Callable[[], None] = lambda: time.sleep(0.02)
    failpoint: Callable[[str], None] = lambda step: None
    first_keys: Callable[[], Mapping[str, str]] = dict
