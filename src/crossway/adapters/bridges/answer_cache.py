"""A service's answers, each kept for a while and asked for again before it is too old."""

import logging
import time
from collections.abc import Callable, Collection
from concurrent.futures import Executor, Future, wait
from dataclasses import dataclass
from threading import Lock
from typing import Final, Generic, TypeVar

from crossway.domain.errors import Unreachable

log = logging.getLogger("crossway.bridges")

K = TypeVar("K")
V = TypeVar("V")
# Whoever asks sooner after a failure is told of that instead of waiting for another.
FAILURE_SECONDS: Final = 5.0


@dataclass(slots=True)
class _Entry(Generic[V]):
    """The newest answer to one question, the newest failure, and the question under way."""

    value: V | None = None
    answered_at: float = float("-inf")
    failure: str = ""
    failed_at: float = float("-inf")
    pending: "Future[None] | None" = None


class AnswerCache(Generic[K, V]):
    """Asks the service called `title` by `fetch`, which raises `Unreachable`, in `executor`. An
    answer counts for `keep_seconds`; from half of that on it is asked for again in the background.
    `timer` returns monotonic seconds."""

    def __init__(
        self,
        title: str,
        fetch: Callable[[K], V],
        executor: Executor,
        keep_seconds: float,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self._title, self._fetch = title, fetch
        self._executor = executor
        self._keep_seconds = keep_seconds
        self._timer = timer
        self._lock = Lock()
        self._entries: dict[K, _Entry[V]] = {}

    def prefetch(self, keys: Collection[K], max_wait_seconds: float) -> None:
        """Ask for what is missing or ages, all at once, and wait for what is missing."""
        missing: list[Future[None]] = []
        with self._lock:
            now = self._timer()
            for key in keys:
                entry = self._entries.setdefault(key, _Entry())
                age = now - entry.answered_at
                failed_recently = now - entry.failed_at < FAILURE_SECONDS
                ages = age >= self._keep_seconds / 2
                if ages and entry.pending is None and not failed_recently:
                    entry.pending = self._executor.submit(self._ask, key)
                if age >= self._keep_seconds and entry.pending is not None:
                    missing.append(entry.pending)
        if missing:
            wait(missing, max_wait_seconds)

    def get(self, key: K) -> V:
        """The answer as it is known now. Raises `Unreachable` where there is none."""
        with self._lock:
            entry = self._entries.get(key, _Entry())
            if self._timer() - entry.answered_at < self._keep_seconds:
                assert entry.value is not None
                return entry.value
            if entry.failure and entry.failed_at > entry.answered_at:
                raise Unreachable(entry.failure)
        raise Unreachable(f"{self._title} did not respond in time")

    def _ask(self, key: K) -> None:
        value, failure = None, ""
        try:
            value = self._fetch(key)
        except Unreachable as error:
            failure = str(error)
        except Exception as error:  # A bug of ours, which must not end all further questions.
            log.exception("asking %s failed", self._title)
            failure = f"failed with {type(error).__name__}"
        with self._lock:
            entry, now = self._entries[key], self._timer()
            entry.pending = None
            if value is None:
                entry.failure, entry.failed_at = failure, now
            else:
                entry.value, entry.answered_at = value, now
