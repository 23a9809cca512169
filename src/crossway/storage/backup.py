"""Backup and restore of a SQLite database file, and the lock that marks it as in use."""

import fcntl
import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path

from crossway.storage.migrate import known_revisions

OWNER_ONLY = 0o600
_PAGES_AT_ONCE = 1_000
_WAL_FILES = ("-wal", "-shm")
_MARK = ".mark"  # of storage/commit_counter.py


class BackupError(Exception):
    """A file cannot be backed up or restored; the message is a sentence."""


class DatabaseInUse:
    """Marks a database file as used by this process until `end`. Creates a missing file readable by
    its owner alone; SQLite gives the files beside it the same permissions.

    It is a lock on a file of its own: SQLite's own locks end with each transaction.
    """

    def __init__(self, database: Path) -> None:
        database.parent.mkdir(parents=True, exist_ok=True)
        self._descriptor = os.open(_lock_file(database), os.O_RDWR | os.O_CREAT, OWNER_ONLY)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError as error:
            self.end()
            raise BackupError(f"{database} is being restored: wait until that is done") from error
        os.close(os.open(database, os.O_RDWR | os.O_CREAT, OWNER_ONLY))

    def end(self) -> None:
        """Release the lock."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def __del__(self) -> None:
        self.end()


def back_up(database: Path, copy: Path) -> int:
    """Copy a database in use to a new file readable by its owner alone; returns its size in bytes.
    The number of entries and the newest hash of its audit log are written beside it. Raises
    `BackupError` when the file exists or the copy is damaged."""
    if not database.is_file():
        raise BackupError(f"There is no database {database}")
    temporary = _create_temporary(copy)
    try:
        _copy(database, temporary)
        _require_intact(temporary)
        _sync(temporary)
        # Unlike a rename, a link never replaces an existing file.
        os.link(temporary, copy)
        _write_audit_head(temporary, audit_head_file(copy))
    except FileExistsError as error:
        raise BackupError(f"{copy} is there already: give another name") from error
    except (sqlite3.Error, OSError) as error:
        raise BackupError(f"{copy} could not be written: {error}") from error
    finally:
        temporary.unlink(missing_ok=True)
        _remove_wal_files(temporary)
    return copy.stat().st_size


def audit_head_file(copy: Path) -> Path:
    """The file beside a backup with the newest hash of its audit log. Kept elsewhere, it later
    shows whether the log was cut off."""
    return copy.with_name(f"{copy.name}.audit.json")


def _write_audit_head(database: Path, file: Path) -> None:
    with closing(sqlite3.connect(database)) as db:
        entries = db.execute("SELECT count(*) FROM audit_log").fetchone()[0]
        newest = db.execute("SELECT hash FROM audit_log ORDER BY id DESC LIMIT 1").fetchone()
    head = {"entries": entries, "newest": newest[0] if newest else ""}
    file.unlink(missing_ok=True)
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY), "w") as out:
        json.dump(head, out)


def restore(copy: Path, database: Path, now: datetime) -> Path | None:
    """Replace a database that no process uses by a copy; returns the path to which the old database
    was moved, None when there was none. Raises `BackupError` when the copy is damaged, is no
    database of Crossway, or is of another version."""
    if not copy.is_file():
        raise BackupError(f"There is no file {copy}")
    with _exclusive(database):
        temporary = _create_temporary(database)
        try:
            _copy(copy, temporary)
            _require_intact(temporary)
            _require_known_version(temporary)
            _sync(temporary)
            aside = _move_aside(database, now)
            temporary.rename(database)
            _sync(database.parent)
        except (sqlite3.Error, OSError) as error:
            raise BackupError(f"{copy} could not be restored: {error}") from error
        finally:
            temporary.unlink(missing_ok=True)
            _remove_wal_files(temporary)
    return aside


@contextmanager
def _exclusive(database: Path) -> Iterator[None]:
    database.parent.mkdir(parents=True, exist_ok=True)
    with _lock_file(database).open("ab") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise BackupError(f"A service runs on {database}: stop it first") from error
        yield


def _lock_file(database: Path) -> Path:
    return database.with_name(f"{database.name}.lock")


def _create_temporary(target: Path) -> Path:
    """Create an empty temporary file beside the target, readable by its owner alone."""
    if not target.parent.is_dir():
        raise BackupError(f"There is no folder {target.parent}")
    temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
    temporary.unlink(missing_ok=True)
    os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY))
    return temporary


def _copy(source: Path, target: Path) -> None:
    uri = f"{source.resolve().as_uri()}?mode=ro"
    with (
        closing(sqlite3.connect(uri, uri=True, timeout=30)) as old,
        closing(sqlite3.connect(target)) as new,
    ):
        old.backup(new, pages=_PAGES_AT_ONCE, sleep=0.01)
        # Without WAL the copy is a single file.
        new.execute("PRAGMA journal_mode=DELETE")


def _require_intact(file: Path) -> None:
    try:
        with closing(sqlite3.connect(file)) as db:
            result = db.execute("PRAGMA integrity_check(1)").fetchone()[0]
    except sqlite3.DatabaseError as error:
        raise BackupError(f"this is no whole SQLite database: {error}") from error
    if result != "ok":
        raise BackupError(f"the database is damaged: {result}")


def _require_known_version(file: Path) -> None:
    try:
        with closing(sqlite3.connect(file)) as db:
            row = db.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.DatabaseError as error:
        raise BackupError("this is no database of Crossway") from error
    if row is None or row[0] not in known_revisions():
        raise BackupError("this database is of another version of Crossway")


def _move_aside(database: Path, now: datetime) -> Path | None:
    if not database.exists():
        return None
    aside = database.with_name(f"{database.name}.before-{now:%Y%m%dT%H%M%S}")
    if aside.exists():
        raise BackupError(f"{aside} is there already: try again in a second")
    # Without its mark, a copy that is older on purpose is not taken for a loss of commits.
    for ending in ("", *_WAL_FILES, _MARK):
        with suppress(FileNotFoundError):
            Path(f"{database}{ending}").rename(f"{aside}{ending}")
    return aside


def _remove_wal_files(temporary: Path) -> None:
    for ending in (*_WAL_FILES, "-journal"):
        Path(f"{temporary}{ending}").unlink(missing_ok=True)


def _sync(path: Path) -> None:
    """Flush a file or directory to disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
