"""Group commit: on one writing connection, waiting units of work share a transaction."""

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar, cast

from sqlalchemy import Connection, Engine

U = TypeVar("U")
T = TypeVar("T")


class _Job(Generic[U]):
    """One caller's unit of work. Its gate opens when it is done, or when its caller is to run the
    next commit."""

    __slots__ = ("done", "error", "gate", "result", "unit", "work")

    def __init__(self, work: Callable[[U], Any]) -> None:
        self.work = work
        self.unit: U | None = None
        self.done = False
        self.result: Any = None
        self.error: BaseException | None = None
        self.gate = threading.Lock()
        self.gate.acquire()

    def run(self, unit: U) -> None:
        """Run the work on a unit of work."""
        self.unit = unit
        self.result = self.work(unit)


class GroupCommit(Generic[U]):
    """Runs units of work on one writing connection; all that wait share the next commit."""

    def __init__(
        self, writer: Engine, new_unit: Callable[[Connection], U], on_commit: Callable[[U], None]
    ) -> None:
        """`new_unit` creates a unit of work; `on_commit` is called with it once it is committed."""
        self._writer, self._new_unit, self._on_commit = writer, new_unit, on_commit
        self._jobs: list[_Job[U]] = []
        self._jobs_lock = threading.Lock()
        self._committing = False

    @property
    def waiting(self) -> int:
        """How many units of work wait for a commit."""
        return len(self._jobs)

    def write(self, work: Callable[[U], T]) -> T:
        """Run `work`; the first waiting caller commits the work of all waiting callers."""
        job = _Job(work)
        with self._jobs_lock:
            self._jobs.append(job)
            first, self._committing = not self._committing, True
        if not first:
            job.gate.acquire()
        if not job.done:
            with self._jobs_lock:
                group, self._jobs = self._jobs, []
            try:
                self._commit(group)
            finally:
                self._release_waiting(job, group)
        if job.error is not None:
            raise job.error
        return cast(T, job.result)

    def _release_waiting(self, own: _Job[U], group: list[_Job[U]]) -> None:
        """Let the next waiting caller commit, and release the callers of this commit."""
        with self._jobs_lock:
            self._committing = bool(self._jobs)
            if self._jobs:
                self._jobs[0].gate.release()
        for job in group:
            job.done = True
            if job is not own:
                job.gate.release()

    def _commit(self, group: list[_Job[U]]) -> None:
        """Run all in one transaction; if one fails, run them again with a savepoint each."""
        try:
            try:
                with self._writer.begin() as db:
                    for job in group:
                        job.run(self._new_unit(db))
            except Exception:
                if len(group) == 1:
                    raise
                # With a savepoint each, only the one that failed gets the error.
                with self._writer.begin() as db:
                    for job in group:
                        self._run_in_savepoint(db, job)
        except BaseException as error:
            for job in group:
                job.error = job.error or error
            if not isinstance(error, Exception):
                raise
        for job in group:
            if job.error is None and job.unit is not None:
                self._on_commit(job.unit)

    def _run_in_savepoint(self, db: Connection, job: _Job[U]) -> None:
        savepoint = db.begin_nested()
        try:
            job.run(self._new_unit(db))
            savepoint.commit()
        except Exception as error:
            savepoint.rollback()
            job.error = error
