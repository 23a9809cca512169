"""The stamps of a database's changes, by topic."""

import threading
from collections import Counter
from collections.abc import Mapping
from typing import Final

from sqlalchemy import Connection, Engine, Table, func, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import PoolProxiedConnection

from crossway.domain.errors import StorageUnavailable
from crossway.ports.topics import Topic
from crossway.storage.ramp_tables import order_transitions
from crossway.storage.service_tables import alerts, audit_log, request_log, resolved_alerts
from crossway.storage.tables import deposits, postings, transitions, tx_attempts
from crossway.storage.unit_of_work import SqlUnitOfWork
from crossway.storage.webhook_tables import delivery_attempts, outbox

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
        except (SQLAlchemyError, StorageUnavailable):
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
        except (
            SQLAlchemyError,
            StorageUnavailable,
            self._reader.dialect.loaded_dbapi.Error,
        ):
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
