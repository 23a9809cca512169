"""The SQL store: units of work on one database, and its connections."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from sqlalchemy import Engine, create_engine, event, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import QueuePool

from crossway.domain.errors import StorageUnavailable
from crossway.ports.topics import Topic
from crossway.ports.vault import Vault
from crossway.storage.availability import BUSY, translate_errors
from crossway.storage.change_stamps import ChangeStamps
from crossway.storage.commit_counter import count_commits
from crossway.storage.errors import ConcurrentUpdate
from crossway.storage.known_intents import share_known_intents
from crossway.storage.migrate import check_version
from crossway.storage.sealing import unlock
from crossway.storage.unit_of_work import GroupCommit, SqlUnitOfWork
from crossway.storage.writability import Writability

T = TypeVar("T")
_DEADLOCK, _SERIALIZATION = "40P01", "40001"
_MAX_ATTEMPTS = 5


class SqlStore:
    """`ports.store.Store` over SQLAlchemy."""

    def __init__(self, writer: Engine, reader: Engine, group_commit: bool | None = None) -> None:
        """`group_commit`: whether writers share commits; by default on SQLite only."""
        self.writer, self.reader = writer, reader
        use_group_commit = writer.dialect.name == "sqlite" if group_commit is None else group_commit
        share_known_intents(writer, reader)
        self._changes = ChangeStamps(reader)
        self._writability = Writability(writer.url)
        self._commits = GroupCommit(writer, self._changes.record) if use_group_commit else None

    @property
    def waiting(self) -> int:
        """How many units of work wait for a shared commit."""
        return self._commits.waiting if self._commits is not None else 0

    @property
    def has_one_writer(self) -> bool:
        return self.writer.dialect.name == "sqlite"

    def unlock(self, vault: Vault) -> None:
        for engine in (self.writer, self.reader):
            unlock(engine, vault)

    @contextmanager
    def read(self) -> Iterator[SqlUnitOfWork]:
        with self.reader.connect() as db:
            yield SqlUnitOfWork(db)

    def write(self, work: Callable[[SqlUnitOfWork], T]) -> T:
        try:
            result = self._write_alone(work) if self._commits is None else self._commits.write(work)
        except (StorageUnavailable, PoolTimeout) as error:
            reason = str(error) if isinstance(error, StorageUnavailable) else BUSY
            self._writability.record_failure(reason)
            raise StorageUnavailable(reason) from error
        self._writability.record_success()
        return result

    def ping(self) -> list[str]:
        try:
            with self.reader.connect() as db:
                db.execute(text("SELECT 1"))
            problems = list(check_version(self.reader))
        except StorageUnavailable as error:
            return [_within_sentence(str(error))]
        except DBAPIError as error:
            return [f"the database does not answer: {error.orig}"]
        return problems or [
            _within_sentence(problem) for problem in self._writability.find_problems(self.write)
        ]

    def version(self) -> object:
        return self._changes.version()

    def stamp(self) -> Mapping[Topic, object]:
        return self._changes.stamp()

    def compact(self) -> None:
        """Remove deleted and overwritten values from a SQLite file; PostgreSQL does by itself."""
        if self.writer.dialect.name == "sqlite":
            with self.writer.connect().execution_options(isolation_level="AUTOCOMMIT") as db:
                db.connection.execute("VACUUM")
                db.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Close every connection."""
        self._changes.close()
        self.writer.dispose()
        self.reader.dispose()

    def _write_alone(self, work: Callable[[SqlUnitOfWork], T]) -> T:
        for attempt in range(_MAX_ATTEMPTS):
            try:
                with self.writer.begin() as db:
                    unit = SqlUnitOfWork(db)
                    result = work(unit)
                self._changes.record(unit)
                return result
            except ConcurrentUpdate:
                if attempt == _MAX_ATTEMPTS - 1:
                    raise
            except DBAPIError as error:
                code = getattr(error.orig, "sqlstate", None)
                if code not in (_DEADLOCK, _SERIALIZATION) or attempt == _MAX_ATTEMPTS - 1:
                    raise
        raise AssertionError("unreachable")


def connect(url: str) -> tuple[Engine, Engine]:
    """A writing and a reading engine for a database URL."""
    # Errors are logged; parameters may hold personal data.
    create = partial(create_engine, hide_parameters=True)
    if make_url(url).get_backend_name() != "sqlite":
        writer = create(url, pool_size=5, max_overflow=15, pool_pre_ping=True)
        reader = create(url, pool_size=10, max_overflow=30, pool_pre_ping=True)
        for engine in (writer, reader):
            event.listen(engine, "connect", _prepare_nothing_behind_a_pooler)
        event.listen(reader, "connect", _make_postgres_read_only)
        translate_errors(writer, reader)
        return writer, reader
    # One writing connection: threads queue for it instead of polling a locked file.
    writer = create(url, poolclass=QueuePool, pool_size=1, max_overflow=0, pool_timeout=60)
    # As many are kept as a page and the threads that ask chains use at once: opening one costs
    # more than a query.
    reader = create(url, poolclass=QueuePool, pool_size=24, max_overflow=26)
    for engine in (writer, reader):
        event.listen(engine, "connect", _prepare_sqlite)
    event.listen(reader, "connect", _make_sqlite_read_only)
    # By default SQLite starts the transaction at the first write, which allows lost updates.
    event.listen(writer, "begin", lambda db: db.exec_driver_sql("BEGIN IMMEDIATE"))
    # By the driver: it is the most frequent statement of all, takes no lock and cannot fail.
    event.listen(reader, "begin", lambda db: db.connection.cursor().execute("BEGIN"))
    count_commits(writer)
    translate_errors(writer, reader)
    return writer, reader


def _within_sentence(text: str) -> str:
    return text[:1].lower() + text[1:]


def open_store(url: str) -> SqlStore:
    """The store of a database whose tables are up to date."""
    return SqlStore(*connect(url))


def _prepare_nothing_behind_a_pooler(connection: Any, _: Any) -> None:
    """A pooler such as PgBouncer may lend another of PostgreSQL's connections for each transaction:
    what the driver prepared on one is unknown to the next. It shows by the number of the process
    that answers, which is not the one that greeted."""
    (process,) = connection.execute("SELECT pg_backend_pid()").fetchone()
    connection.rollback()
    if process != connection.info.backend_pid:
        connection.prepare_threshold = None


def _make_postgres_read_only(connection: Any, _: Any) -> None:
    from psycopg import IsolationLevel  # here, as SQLite starts faster without it

    connection.read_only = True
    connection.isolation_level = IsolationLevel.REPEATABLE_READ


def _make_sqlite_read_only(connection: Any, _: Any) -> None:
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
        # A page that many commits change goes to the database once for all of them.
        "wal_autocheckpoint=8000",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
