"""The SQL store: units of work on one database, the stamps of its changes, and its connections."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, Final, TypeVar

from sqlalchemy import Connection, Engine, Table, create_engine, event, func, select, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.pool import PoolProxiedConnection, QueuePool

from crossway.ports.topics import Topic
from crossway.storage.errors import ConcurrentUpdate
from crossway.storage.migrate import check_version
from crossway.storage.ramp_tables import order_transitions
from crossway.storage.service_tables import alerts, audit_log, request_log, resolved_alerts
from crossway.storage.tables import deposits, postings, transitions, tx_attempts
from crossway.storage.unit_of_work import GroupCommit, SqlUnitOfWork
from crossway.storage.webhook_tables import delivery_attempts, outbox

T = TypeVar("T")
_DEADLOCK, _SERIALIZATION = "40P01", "40001"
_MAX_ATTEMPTS = 5


class SqlStore:
    """`ports.store.Store` over SQLAlchemy."""

    def __init__(self, writer: Engine, reader: Engine, group_commit: bool | None = None) -> None:
        """`group_commit`: whether writers share commits; by default on SQLite only."""
        self.writer, self.reader = writer, reader
        use_group_commit = writer.dialect.name == "sqlite" if group_commit is None else group_commit
        self._changes = ChangeStamps(reader)
        self._commits = GroupCommit(writer, self._changes.record) if use_group_commit else None

    @property
    def waiting(self) -> int:
        """How many units of work wait for a shared commit."""
        return self._commits.waiting if self._commits is not None else 0

    @contextmanager
    def read(self) -> Iterator[SqlUnitOfWork]:
        with self.reader.connect() as db:
            yield SqlUnitOfWork(db)

    def write(self, work: Callable[[SqlUnitOfWork], T]) -> T:
        return self._write_alone(work) if self._commits is None else self._commits.write(work)

    def ping(self) -> list[str]:
        try:
            with self.reader.connect() as db:
                db.execute(text("SELECT 1"))
            return list(check_version(self.reader))
        except DBAPIError as error:
            return [f"the database does not answer: {error.orig}"]

    def version(self) -> object:
        return self._changes.version()

    def stamp(self) -> Mapping[Topic, object]:
        return self._changes.stamp()

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
        event.listen(reader, "connect", _make_postgres_read_only)
        return writer, reader
    # One writing connection: threads queue for it instead of polling a locked file.
    writer = create(url, poolclass=QueuePool, pool_size=1, max_overflow=0, pool_timeout=60)
    reader = create(url, poolclass=QueuePool, pool_size=10, max_overflow=40)
    for engine in (writer, reader):
        event.listen(engine, "connect", _prepare_sqlite)
    event.listen(reader, "connect", _make_sqlite_read_only)
    # By default SQLite starts the transaction at the first write, which allows lost updates.
    event.listen(writer, "begin", lambda db: db.exec_driver_sql("BEGIN IMMEDIATE"))
    event.listen(reader, "begin", lambda db: db.exec_driver_sql("BEGIN"))
    return writer, reader


def open_store(url: str) -> SqlStore:
    """The store of a database whose tables are up to date."""
    return SqlStore(*connect(url))


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
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


# Nearly every visible change appends a row to one of these tables.
_APPENDED: Final[Mapping[Topic, tuple[Table, ...]]] = {
    Topic.PAYMENTS: (transitions, postings, tx_attempts, deposits),
    Topic.ORDERS: (order_transitions,),
    Topic.WEBHOOKS: (outbox, delivery_attempts),
    Topic.REQUESTS: (request_log,),
    Topic.ALERTS: (resolved_alerts,),
    Topic.REST: (audit_log,),
}
_NEWEST = select(
    *(
        select(func.max(table.c.id)).scalar_subquery().label(f"{topic}_{table.name}")
        for topic, tables in _APPENDED.items()
        for table in tables
    ),
    *(
        select(value).select_from(alerts).scalar_subquery().label(f"{Topic.ALERTS}_{name}")
        for name, value in (
            ("standing", func.count()),
            ("newest", func.max(alerts.c.since)),
            ("seen_to", func.max(alerts.c.acknowledged_at)),
        )
    ),
)


# Of SQLite: changes with every commit of any other connection of any process. Of PostgreSQL: the
# transactions that are visible now, which change whenever one begins to write, and when it ends.
_VERSION: Final = {
    "sqlite": "PRAGMA data_version",
    "postgresql": "SELECT CAST(pg_current_snapshot() AS text)",
}


class ChangeStamps:
    """Stamps by topic: from appended rows of any process, and from updates of this process."""

    def __init__(self, reader: Engine) -> None:
        self._reader = reader
        self._reported: Counter[Topic] = Counter()
        self._lock = threading.Lock()
        self._connection: PoolProxiedConnection | None = None
        # Counts connections: versions of two of them cannot be compared.
        self._connections = 0
        self._stamped_version: object = None
        self._newest: Mapping[Topic, tuple[object, ...]] = {}

    def record(self, unit: SqlUnitOfWork) -> None:
        """Record the changes that a committed unit of work reported."""
        if unit.changed_topics:
            with self._lock:
                self._reported.update(unit.changed_topics)

    def stamp(self) -> Mapping[Topic, object]:
        """See `ports.store.Store.stamp`."""
        with self._lock:
            self._refresh()
            return {topic: (self._reported[topic], self._newest.get(topic)) for topic in Topic}

    def version(self) -> object:
        """See `ports.store.Store.version`; None while the database cannot be reached."""
        with self._lock:
            return self._read_version()

    def close(self) -> None:
        """Return the connection to the pool."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _refresh(self) -> None:
        version = self._read_version()
        if version is None or version == self._stamped_version:
            return
        try:
            with self._reader.connect() as db:
                self._newest = _by_topic(db)
            self._stamped_version = version
        except SQLAlchemyError:
            return  # The stamp stays the same until the database can be reached again.

    def _read_version(self) -> object:
        """The version, read without SQLAlchemy's statements, which cost more than the database."""
        try:
            if self._connection is None:
                self._connection = self._reader.raw_connection()
                self._connections += 1
            cursor = self._connection.cursor()
            cursor.execute(_VERSION[self._reader.dialect.name])
            row = cursor.fetchone()
            cursor.close()
            self._connection.rollback()  # The next transaction sees new commits.
            return self._connections, row
        except (SQLAlchemyError, self._reader.dialect.loaded_dbapi.Error):
            if self._connection is not None:
                self._connection.invalidate()
                self._connection = None
            return None


def _by_topic(db: Connection) -> Mapping[Topic, tuple[object, ...]]:
    row = db.execute(_NEWEST).one()._mapping
    newest: dict[Topic, list[object]] = {topic: [] for topic in Topic}
    for name, value in row.items():
        newest[Topic(str(name).partition("_")[0])].append(value)
    return {topic: tuple(values) for topic, values in newest.items()}
