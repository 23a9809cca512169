"""The store: units of work on one database, grouped into few commits where that is faster."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from sqlalchemy import Engine, create_engine, event, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import QueuePool

from crossway.ports.changes import Topic
from crossway.storage.changes import Changes
from crossway.storage.intents import LostRace
from crossway.storage.migrate import behind
from crossway.storage.records import Records
from crossway.storage.shared_commits import SharedCommits

T = TypeVar("T")
_DEADLOCK, _SERIALIZATION = "40P01", "40001"
_TRIES = 5


class SqlStore:
    """`ports.store.Store` over SQLAlchemy."""

    def __init__(self, writer: Engine, reader: Engine, grouped: bool | None = None) -> None:
        """`grouped`: whether writers share commits; where there is but one writer, they do."""
        self.writer, self.reader = writer, reader
        together = writer.dialect.name == "sqlite" if grouped is None else grouped
        self._changes = Changes(reader)
        self._commits = SharedCommits(writer, Records, self._wrote) if together else None

    @property
    def waiting(self) -> int:
        """How many units of work wait for a commit to carry them."""
        return self._commits.waiting if self._commits is not None else 0

    @contextmanager
    def read(self) -> Iterator[Records]:
        with self.reader.connect() as db:
            yield Records(db)

    def write(self, work: Callable[[Records], T]) -> T:
        return self._write_alone(work) if self._commits is None else self._commits.write(work)

    def ping(self) -> list[str]:
        try:
            with self.reader.connect() as db:
                db.execute(text("SELECT 1"))
            return list(behind(self.reader))
        except DBAPIError as error:
            return [f"the database does not answer: {error.orig}"]

    def stamp(self) -> Mapping[Topic, object]:
        return self._changes.stamp()

    def close(self) -> None:
        """Close every connection."""
        self._changes.close()
        self.writer.dispose()
        self.reader.dispose()

    def _write_alone(self, work: Callable[[Records], T]) -> T:
        for attempt in range(_TRIES):
            try:
                with self.writer.begin() as db:
                    records = Records(db)
                    result = work(records)
                self._wrote(records)
                return result
            except LostRace:
                if attempt == _TRIES - 1:
                    raise
            except DBAPIError as error:
                code = getattr(error.orig, "sqlstate", None)
                if code not in (_DEADLOCK, _SERIALIZATION) or attempt == _TRIES - 1:
                    raise
        raise AssertionError("unreachable")

    def _wrote(self, records: Records) -> None:
        self._changes.wrote(records.told)


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
