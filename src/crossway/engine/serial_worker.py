"""A worker thread per outside service, so that one that hangs does not delay the others."""

import threading
import time
from collections.abc import Callable, Collection
from functools import partial
from queue import SimpleQueue

from crossway.engine.alerts import TaskHealth

Task = Callable[[], object]


class SerialWorker:
    """Runs tasks one after the other in one thread; an id is pending in at most one task."""

    def __init__(self, name: str, health: TaskHealth) -> None:
        """`health` records the success and failure of each task."""
        self._name, self._health = name, health
        self._queue: SimpleQueue[tuple[frozenset[int], Task] | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._pending: set[int] = set()
        # Held while a task's health is recorded: that it hangs is never recorded after its end.
        self._reporting = threading.Lock()
        self._started_at: float | None = None
        self._thread: threading.Thread | None = None

    def without_pending(self, ids: Collection[int]) -> list[int]:
        """Those of the ids that are neither queued nor running, in their order."""
        with self._lock:
            return [number for number in ids if number not in self._pending]

    def enqueue(self, ids: Collection[int], work: Task) -> None:
        """Queue a task for these ids; starts the thread when needed."""
        with self._lock:
            self._pending |= set(ids)
            if self._thread is None:
                # A daemon thread: a service that never answers must not block the exit.
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()
        self._queue.put((frozenset(ids), work))

    def busy_seconds(self) -> float:
        """How long the running task has taken so far; zero when idle."""
        started_at = self._started_at
        return 0.0 if started_at is None else time.monotonic() - started_at

    def report_hanging(self, max_seconds: float) -> None:
        """Record a failure where the running task takes longer; its end takes that back."""
        with self._reporting:
            if self.busy_seconds() > max_seconds:
                self._health.record_failure(TimeoutError(f"no answer within {max_seconds:g} s"))

    def stop(self, timeout_seconds: float = 0.0) -> None:
        """End the thread after the queued tasks; returns when it has ended, or after that time."""
        self._queue.put(None)
        with self._lock:  # another thread may be starting it: one not started cannot be joined
            thread = self._thread
        if thread is not None:
            thread.join(timeout_seconds)

    def _run(self) -> None:
        while (job := self._queue.get()) is not None:
            ids, work = job
            self._started_at = time.monotonic()
            try:
                work()
                self._record_end(self._health.record_success)
            except Exception as error:
                self._record_end(partial(self._health.record_failure, error))
            finally:
                with self._lock:
                    self._pending -= ids

    def _record_end(self, record: Callable[[], None]) -> None:
        with self._reporting:
            self._started_at = None
            record()
