"""Commits that many writers share: where there is one writer, the first who waits carries all."""

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar, cast

from sqlalchemy import Connection, Engine

R = TypeVar("R")
T = TypeVar("T")


class _Job(Generic[R]):
    """One caller's unit of work, waiting for a commit to carry it: its gate opens when it is
    done, or when its caller is the one to make the next commit."""

    __slots__ = ("done", "error", "gate", "records", "result", "work")

    def __init__(self, work: Callable[[R], Any]) -> None:
        self.work = work
        self.records: R | None = None
        self.done = False
        self.result: Any = None
        self.error: BaseException | None = None
        self.gate = threading.Lock()
        self.gate.acquire()

    def run(self, records: R) -> None:
        """Do it on these records."""
        self.records = records
        self.result = self.work(records)


class SharedCommits(Generic[R]):
    """Units of work on one writing connection, as many in a commit as wait for one."""

    def __init__(
        self, writer: Engine, records: Callable[[Connection], R], wrote: Callable[[R], None]
    ) -> None:
        """`records` are what work is given; `wrote` is told of those whose work was committed."""
        self._writer, self._records, self._wrote = writer, records, wrote
        self._jobs: list[_Job[R]] = []
        self._jobs_lock = threading.Lock()
        self._committing = False

    @property
    def waiting(self) -> int:
        """How many units of work wait for a commit to carry them."""
        return len(self._jobs)

    def write(self, work: Callable[[R], T]) -> T:
        """The first who waits carries all who wait in one commit."""
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
                self._hand_on(job, group)
        if job.error is not None:
            raise job.error
        return cast(T, job.result)

    def _hand_on(self, own: _Job[R], group: list[_Job[R]]) -> None:
        """Let the next who waits make the next commit, and let those of this one go."""
        with self._jobs_lock:
            self._committing = bool(self._jobs)
            if self._jobs:
                self._jobs[0].gate.release()
        for job in group:
            job.done = True
            if job is not own:
                job.gate.release()

    def _commit(self, group: list[_Job[R]]) -> None:
        """All in one commit; where one fails, again with a way back before each."""
        try:
            try:
                with self._writer.begin() as db:
                    for job in group:
                        job.run(self._records(db))
            except Exception:
                if len(group) == 1:
                    raise
                # Whose it is shows below, where each is carried alone and told its own error.
                with self._writer.begin() as db:
                    for job in group:
                        self._carry(db, job)
        except BaseException as error:
            for job in group:
                job.error = job.error or error
            if not isinstance(error, Exception):
                raise
        for job in group:
            if job.error is None and job.records is not None:
                self._wrote(job.records)

    def _carry(self, db: Connection, job: _Job[R]) -> None:
        savepoint = db.begin_nested()
        try:
            job.run(self._records(db))
            savepoint.commit()
        except Exception as error:
            savepoint.rollback()
            job.error = error
