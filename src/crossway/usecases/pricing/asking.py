"""Asking several outsiders at once: who is late, fails or hangs is left out and named.

At most `AT_ONCE` questions to one subject run together and the next ones wait in its line, so a
subject that hangs holds that many threads of the pool and no more. Once all of them are overdue,
new questions to it are not asked at all. The pool should have a few threads a subject.
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
from crossway.domain.quotes import LeftOut
from crossway.ports.services import Patience

log = logging.getLogger("crossway.asking")

AT_ONCE = 4

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Answers(Generic[T]):
    """What was answered in time, by subject, and who gave no usable answer."""

    given: Mapping[str, T]
    missing: tuple[LeftOut, ...]


def ask(
    pool: Executor,
    questions: Mapping[str, Callable[[], T]],
    patience: Patience,
    at_once: Collection[str] = (),
) -> Answers[T]:
    """Ask every subject its question at once and wait as long as `patience` says.

    Those `at_once` never wait for anybody: they answer in this thread, which costs no other.
    """
    lines = _lines_of(pool)
    asked: dict[Future[T], str] = {}
    for subject, question in questions.items():
        if subject not in at_once:
            asked[lines.ask(pool, subject, question)] = subject
    given: dict[str, T] = {}
    missing: list[LeftOut] = []
    for subject in at_once:
        try:
            given[subject] = questions[subject]()
        except Exception as failure:
            missing.append(LeftOut(subject, _why(subject, failure)))
    pending: set[Future[T]] = set(asked)
    limit, grace = time.monotonic() + patience.deadline, patience.grace
    while pending:
        done, pending = wait(pending, max(0.0, limit - time.monotonic()), FIRST_COMPLETED)
        if not done:
            break
        for future in done:
            if (error := future.exception()) is None:
                given[asked[future]] = future.result()
            else:
                missing.append(LeftOut(asked[future], _why(asked[future], error)))
        if len(given) >= patience.enough:
            limit, grace = min(limit, time.monotonic() + grace), grace * patience.shrink
    for future in pending:
        lines.give_up(asked[future], future)
        missing.append(LeftOut(asked[future], "gave no answer in time"))
    return Answers(given, tuple(sorted(missing, key=lambda left: left.subject)))


def _why(subject: str, error: BaseException) -> str:
    if isinstance(error, Unreachable):
        return str(error) or "could not be reached"
    # A defect of ours: whoever asked is told no more than its name.
    log.error("%s could not be asked", subject, exc_info=error)
    return f"failed with {type(error).__name__}"


class _Lines:
    """Who is being asked in one pool: running, waiting and overdue questions by subject."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._running: Counter[str] = Counter()
        self._overdue: Counter[str] = Counter()
        self._waiting: defaultdict[str, deque[Callable[[], None]]] = defaultdict(deque)

    def ask(self, pool: Executor, subject: str, question: Callable[[], T]) -> Future[T]:
        """Ask now, stand in the subject's line, or refuse because it hangs."""
        future: Future[T] = Future()

        def run() -> None:
            _answer(future, question)

        with self._lock:
            if self._overdue[subject] >= AT_ONCE:
                future.set_exception(Unreachable("still owes earlier answers"))
                return future
            if self._running[subject] >= AT_ONCE:
                self._waiting[subject].append(run)
                return future
            self._running[subject] += 1
        pool.submit(self._work, subject, run)
        return future

    def give_up(self, subject: str, future: Future[T]) -> None:
        """Take a late question out of the line, or count it as overdue until it ends."""
        if not future.cancel():
            with self._lock:
                self._overdue[subject] += 1
            future.add_done_callback(lambda _: self._came_back(subject))

    def _came_back(self, subject: str) -> None:
        with self._lock:
            self._overdue[subject] -= 1

    def _work(self, subject: str, run: Callable[[], None]) -> None:
        while True:
            run()
            with self._lock:
                if not self._waiting[subject]:
                    self._running[subject] -= 1
                    return
                run = self._waiting[subject].popleft()


def _answer(future: Future[T], question: Callable[[], T]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(question())
    except BaseException as error:  # Whoever asks sees it; an unanswered future would hang them.
        future.set_exception(error)


_pools: WeakKeyDictionary[Executor, _Lines] = WeakKeyDictionary()
_pools_lock = Lock()


def _lines_of(pool: Executor) -> _Lines:
    with _pools_lock:
        return _pools.setdefault(pool, _Lines())
