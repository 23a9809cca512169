"""Which errors mean that the database cannot be used now, as the domain names them."""

import sqlite3
from typing import Any, Final

from sqlalchemy import Engine, event
from sqlalchemy.engine import ExceptionContext

from crossway.domain.errors import StorageUnavailable

BUSY: Final = "The database is locked by another program"
_UNREADABLE: Final = "The file of the database cannot be read or written"
# By the primary code of SQLite.
_SQLITE: Final = {
    sqlite3.SQLITE_BUSY: BUSY,
    sqlite3.SQLITE_LOCKED: BUSY,
    sqlite3.SQLITE_FULL: "The disk of the database is full",
    sqlite3.SQLITE_READONLY: "The database or its folder is read-only",
    sqlite3.SQLITE_IOERR: _UNREADABLE,
    sqlite3.SQLITE_CANTOPEN: _UNREADABLE,
    sqlite3.SQLITE_PROTOCOL: BUSY,
    sqlite3.SQLITE_CORRUPT: "The file of the database is damaged: restore a backup",
    sqlite3.SQLITE_NOTADB: "The file of the database is damaged: restore a backup",
}
# Classes of PostgreSQL's codes: connection, resources such as a full disk, an operator's
# intervention, and failures of the system. Deadlocks and lock timeouts are in others.
_POSTGRES: Final = frozenset({"08", "53", "57", "58"})
_READ_ONLY_TRANSACTION: Final = "25006"
_READS_ONLY: Final = "crossway_reads_only"


def translate_errors(writer: Engine, reader: Engine) -> None:
    """Let everything that uses the engines raise `StorageUnavailable` where it applies."""
    reader.update_execution_options(**{_READS_ONLY: True})
    for engine in (writer, reader):
        # Without asking whether it listens already: SQLAlchemy knows engines by their addresses,
        # and one that is gone may have had the same.
        event.listen(engine, "handle_error", _translate)


def describe(error: BaseException) -> str:
    """Why the database cannot be used, as a sentence without its full stop; empty if the error says
    something else."""
    code = getattr(error, "sqlite_errorcode", None)
    if code is not None:
        # The low byte is the primary code.
        return _SQLITE.get(code & 0xFF, "")
    if isinstance(error, sqlite3.Error):
        return ""
    state: Any = getattr(error, "sqlstate", None)
    if type(error).__name__ == "OperationalError" and state is None:
        return "The database does not answer"
    if state is not None and (state[:2] in _POSTGRES or state == _READ_ONLY_TRANSACTION):
        return "The database does not answer or cannot store anything"
    return ""


def _translate(context: ExceptionContext) -> None:
    error = context.original_exception
    is_reader = context.engine is not None and context.engine.get_execution_options().get(
        _READS_ONLY
    )
    if is_reader and _is_read_only(error):
        return  # A reader refuses to write by itself: that is a mistake in the code.
    if sentence := describe(error):
        raise StorageUnavailable(sentence) from error


def _is_read_only(error: BaseException) -> bool:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    state = getattr(error, "sqlstate", None)
    return code == sqlite3.SQLITE_READONLY or state == _READ_ONLY_TRANSACTION
