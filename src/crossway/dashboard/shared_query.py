"""Queries whose results many browsers show: run once for all, pushed to them when they change."""

import json
import logging
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar, cast

import streamlit as st

from crossway.dashboard import push
from crossway.domain.errors import DomainError
from crossway.ports.topics import Topic

log = logging.getLogger("crossway.dashboard")

T = TypeVar("T")
# The least recently read queries beyond this number are dropped.
MAX_QUERIES: Final = 200
# Results that change with time alone, such as figures of the last day, are refreshed this often.
MAX_AGE_SECONDS: Final = 20.0


@dataclass(frozen=True, slots=True)
class RenderState:
    """What a page shows of a query result.

    `widgets` holds, by widget key, the data that browsers redraw by themselves. `frame` stands for
    everything else: when it changes, the server redraws the fragment.
    """

    widgets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    frame: object = None


@dataclass(frozen=True, slots=True)
class QueryVersion:
    """The version of a query result that a page shows, and the version of its frame."""

    query_id: str
    version: int
    frame_version: int


@dataclass(eq=False)
class SharedQuery(Generic[T]):
    """One query and its last result; browsers know it by its unguessable `id`. However much
    changes, it is computed at most once in `min_age_seconds`."""

    compute: Callable[[], T]
    topics: tuple[Topic, ...]
    render: Callable[[T], RenderState]
    min_age_seconds: float = 0.0
    id: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    version: int = 0
    frame_version: int = 0
    _stale: bool = True
    _value: T | None = None
    _render_state: RenderState | None = None
    _message: tuple[str, tuple[int, int]] = ("", (0, 0))
    _counters: tuple[int | None, ...] = ()
    _refreshed_at: float = float("-inf")
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def read(self, max_age_seconds: float = push.MAX_AGE_SECONDS) -> tuple[T, QueryVersion]:
        """The result and its version, recomputed if a topic has changed or it is too old. Raises
        what `compute` raises."""
        with self._lock:
            counters = self._counters_in(push.change_counters().current())
            age = time.monotonic() - self._refreshed_at
            changed = counters != self._counters and age >= self.min_age_seconds
            if self._stale or changed or age > max(max_age_seconds, self.min_age_seconds):
                self._recompute(counters)
            return cast(T, self._value), self.current_version()

    def refresh(self, counters: Mapping[str, int]) -> bool:
        """Recompute if a topic has changed or the result is old; whether the version has changed.

        A failure counts as a change: the server redraws the fragment, which shows the error.
        """
        with self._lock:
            current, before = self._counters_in(counters), self.version
            age = time.monotonic() - self._refreshed_at
            if current == self._counters and age < MAX_AGE_SECONDS:
                return False
            if age < self.min_age_seconds:
                return False  # Asked again at the next poll, as its counters stay the old ones.
            try:
                self._recompute(current)
            except Exception as error:
                if not isinstance(error, DomainError):
                    log.exception("a shared query could not be refreshed")
                self._stale, self._counters, self._refreshed_at = True, current, time.monotonic()
                self._set_render_state(RenderState(frame=object()))
            return self.version != before

    def invalidate(self, counters: Mapping[str, int]) -> bool:
        """If a topic has changed, make the server redraw the fragment; whether one has."""
        with self._lock:
            current = self._counters_in(counters)
            if current == self._counters:
                return False
            self._stale, self._counters = True, current
            self._set_render_state(RenderState(frame=object()))
            return True

    def message(self) -> tuple[str, tuple[int, int]]:
        """The JSON message for browsers, with the version and frame version it carries."""
        return self._message

    def _counters_in(self, counters: Mapping[str, int]) -> tuple[int | None, ...]:
        return tuple(counters.get(topic.value) for topic in self.topics)

    def _recompute(self, counters: tuple[int | None, ...]) -> None:
        value = self.compute()
        self._stale, self._value, self._counters = False, value, counters
        self._refreshed_at = time.monotonic()
        state = self.render(value)
        if state != self._render_state:
            self._set_render_state(state)

    def _set_render_state(self, state: RenderState) -> None:
        self.version += 1
        if self._render_state is None or state.frame != self._render_state.frame:
            self.frame_version = self.version
        self._render_state = state
        versions = {"version": self.version, "frame_version": self.frame_version}
        text = json.dumps({"query": self.id, **versions, "widgets": state.widgets})
        self._message = (text, (self.version, self.frame_version))

    def current_version(self) -> QueryVersion:
        """The version of the last result."""
        return QueryVersion(self.id, self.version, self.frame_version)

    def draws_widget(self, key: str) -> bool:
        """Whether browsers redraw the widget with this key by themselves."""
        return self._render_state is not None and key in self._render_state.widgets


@dataclass
class QueryRegistry:
    """The shared queries of this process, by name and by the id that browsers know."""

    by_name: OrderedDict[str, SharedQuery[Any]] = field(default_factory=OrderedDict)
    by_id: dict[str, SharedQuery[Any]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def get_or_create(self, name: str, create: Callable[[], SharedQuery[Any]]) -> SharedQuery[Any]:
        """The query of this name, created when there is none."""
        with self.lock:
            query = self.by_name.get(name)
            if query is None:
                query = self.by_name[name] = create()
                self.by_id[query.id] = query
            self.by_name.move_to_end(name)
            while len(self.by_name) > MAX_QUERIES:
                # Browsers that still subscribe to it are told so and redraw.
                _, oldest = self.by_name.popitem(last=False)
                del self.by_id[oldest.id]
            return query


@st.cache_resource(show_spinner=False)
def query_registry() -> QueryRegistry:
    """The shared queries of this process."""
    return QueryRegistry()


_recorded_reads: ContextVar[dict[str, tuple[SharedQuery[Any], QueryVersion]] | None] = ContextVar(
    "recorded_reads", default=None
)


def _whole_frame(value: object) -> RenderState:
    return RenderState(frame=value)


def read(
    name: str,
    compute: Callable[[], T],
    topics: tuple[Topic, ...] = push.ALL_TOPICS,
    render: Callable[[T], RenderState] = _whole_frame,
    min_age_seconds: float = 0.0,
) -> T:
    """The result of `compute`, shared by all who read the same name.

    The read is recorded for the fragment being drawn, which is redrawn when the result changes.
    `compute` also runs in other threads and must not use the Streamlit session. Callers must not
    modify the result. A costly one that changes with every payment is computed at most once in
    `min_age_seconds`.
    """
    query = query_registry().get_or_create(
        name, lambda: SharedQuery(compute, topics, render, min_age_seconds)
    )
    recorded = _recorded_reads.get()
    if recorded is not None:
        # Recorded before it is read: after a failure the fragment is redrawn once it works.
        recorded[query.id] = (query, query.current_version())
    value, version = query.read()
    if recorded is not None:
        recorded[query.id] = (query, version)
    return cast(T, value)


@contextmanager
def record_reads() -> Iterator[dict[str, tuple[SharedQuery[Any], QueryVersion]]]:
    """Collect the shared queries that are read while a fragment is drawn."""
    reads: dict[str, tuple[SharedQuery[Any], QueryVersion]] = {}
    token = _recorded_reads.set(reads)
    try:
        yield reads
    finally:
        _recorded_reads.reset(token)


def widget_subscription(key: str) -> dict[str, Any] | None:
    """What the widget with this key needs to redraw itself; None if the server draws it."""
    for query, version in (_recorded_reads.get() or {}).values():
        if query.draws_widget(key):
            return {"query": version.query_id, "version": version.version, "key": key}
    return None
