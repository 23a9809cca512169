"""Call several external sources in parallel; sources that fail or time out are excluded and named.

At most `MAX_CONCURRENT_CALLS` calls to one source run at a time, further calls queue, so a source
that hangs occupies no more threads of the pool than that. Once all of these calls are overdue, new
calls to the source fail at once. The pool should have a few threads per source.
"""

import logging
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass
from threading import Lock
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from crossway.domain.errors import Unreachable
from crossway.domain.quotes import ExcludedSource
from crossway.ports.policy import TimeoutPolicy

log = logging.getLogger("crossway.parallel_calls")

MAX_CONCURRENT_CALLS = 4

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CallResults(Generic[T]):
    """Results by source, and the sources that failed or did not respond in time."""

    results: Mapping[str, T]
    excluded: tuple[ExcludedSource, ...]


def call_all(
    pool: Executor,
    calls: Mapping[str, Callable[[], T]],
    timeouts: TimeoutPolicy,
    in_process: Collection[str] = (),
) -> CallResults[T]:
    """Make one call per source in parallel and wait as long as `timeouts` allows.

    Sources named in `in_process` do no I/O; they are called on this thread.
    """
    queues = _queues_of(pool)
    submitted: dict[Future[T], str] = {}
    for subject, call in calls.items():
        if subject not in in_process:
            submitted[queues.submit(pool, subject, call)] = subject
    results: dict[str, T] = {}
    excluded: list[ExcludedSource] = []
    for subject in in_process:
        try:
            results[subject] = calls[subject]()
        except Exception as failure:
            excluded.append(_failed_source(subject, failure))
    pending: set[Future[T]] = set(submitted)
    deadline, grace = time.monotonic() + timeouts.deadline, timeouts.grace
    while pending:
        done, pending = wait(pending, max(0.0, deadline - time.monotonic()), FIRST_COMPLETED)
        if not done:
            break
        for future in done:
            if (error := future.exception()) is None:
                results[submitted[future]] = future.result()
            else:
                excluded.append(_failed_source(submitted[future], error))
        if len(results) >= timeouts.enough:
            deadline, grace = min(deadline, time.monotonic() + grace), grace * timeouts.shrink
    for future in pending:
        queues.give_up(submitted[future], future)
        excluded.append(ExcludedSource(submitted[future], "did not respond in time"))
    return CallResults(results, tuple(sorted(excluded, key=lambda source: source.subject)))


def _failed_source(subject: str, error: BaseException) -> ExcludedSource:
    if isinstance(error, Unreachable):
        return ExcludedSource(subject, str(error) or "could not be reached")
    # An unexpected error is a bug of ours: clients see only its type.
    log.error("the call to %s failed", subject, exc_info=error)
    return ExcludedSource(subject, f"failed with {type(error).__name__}")


class _CallQueues:
    """The calls of one pool: running, queued and overdue calls by source."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._running: Counter[str] = Counter()
        self._overdue: Counter[str] = Counter()
        self._waiting: defaultdict[str, deque[Callable[[], None]]] = defaultdict(deque)

    def submit(self, pool: Executor, subject: str, call: Callable[[], T]) -> Future[T]:
        """Run the call now, queue it, or fail it because the source hangs."""
        future: Future[T] = Future()

        def run() -> None:
            _complete(future, call)

        with self._lock:
            if self._overdue[subject] >= MAX_CONCURRENT_CALLS:
                future.set_exception(Unreachable("has earlier calls pending"))
                return future
            if self._running[subject] >= MAX_CONCURRENT_CALLS:
                self._waiting[subject].append(run)
                return future
            self._running[subject] += 1
        pool.submit(self._run_queue, subject, run)
        return future

    def give_up(self, subject: str, future: Future[T]) -> None:
        """Cancel a late call if it is queued, else count it as overdue until it ends."""
        if not future.cancel():
            with self._lock:
                self._overdue[subject] += 1
            future.add_done_callback(lambda _: self._finished_late(subject))

    def _finished_late(self, subject: str) -> None:
        with self._lock:
            self._overdue[subject] -= 1

    def _run_queue(self, subject: str, run: Callable[[], None]) -> None:
        while True:
            run()
            with self._lock:
                if not self._waiting[subject]:
                    self._running[subject] -= 1
                    return
                run = self._waiting[subject].popleft()


def _complete(future: Future[T], call: Callable[[], T]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(call())
    except BaseException as error:  # The caller sees it; an incomplete future would block it.
        future.set_exception(error)


_pools: WeakKeyDictionary[Executor, _CallQueues] = WeakKeyDictionary()
_pools_lock = Lock()


def _queues_of(pool: Executor) -> _CallQueues:
    with _pools_lock:
        if pool not in _pools:
            _pools[pool] = _CallQueues()
        return _pools[pool]
