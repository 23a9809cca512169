"""Questions that several callers ask at the same time are asked once; no answer is kept."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class SharedQuestions(Generic[K, V]):
    """Asks by `fetch` in `executor`."""

    def __init__(self, fetch: Callable[[K], V], executor: Executor) -> None:
        self._fetch = fetch
        self._executor = executor
        self._lock = Lock()
        self._pending: dict[K, Future[V]] = {}

    def ask(self, question: K) -> "Future[V]":
        """The answer to come: that of the same question under way, if there is one."""
        with self._lock:
            future = self._pending.get(question)
            if future is not None:
                return future
            future = self._pending[question] = self._executor.submit(self._fetch, question)
        # Without the lock: a future that is done already calls back at once.
        future.add_done_callback(lambda done: self._forget(question, done))
        return future

    def _forget(self, question: K, done: "Future[V]") -> None:
        with self._lock:
            if self._pending.get(question) is done:
                del self._pending[question]
