"""Whether something that people look at has changed: cheap to ask many times a second."""

import threading
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any, Final

from sqlalchemy import Connection, Engine, Table, func, select
from sqlalchemy.exc import DBAPIError

from crossway.ports.changes import Topic
from crossway.storage.network_tables import alarms, audit, past_alarms, requests
from crossway.storage.ramp_tables import order_moves
from crossway.storage.tables import attempts, deposits, moves, postings
from crossway.storage.webhook_tables import announcements, delivery_attempts

# Nearly everything that changes appends to one of these, whoever writes it.
_APPENDED: Final[Mapping[Topic, tuple[Table, ...]]] = {
    Topic.PAYMENTS: (moves, postings, attempts, deposits),
    Topic.ORDERS: (order_moves,),
    Topic.WEBHOOKS: (announcements, delivery_attempts),
    Topic.REQUESTS: (requests,),
    Topic.ALARMS: (past_alarms,),
    Topic.REST: (audit,),
}
_NEWEST = select(
    *(
        select(func.max(table.c.id)).scalar_subquery().label(f"{topic}_{table.name}")
        for topic, tables in _APPENDED.items()
        for table in tables
    ),
    *(
        select(figure).select_from(alarms).scalar_subquery().label(f"{Topic.ALARMS}_{name}")
        for name, figure in (
            ("standing", func.count()),
            ("newest", func.max(alarms.c.since)),
            ("seen_to", func.max(alarms.c.acknowledged_at)),
        )
    ),
)


class Changes:
    """What was written, by topic: by what was appended, and here also what changed in its place."""

    def __init__(self, reader: Engine) -> None:
        self._reader = reader
        self._own: Counter[Topic] = Counter()
        self._lock = threading.Lock()
        self._db: Connection | None = None
        self._version: object = None
        self._found: Mapping[Topic, tuple[object, ...]] = {}

    def wrote(self, told: Collection[Topic]) -> None:
        """A unit of work was committed that says itself that it has changed something of these."""
        if told:
            with self._lock:
                self._own.update(told)

    def stamp(self) -> Mapping[Topic, object]:
        """See `ports.store.Store.stamp`."""
        with self._lock:
            self._look()
            return {topic: (self._own[topic], self._found.get(topic)) for topic in Topic}

    def close(self) -> None:
        """Give its connection back."""
        with self._lock:
            if self._db is not None:
                self._db.close()
                self._db = None

    def _look(self) -> None:
        try:
            if self._db is None:
                self._db = self._reader.connect()
                self._version = None
            self._db.rollback()  # Or it would see what it saw before.
            if self._reader.dialect.name == "sqlite":
                # Moves with every commit of any other connection, of any process.
                version: Any = self._db.exec_driver_sql("PRAGMA data_version").scalar_one()
                if version == self._version:
                    self._db.rollback()
                    return
                self._version = version
            self._found = _by_topic(self._db)
            self._db.rollback()
        except DBAPIError:
            # Who asks is drawn anew at the latest when the database answers again.
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
