"""Change detection by topic: a stamp that is cheap to read many times a second."""

import threading
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any, Final

from sqlalchemy import Connection, Engine, Table, func, select
from sqlalchemy.exc import DBAPIError

from crossway.ports.topics import Topic
from crossway.storage.ramp_tables import order_transitions
from crossway.storage.service_tables import alerts, audit_log, request_log, resolved_alerts
from crossway.storage.tables import deposits, postings, transitions, tx_attempts
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


class ChangeStamps:
    """Stamps by topic: from appended rows of any process, and from updates of this process."""

    def __init__(self, reader: Engine) -> None:
        self._reader = reader
        self._reported: Counter[Topic] = Counter()
        self._lock = threading.Lock()
        self._db: Connection | None = None
        self._version: object = None
        self._newest: Mapping[Topic, tuple[object, ...]] = {}

    def record(self, topics: Collection[Topic]) -> None:
        """Record that a committed unit of work reported changes of these topics."""
        if topics:
            with self._lock:
                self._reported.update(topics)

    def stamp(self) -> Mapping[Topic, object]:
        """See `ports.store.Store.stamp`."""
        with self._lock:
            self._refresh()
            return {topic: (self._reported[topic], self._newest.get(topic)) for topic in Topic}

    def close(self) -> None:
        """Return the connection to the pool."""
        with self._lock:
            if self._db is not None:
                self._db.close()
                self._db = None

    def _refresh(self) -> None:
        try:
            if self._db is None:
                self._db = self._reader.connect()
                self._version = None
            self._db.rollback()  # A new transaction sees new commits.
            if self._reader.dialect.name == "sqlite":
                # Changes with every commit of any other connection of any process.
                version: Any = self._db.exec_driver_sql("PRAGMA data_version").scalar_one()
                if version == self._version:
                    self._db.rollback()
                    return
                self._version = version
            self._newest = _by_topic(self._db)
            self._db.rollback()
        except DBAPIError:
            # The stamp stays the same until the database can be reached again.
            if self._db is not None:
                self._db.invalidate()
                self._db.close()
            self._db = None


def _by_topic(db: Connection) -> Mapping[Topic, tuple[object, ...]]:
    row = db.execute(_NEWEST).one()._mapping
    found: dict[Topic, list[object]] = {topic: [] for topic in Topic}
    for name, value in row.items():
        found[Topic(str(name).partition("_")[0])].append(value)
    return {topic: tuple(values) for topic, values in found.items()}
