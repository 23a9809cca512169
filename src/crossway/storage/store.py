"""The store: units of work on one database, grouped into few commits where that is faster."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar, cast

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import QueuePool

from crossway.storage.intents import LostRace
from crossway.storage.migrate import behind
from crossway.storage.records import Records

T = TypeVar("T")
_DEADLOCK, _SERIALIZATION = "40P01", "40001"
_TRIES = 5


class _Job:
    """One caller's unit of work, waiting for a commit to carry it: its gate opens when it is
    done, or when its caller is the one to make the next commit."""

    __slots__ = ("done", "error", "gate", "result", "work")

    def __init__(self, work: Callable[[Records], Any]) -> None:
        self.work = work
        self.done = False
        self.result: Any = None
        self.error: BaseException | None = None
        self.gate = threading.Lock()
        self.gate.acquire()


class SqlStore:
    """`ports.store.Store` over SQLAlchemy."""

    def __init__(self, writer: Engine, reader: Engine, grouped: bool | None = None) -> None:
        """`grouped`: whether writers share commits; where there is but one writer, they do."""
        self.writer, self.reader = writer, reader
        self._grouped = writer.dialect.name == "sqlite" if grouped is None else grouped
        self._jobs: list[_Job] = []
        self._jobs_lock = threading.Lock()
        self._committing = False

    @property
    def waiting(self) -> int:
        """How many units of work wait for a commit to carry them."""
        return len(self._jobs)

    @contextmanager
    def read(self) -> Iterator[Records]:
        with self.reader.connect() as db:
            yield Records(db)

    def write(self, work: Callable[[Records], T]) -> T:
        return self._write_grouped(work) if self._grouped else self._write_alone(work)

    def ping(self) -> list[str]:
        try:
            with self.reader.connect() as db:
                db.execute(text("SELECT 1"))
            return list(behind(self.reader))
        except DBAPIError as error:
            return [f"the database does not answer: {error.orig}"]

    def close(self) -> None:
        """Close every connection."""
        self.writer.dispose()
        self.reader.dispose()

    def _write_alone(self, work: Callable[[Records], T]) -> T:
        for attempt in range(_TRIES):
            try:
                with self.writer.begin() as db:
                    return work(Records(db))
            except LostRace:
                if attempt == _TRIES - 1:
                    raise
            except DBAPIError as error:
                code = getattr(error.orig, "sqlstate", None)
                if code not in (_DEADLOCK, _SERIALIZATION) or attempt == _TRIES - 1:
                    raise
        raise AssertionError("unreachable")

    def _write_grouped(self, work: Callable[[Records], T]) -> T:
        """SQLite has one writer: the first who waits carries all who wait in one commit."""
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

    def _hand_on(self, own: _Job, group: list[_Job]) -> None:
        """Let the next who waits make the next commit, and let those of this one go."""
        with self._jobs_lock:
            self._committing = bool(self._jobs)
            if self._jobs:
                self._jobs[0].gate.release()
        for job in group:
            job.done = True
            if job is not own:
                job.gate.release()

    def _commit(self, group: list[_Job]) -> None:
        """All in one commit; where one fails, again with a way back before each."""
        try:
            try:
                with self.writer.begin() as db:
                    for job in group:
                        job.result = job.work(Records(db))
            except Exception:
                if len(group) == 1:
                    raise
                with self.writer.begin() as db:
                    for job in group:
                        self._carry(db, job)
        except BaseException as error:
            for job in group:
                job.error = job.error or error
            if not isinstance(error, Exception):
                raise

    @staticmethod
    def _carry(db: Connection, job: _Job) -> None:
        savepoint = db.begin_nested()
        try:
            job.result = job.work(Records(db))
            savepoint.commit()
        except Exception as error:
            savepoint.rollback()
            job.error = error


def connect(url: str) -> tuple[Engine, Engine]:
    """A writing and a reading engine for a database URL."""
    # Errors are logged: what was to be stored has no place there.
    create = partial(create_engine, hide_parameters=True)
    if make_url(url).get_backend_name() != "sqlite":
        writer = create(url, pool_size=5, max_overflow=15, pool_pre_ping=True)
        reader = create(url, pool_size=10, max_overflow=30, pool_pre_ping=True)
        event.listen(reader, "connect", _only_read_postgres)
        return writer, reader
    # One writing connection: threads queue for it fairly instead of polling a locked file.
    writer = create(url, poolclass=QueuePool, pool_size=1, max_overflow=0, pool_timeout=60)
    reader = create(url, poolclass=QueuePool, pool_size=10, max_overflow=40)
    for engine in (writer, reader):
        event.listen(engine, "connect", _prepare_sqlite)
    event.listen(reader, "connect", _only_read_sqlite)
    # SQLite opens its transaction at the first write otherwise, and loses updates in between.
    event.listen(writer, "begin", lambda db: db.exec_driver_sql("BEGIN IMMEDIATE"))
    event.listen(reader, "begin", lambda db: db.exec_driver_sql("BEGIN"))
    return writer, reader


def open_store(url: str) -> SqlStore:
    """The store of a database that is migrated already."""
    return SqlStore(*connect(url))


def _only_read_postgres(connection: Any, _: Any) -> None:
    from psycopg import IsolationLevel  # here, as SQLite starts faster without it

    connection.read_only = True
    connection.isolation_level = IsolationLevel.REPEATABLE_READ


def _only_read_sqlite(connection: Any, _: Any) -> None:
    connection.execute("PRAGMA query_only=ON").close()


def _prepare_sqlite(connection: Any, _: Any) -> None:
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",
        "busy_timeout=10000",
        "foreign_keys=ON",
        "cache_size=-32000",
        "temp_store=MEMORY",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
