"""Counts the commits of a SQLite database, and notices at a start that some of them are gone.

The count is a row that each writing transaction raises. After the commit it is written to a file
beside the database, the mark, before anybody is told of the commit. The mark is not synced to disk:
a killed process loses nothing of it, and after a power cut it may be too low, never too high.
"""

import os
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Any, Final
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine, event
from sqlalchemy.engine import ExceptionContext

from crossway.domain.errors import StorageUnavailable
from crossway.storage.availability import describe

OWNER_ONLY: Final = 0o600
_DIGITS: Final = 20
_CHANGES, _COUNT = "changes at begin", "count of this commit"
_marks: "WeakKeyDictionary[Engine, CommitMark]" = WeakKeyDictionary()
_RAISE: Final = "UPDATE commit_counter SET commits = commits + 1 RETURNING commits"


class CommitMark:
    """The file that holds the count of the newest commit that was acknowledged, and the handlers
    that keep it for one engine."""

    def __init__(self, database: Path) -> None:
        self._path = database.with_name(f"{database.name}.mark")
        self._descriptor = -1
        # What this process found: the count that was acknowledged, until it is compared, and the
        # count that the database has.
        self.acknowledged = 0
        self.present: int | None = None
        with suppress(OSError, ValueError):
            self.acknowledged = int(self._path.read_bytes()[:_DIGITS])

    def begin(self, db: Connection) -> None:
        """A transaction begins."""
        driver = _driver(db)
        if self.present is None:
            self.present = _read_count(driver)
        db.info[_CHANGES] = driver.total_changes
        db.info.pop(_COUNT, None)

    def count(self, db: Connection) -> None:
        """Raise the count as the last statement of a transaction, if that changed anything."""
        driver = _driver(db)
        if driver.total_changes == db.info.get(_CHANGES):
            return
        try:
            row = driver.execute(_RAISE).fetchone()
        except sqlite3.OperationalError as error:
            # A full disk, say: SQLite may have rolled the transaction back.
            if sentence := describe(error):
                raise StorageUnavailable(sentence) from error
            if "no such table" not in str(error):
                raise
            return  # A database of an earlier version has no counter until it is upgraded.
        if row is not None:
            db.info[_COUNT] = row[0]

    def acknowledge(self, _: Any, record: Any) -> None:
        """The connection is returned after its commit and before its caller goes on."""
        count = record.info.pop(_COUNT, None)
        # A loss stays visible until it is reported.
        if count is not None and count >= self.acknowledged:
            self._write(count)

    def _write(self, count: int) -> None:
        # If this fails, the mark stays too low and notices less.
        with suppress(OSError):
            if self._descriptor < 0:
                self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, OWNER_ONLY)
            os.pwrite(self._descriptor, b"%0*d\n" % (_DIGITS, count), 0)

    def __del__(self) -> None:
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)


def count_commits(writer: Engine) -> None:
    """Count every transaction of this engine that changes something."""
    if not writer.url.database or writer.url.database == ":memory:":
        return
    mark = _marks[writer] = CommitMark(Path(writer.url.database))
    event.listen(writer, "begin", mark.begin)
    event.listen(writer, "commit", mark.count)
    event.listen(writer, "checkin", mark.acknowledge)
    event.listen(writer, "rollback", _forget)
    event.listen(writer, "handle_error", _forget_failed)


def _forget(db: Connection) -> None:
    db.info.pop(_COUNT, None)


def _forget_failed(context: ExceptionContext) -> None:
    if context.connection is not None:
        _forget(context.connection)


def find_lost_commits(writer: Engine) -> int:
    """How many commits that were acknowledged before the engine was opened its database lacks; zero
    on PostgreSQL. The next commit, that of the report, sets the mark to what there is."""
    mark = _marks.get(writer)
    if mark is None or not mark.acknowledged:
        return 0
    if mark.present is None:
        with writer.connect() as db:
            mark.present = _read_count(_driver(db))
    lost, mark.acknowledged = max(0, mark.acknowledged - mark.present), 0
    return lost


def _read_count(driver: Any) -> int:
    """The count; zero in a database that has no counter yet."""
    try:
        row = driver.execute("SELECT commits FROM commit_counter").fetchone()
    except sqlite3.OperationalError as error:
        if sentence := describe(error):
            raise StorageUnavailable(sentence) from error
        return 0
    return row[0] if row else 0


def _driver(db: Connection) -> Any:
    return db.connection.driver_connection
