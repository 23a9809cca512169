"""A lane: one thread that does one outsider's work, so that who hangs delays nobody else."""

import threading
import time
from collections.abc import Callable, Collection
from queue import SimpleQueue

from crossway.engine.alarms import Working

Work = Callable[[], object]


class Lane:
    """Does its work one after the other. A thing that is queued or under way is not taken twice."""

    def __init__(self, name: str, working: Working) -> None:
        """`working` is told how the work goes."""
        self._name, self._working = name, working
        self._queue: SimpleQueue[tuple[frozenset[int], Work] | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._taken: set[int] = set()
        self._since: float | None = None
        self._thread: threading.Thread | None = None

    def free(self, ids: Collection[int]) -> list[int]:
        """Those that are neither queued nor under way, in their order."""
        with self._lock:
            return [one for one in ids if one not in self._taken]

    def put(self, ids: Collection[int], work: Work) -> None:
        """Queue work that concerns these."""
        with self._lock:
            self._taken |= set(ids)
            if self._thread is None:
                # A daemon: an outsider that never answers must not keep the process from ending.
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()
        self._queue.put((frozenset(ids), work))

    def busy_seconds(self) -> float:
        """How long the work under way takes already."""
        since = self._since
        return 0.0 if since is None else time.monotonic() - since

    def stop(self) -> None:
        """End after the work that is queued."""
        self._queue.put(None)

    def _run(self) -> None:
        while (taken := self._queue.get()) is not None:
            ids, work = taken
            self._since = time.monotonic()
            try:
                work()
                self._working.well()
            except Exception as error:
                self._working.broken(error)
            finally:
                self._since = None
                with self._lock:
                    self._taken -= ids
