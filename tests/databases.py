"""Databases for tests: the migrations run once in a process or cluster, and are copied then."""

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from sqlalchemy import (
    URL,
    Connection,
    CreateEnginePlugin,
    Dialect,
    Engine,
    create_engine,
    event,
    text,
)
from sqlalchemy.dialects import plugins
from sqlalchemy.engine import make_url

from crossway.storage.migrate import upgrade
from crossway.storage.store import open_store

_numbers = count(1)
_compiled: dict[Any, Any] = {}


def new_sqlite(folder: Path, name: str = "crossway.db") -> str:
    """The URL of a migrated SQLite file in a folder."""
    url = f"sqlite:///{folder / name}"
    migrate_database(url)
    return url


def migrate_database(url: str) -> None:
    """Make a migrated SQLite file where none is. `new_postgres` has migrated its databases."""
    file = make_url(url).database if url.startswith("sqlite") else None
    if file is not None and not Path(file).exists():
        Path(file).write_bytes(_migrated_file())


def fast(url: str) -> str:
    """The URL of a SQLite file for this process alone; see `FastSqlite`."""
    return f"{url}?plugin=fast" if url.startswith("sqlite") else url


class FastSqlite(CreateEnginePlugin):
    """Makes many small databases faster. Nothing is synced to the disk: a killed process loses
    nothing by it, and no test cuts the machine's power. All engines share one cache of compiled
    statements, which are found by their dialect too."""

    def update_url(self, url: URL) -> URL:
        return url.difference_update_query(["plugin"])

    def engine_created(self, engine: Engine) -> None:
        event.listen(engine, "engine_connect", _do_not_sync)
        engine.dialect = _sqlite_dialect()
        engine.update_execution_options(compiled_cache=_compiled)


plugins.register("fast", __name__, FastSqlite.__name__)


def copy_sqlite(url: str, folder: Path, name: str = "crossway.db") -> str:
    """The URL of a copy in a folder; the original may be in use."""
    original, copy = str(make_url(url).database), folder / name
    with closing(sqlite3.connect(original)) as source, closing(sqlite3.connect(copy)) as to:
        source.backup(to)
    return f"sqlite:///{copy}"


class Snapshots:
    """Copies of a SQLite database as it was when each failpoint was first reached: what a process
    that is killed there leaves behind, for nothing of a process outlives it but what it wrote."""

    def __init__(self, url: str, folder: Path) -> None:
        self._url, self._folder = url, folder
        self._urls: dict[str, str] = {}

    def take(self, step: str) -> None:
        """Copy the database unless this failpoint was reached before."""
        if step in self._urls:
            return
        self._urls[step] = copy_sqlite(self._url, self._folder, f"{len(self._urls)}.db")

    def url_of(self, step: str) -> str:
        """The copy of a failpoint; it is used up by a test that goes on from it."""
        assert step in self._urls, f"{step} was not reached, only {', '.join(self._urls)}"
        return self._urls[step]


@contextmanager
def new_postgres(server: str, empty: bool = False) -> Iterator[str]:
    """The URL of a new database of a cluster, migrated unless `empty`; dropped after the block."""
    name = f"crossway_{next(_numbers)}"
    template = "template1" if empty else _migrated_postgres(server)
    _on(server, f"CREATE DATABASE {name} TEMPLATE {template}")
    try:
        yield _named(server, name)
    finally:
        _on(server, f"DROP DATABASE {name} WITH (FORCE)")


@cache
def _sqlite_dialect() -> Dialect:
    """A dialect that has seen a connection, as it must have to be used."""
    engine = create_engine("sqlite://")
    engine.connect().close()
    engine.dispose()
    return engine.dialect


@cache
def _migrated_file() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "migrated.db"
        _run_migrations(f"sqlite:///{file}")
        return file.read_bytes()


@cache
def _migrated_postgres(server: str) -> str:
    """The name of a migrated database."""
    _on(server, "CREATE DATABASE migrated")
    _run_migrations(_named(server, "migrated"))
    return "migrated"


def _run_migrations(url: str) -> None:
    store = open_store(url)
    upgrade(store.writer)
    store.close()


def _do_not_sync(connection: Connection) -> None:
    if "synced" not in connection.info:
        connection.info["synced"] = False
        connection.connection.execute("PRAGMA synchronous=OFF").close()  # type: ignore[attr-defined]


def _named(server: str, name: str) -> str:
    return make_url(server).set(database=name).render_as_string(hide_password=False)


def _on(server: str, statement: str) -> None:
    engine = create_engine(server, isolation_level="AUTOCOMMIT")
    with engine.connect() as db:
        db.execute(text(statement))
    engine.dispose()
