"""Change counters that are pushed to browsers, and results computed once for all sessions."""

import hmac
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar, cast
from uuid import uuid4

import streamlit as st

from crossway.dashboard.session import services
from crossway.dashboard.views import alerts
from crossway.dashboard.views import overview as views
from crossway.dashboard.views.formatting import to_millis
from crossway.domain.clients import Principal
from crossway.ports.topics import Topic
from crossway.usecases.operating import overview as operations

T = TypeVar("T")
POLL_SECONDS: Final = 0.05
MAX_AGE_SECONDS: Final = 2.0
ALERT_STRIP_MAX_AGE_SECONDS: Final = 30.0
ALL_TOPICS: Final = tuple(topic for topic in Topic if topic is not Topic.REQUESTS)
CLOCK_MAX_AGE_SECONDS: Final = 0.4
MAX_CONCURRENT_RENDERS: Final = 2
# Results are cached per list and per payment, so the oldest entries are evicted.
MAX_CACHED_RESULTS: Final = 100
MAX_SLOT_WAIT_SECONDS: Final = 5.0
_RENDER_SLOTS = threading.BoundedSemaphore(MAX_CONCURRENT_RENDERS)
_MAX_CLOCK_DRIFT_MILLIS = 1000
_CLOCK = "clock_anchor"


@dataclass
class ChangeCounters:
    """A counter per topic that grows with every change; counters of two epochs do not compare.

    `ticket` authorises a signed-in browser to subscribe to the counters.
    """

    epoch: str = field(default_factory=lambda: uuid4().hex)
    ticket: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    _stamps: Mapping[Topic, object] = field(default_factory=dict)
    _counters: Mapping[str, int] = field(default_factory=dict)
    _polled_at: float = float("-inf")
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def is_valid_ticket(self, ticket: str) -> bool:
        """Compare a ticket with ours in constant time."""
        return hmac.compare_digest(ticket.encode(), self.ticket.encode())

    def current(self) -> Mapping[str, int]:
        """The counter of each topic; one thread polls the database, the others do not wait."""
        expired = time.monotonic() - self._polled_at > POLL_SECONDS
        if expired and self._lock.acquire(blocking=not self._counters):
            try:
                self._poll()
            finally:
                self._lock.release()
        return self._counters

    def _poll(self) -> None:
        stamps, counters = services().store.stamp(), dict(self._counters)
        for topic, stamp in stamps.items():
            if topic not in self._stamps or self._stamps[topic] != stamp:
                counters[topic.value] = counters.get(topic.value, 0) + 1
        self._stamps, self._counters, self._polled_at = stamps, counters, time.monotonic()


@st.cache_resource(show_spinner=False)
def change_counters() -> ChangeCounters:
    """The change counters of this process."""
    return ChangeCounters()


@dataclass
class _Cache:
    """Results by key, each with the counters and the time at which it was computed."""

    results: dict[str, tuple[object, float, object]] = field(default_factory=dict)
    locks: dict[str, threading.Lock] = field(default_factory=dict)


@st.cache_resource(show_spinner=False)
def _cache() -> _Cache:
    return _Cache()


def cached(
    key: str,
    compute: Callable[[], T],
    topics: tuple[Topic, ...] = ALL_TOPICS,
    max_age_seconds: float = MAX_AGE_SECONDS,
) -> T:
    """The result of `compute`, shared by all sessions: recomputed once a topic has changed or the
    result is older than `max_age_seconds`. Callers must not modify it."""
    cache, counters = _cache(), change_counters().current()
    version = tuple(counters.get(topic.value) for topic in topics)
    with cache.locks.setdefault(key, threading.Lock()):
        entry = cache.results.pop(key, None)
        if entry is None or entry[0] != version or time.monotonic() - entry[1] > max_age_seconds:
            entry = (version, time.monotonic(), compute())
        cache.results[key] = entry
    while len(cache.results) > MAX_CACHED_RESULTS:
        oldest = next(iter(cache.results), key)
        cache.results.pop(oldest, None)
        cache.locks.pop(oldest, None)
    return cast(T, entry[2])


def service_clock() -> dict[str, Any]:
    """The service's time for this session's browser, which counts on from it by itself.

    The result stays the same until the service's clock is moved or stopped, so it is not sent to
    the browser again, and the browser's own clock need not be right.
    """
    now, machine = services().clock.now(), services().clock.machine()
    stopped = cached("clock", _clock_is_stopped, (), CLOCK_MAX_AGE_SECONDS)
    # A stopped clock is compared by its time, a running one by its offset from the machine's.
    position = to_millis(now) if stopped else to_millis(now) - to_millis(machine)
    anchor: dict[str, Any] = st.session_state.get(_CLOCK) or {"stopped": None}
    moved = anchor["stopped"] != stopped or (
        abs(anchor["position"] - position) > _MAX_CLOCK_DRIFT_MILLIS
    )
    if moved:
        anchor = {
            "position": position,
            "id": uuid4().hex,
            "now": to_millis(now),
            "stopped": stopped,
        }
        st.session_state[_CLOCK] = anchor
    return {name: anchor[name] for name in ("id", "now", "stopped")}


def _clock_is_stopped() -> bool:
    sandbox = services().sandbox
    return sandbox is not None and sandbox.clock()[1]


@contextmanager
def render_slot() -> Iterator[None]:
    """Limit how many threads render at once: more of them would starve one another and the API."""
    acquired = _RENDER_SLOTS.acquire(timeout=MAX_SLOT_WAIT_SECONDS)
    try:
        yield
    finally:
        if acquired:
            _RENDER_SLOTS.release()


def overview(caller: Principal, period: Mapping[str, str]) -> operations.Overview:
    """The figures of the overview page of a period, as its URL says it, shared by all sessions in
    one mode. Raises `InvalidInput` for a period that is none."""
    key = f"overview {caller.mode} {sorted(period.items())}"
    return cached(key, lambda: views.load(services(), caller, period))


def alert_strip() -> Mapping[str, Any]:
    """The data of the alert strip."""
    return cached(
        "alert strip",
        lambda: alerts.build_strip(services()),
        (Topic.ALERTS,),
        ALERT_STRIP_MAX_AGE_SECONDS,
    )


def chain_statuses() -> list[operations.ChainStatus]:
    """The status of every chain, shared by all sessions."""
    return cached("chains", lambda: operations.list_chain_statuses(services()), ())
