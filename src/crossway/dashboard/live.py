"""What many browsers look at: what has changed since, and what is worked out once for all."""

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
from crossway.dashboard.views import alarms
from crossway.dashboard.views.figures import millis
from crossway.domain.clients import Caller
from crossway.ports.changes import Topic
from crossway.usecases.operating import operations

T = TypeVar("T")
LOOK_SECONDS: Final = 0.05
FRESH_SECONDS: Final = 2.0
STRIP_SECONDS: Final = 30.0
EVERYTHING: Final = tuple(topic for topic in Topic if topic is not Topic.REQUESTS)
CLOCK_SECONDS: Final = 0.4
AT_ONCE: Final = 2
# What is shared for one list or one payment is forgotten when others are looked at.
MOST_SHARED: Final = 100
LONGEST_TURN_SECONDS: Final = 5.0
_TURNS = threading.BoundedSemaphore(AT_ONCE)
_APART_MILLIS = 1000
_CLOCK = "clock_anchor"


@dataclass
class Changes:
    """How often each topic was seen to change; the numbers mean something in one `epoch` only.

    `ticket` lets a browser that was let in follow them.
    """

    epoch: str = field(default_factory=lambda: uuid4().hex)
    ticket: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    _stamp: Mapping[Topic, object] = field(default_factory=dict)
    _numbers: Mapping[str, int] = field(default_factory=dict)
    _looked: float = float("-inf")
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def lets_in(self, shown: str) -> bool:
        """Whether this is the ticket."""
        return hmac.compare_digest(shown.encode(), self.ticket.encode())

    def numbers(self) -> Mapping[str, int]:
        """The number of each topic: one look for all who ask, who do not wait for one another's."""
        old = time.monotonic() - self._looked > LOOK_SECONDS
        if old and self._lock.acquire(blocking=not self._numbers):
            try:
                self._look()
            finally:
                self._lock.release()
        return self._numbers

    def _look(self) -> None:
        stamp, numbers = services().store.stamp(), dict(self._numbers)
        for topic, mark in stamp.items():
            if topic not in self._stamp or self._stamp[topic] != mark:
                numbers[topic.value] = numbers.get(topic.value, 0) + 1
        self._stamp, self._numbers, self._looked = stamp, numbers, time.monotonic()


@st.cache_resource(show_spinner=False)
def changes() -> Changes:
    """What this process has seen change."""
    return Changes()


@dataclass
class _Shared:
    """What was worked out for all, by its name, with what it was worked out from and when."""

    known: dict[str, tuple[object, float, object]] = field(default_factory=dict)
    turns: dict[str, threading.Lock] = field(default_factory=dict)


@st.cache_resource(show_spinner=False)
def _shared() -> _Shared:
    return _Shared()


def shared(
    name: str,
    work: Callable[[], T],
    topics: tuple[Topic, ...] = EVERYTHING,
    fresh_seconds: float = FRESH_SECONDS,
) -> T:
    """What `work` answers, for all sessions alike: worked out again once one of these topics has
    changed or it is `fresh_seconds` old. The answer is nobody's to change."""
    memory, numbers = _shared(), changes().numbers()
    at = tuple(numbers.get(topic.value) for topic in topics)
    with memory.turns.setdefault(name, threading.Lock()):
        known = memory.known.pop(name, None)
        if known is None or known[0] != at or time.monotonic() - known[1] > fresh_seconds:
            known = (at, time.monotonic(), work())
        memory.known[name] = known
    while len(memory.known) > MOST_SHARED:
        oldest = next(iter(memory.known), name)
        memory.known.pop(oldest, None)
        memory.turns.pop(oldest, None)
    return cast(T, known[2])


def clock() -> dict[str, Any]:
    """The service's time for this session's browser, which counts on from it by itself.

    The answer stays the same until somebody moves or stops the clock: what has not changed is
    not sent to the browser again, and its own clock need not be right.
    """
    now, machine = services().clock.now(), services().clock.machine()
    stands = shared("clock", _stands, (), CLOCK_SECONDS)
    # A clock that stands is told by where it stands, one that runs by how far it is ahead.
    place = millis(now) if stands else millis(now) - millis(machine)
    anchor: dict[str, Any] = st.session_state.get(_CLOCK) or {"stands": None}
    if anchor["stands"] != stands or abs(anchor["place"] - place) > _APART_MILLIS:
        anchor = {"place": place, "id": uuid4().hex, "now": millis(now), "stands": stands}
        st.session_state[_CLOCK] = anchor
    return {name: anchor[name] for name in ("id", "now", "stands")}


def _stands() -> bool:
    sandbox = services().sandbox
    return sandbox is not None and sandbox.clock()[1]


@contextmanager
def turn() -> Iterator[None]:
    """Wait to be one of the few who draw now. Threads that all draw at once take the interpreter
    from one another, and from the API, more than they get done."""
    taken = _TURNS.acquire(timeout=LONGEST_TURN_SECONDS)
    try:
        yield
    finally:
        if taken:
            _TURNS.release()


def overview(caller: Caller) -> operations.Overview:
    """The numbers of the day."""
    return shared("overview", lambda: operations.overview(services(), caller))


def strip() -> Mapping[str, Any]:
    """What the alarm strip says."""
    return shared("strip", lambda: alarms.strip(services()), (Topic.ALARMS,), STRIP_SECONDS)


def chains() -> list[operations.ChainStatus]:
    """How every chain stands."""
    return shared("chains", lambda: operations.chain_statuses(services()), ())
