"""Results of slow calls to nodes and bridges: read as last known, and refreshed in a thread."""

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar, cast

import streamlit as st

log = logging.getLogger("crossway.dashboard")

T = TypeVar("T")
MAX_RESULTS: Final = 50


@dataclass(eq=False)
class _Result(Generic[T]):
    """The last result of one call, or the error that it ended with."""

    compute: Callable[[], T]
    value: T | None = None
    error: Exception | None = None
    computed_at: float = float("-inf")
    refreshing: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    def read(self, max_age_seconds: float) -> T:
        with self.lock:
            age = time.monotonic() - self.computed_at
            if age == float("inf"):
                self._compute()
            elif age > max_age_seconds and not self.refreshing:
                self.refreshing = True
                threading.Thread(target=self._refresh, name="refresh", daemon=True).start()
            if self.error is not None:
                raise self.error
            return cast(T, self.value)

    def _refresh(self) -> None:
        try:
            self._compute()
        finally:
            self.refreshing = False

    def _compute(self) -> None:
        try:
            self.value, self.error = self.compute(), None
        except Exception as error:
            log.info("a refresh in the background failed: %s", error)
            self.error = error
        self.computed_at = time.monotonic()


@dataclass
class _Results:
    by_key: OrderedDict[str, _Result[Any]] = field(default_factory=OrderedDict)
    lock: threading.Lock = field(default_factory=threading.Lock)


@st.cache_resource(show_spinner=False)
def _results() -> _Results:
    return _Results()


def forget(key: str) -> None:
    """Have the next read compute the result anew and wait for it, as after a change by hand."""
    results = _results()
    with results.lock:
        results.by_key.pop(key, None)


def read_latest(key: str, compute: Callable[[], T], max_age_seconds: float) -> T:
    """The last result of `compute`, shared by all sessions. Only the first read waits for it: a
    result older than `max_age_seconds` is returned once more while a thread computes the next.

    For what is read where waiting for a node would hold up others, as in shared queries. Raises
    what the last computation raised."""
    results = _results()
    with results.lock:
        result = results.by_key.setdefault(key, _Result(compute))
        results.by_key.move_to_end(key)
        while len(results.by_key) > MAX_RESULTS:
            results.by_key.popitem(last=False)
    return cast(T, result.read(max_age_seconds))
