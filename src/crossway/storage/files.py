"""A database in a file: copied while it is used, put back while it is not, and who uses it."""

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path

from crossway.storage.migrate import known

OWNER_ONLY = 0o600
_PAGES_AT_ONCE = 1_000
_BESIDES = ("-wal", "-shm")


class NotUsable(Exception):
    """A file that cannot be copied or put back, and why, as a sentence."""


class InUse:
    """Says that a process uses a database file, for as long as it is held. A file that is not there
    yet is made for its owner alone, and so will be what SQLite puts beside it.

    It is a lock on a file of its own: SQLite's own locks end with each transaction.
    """

    def __init__(self, database: Path) -> None:
        database.parent.mkdir(parents=True, exist_ok=True)
        self._descriptor = os.open(_lock_file(database), os.O_RDWR | os.O_CREAT, OWNER_ONLY)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError as error:
            self.end()
            raise NotUsable(f"{database} is being restored: wait until that is done") from error
        os.close(os.open(database, os.O_RDWR | os.O_CREAT, OWNER_ONLY))

    def end(self) -> None:
        """The process uses it no more."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def __del__(self) -> None:
        self.end()


def back_up(database: Path, copy: Path) -> int:
    """Copy a database to a new file for its owner alone, while others read and write; answers its
    bytes. Raises `NotUsable` when there is such a file, or when the copy is not whole."""
    if not database.is_file():
        raise NotUsable(f"There is no database {database}")
    part = _new_file(copy)
    try:
        _copy(database, part)
        _refuse_damaged(part)
        _sync(part)
        # A link never replaces a file, as a rename would.
        os.link(part, copy)
    except FileExistsError as error:
        raise NotUsable(f"{copy} is there already: give another name") from error
    except (sqlite3.Error, OSError) as error:
        raise NotUsable(f"{copy} could not be written: {error}") from error
    finally:
        part.unlink(missing_ok=True)
        _drop_besides(part)
    return copy.stat().st_size


def restore(copy: Path, database: Path, now: datetime) -> Path | None:
    """Put a copy in the place of a database that no process uses; answers where the old one was
    put, None when there was none. Raises `NotUsable` when the copy is not one of ours."""
    if not copy.is_file():
        raise NotUsable(f"There is no file {copy}")
    with _alone(database):
        part = _new_file(database)
        try:
            _copy(copy, part)
            _refuse_damaged(part)
            _refuse_strange(part)
            _sync(part)
            aside = _put_aside(database, now)
            part.rename(database)
            _sync(database.parent)
        except (sqlite3.Error, OSError) as error:
            raise NotUsable(f"{copy} could not be restored: {error}") from error
        finally:
            part.unlink(missing_ok=True)
            _drop_besides(part)
    return aside


@contextmanager
def _alone(database: Path) -> Iterator[None]:
    database.parent.mkdir(parents=True, exist_ok=True)
    with _lock_file(database).open("ab") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise NotUsable(f"A service runs on {database}: stop it first") from error
        yield


def _lock_file(database: Path) -> Path:
    return database.with_name(f"{database.name}.lock")


def _new_file(beside: Path) -> Path:
    """An empty file that only its owner may read, in the folder where it will have its place."""
    if not beside.parent.is_dir():
        raise NotUsable(f"There is no folder {beside.parent}")
    part = beside.with_name(f".{beside.name}.{os.getpid()}.part")
    part.unlink(missing_ok=True)
    os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY))
    return part


def _copy(source: Path, target: Path) -> None:
    uri = f"{source.resolve().as_uri()}?mode=ro"
    with (
        closing(sqlite3.connect(uri, uri=True, timeout=30)) as old,
        closing(sqlite3.connect(target)) as new,
    ):
        old.backup(new, pages=_PAGES_AT_ONCE, sleep=0.01)
        # In one file, whose owner may carry it anywhere.
        new.execute("PRAGMA journal_mode=DELETE")


def _refuse_damaged(file: Path) -> None:
    try:
        with closing(sqlite3.connect(file)) as db:
            found = db.execute("PRAGMA integrity_check(1)").fetchone()[0]
    except sqlite3.DatabaseError as error:
        raise NotUsable(f"this is no whole SQLite database: {error}") from error
    if found != "ok":
        raise NotUsable(f"the database is damaged: {found}")


def _refuse_strange(file: Path) -> None:
    try:
        with closing(sqlite3.connect(file)) as db:
            row = db.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.DatabaseError as error:
        raise NotUsable("this is no database of Crossway") from error
    if row is None or row[0] not in known():
        raise NotUsable("this database is of a newer version of Crossway")


def _put_aside(database: Path, now: datetime) -> Path | None:
    if not database.exists():
        return None
    aside = database.with_name(f"{database.name}.before-{now:%Y%m%dT%H%M%S}")
    if aside.exists():
        raise NotUsable(f"{aside} is there already: try again in a second")
    for ending in ("", *_BESIDES):
        with suppress(FileNotFoundError):
            Path(f"{database}{ending}").rename(f"{aside}{ending}")
    return aside


def _drop_besides(part: Path) -> None:
    for ending in (*_BESIDES, "-journal"):
        Path(f"{part}{ending}").unlink(missing_ok=True)


def _sync(path: Path) -> None:
    """Nothing of it is only in memory any more."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
