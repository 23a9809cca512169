"""Empty databases for tests: brought up to date once, then copied, for that is faster."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path

from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url

from crossway.storage.migrate import upgrade
from crossway.storage.store import open_store

_numbers = count(1)


def migrate_database(url: str) -> str:
    """The same URL, its database brought up to date."""
    store = open_store(url)
    upgrade(store.writer)
    store.close()
    return url


def new_sqlite(folder: Path, template: Path) -> str:
    """The URL of a migrated SQLite file in a folder; `template` is made at first need."""
    if not template.exists():
        fresh = template.with_suffix(".new")
        migrate_database(f"sqlite:///{fresh}")
        fresh.rename(template)
    path = folder / f"{next(_numbers)}.db"
    shutil.copy(template, path)
    return f"sqlite:///{path}"


@contextmanager
def new_postgres(server: str, template: str | None = None) -> Iterator[str]:
    """The URL of a new database of a cluster, dropped again after the block."""
    name = f"crossway_{next(_numbers)}"
    _on(server, f"CREATE DATABASE {name}" + (f" TEMPLATE {template}" if template else ""))
    try:
        yield _named(server, name)
    finally:
        _on(server, f"DROP DATABASE {name} WITH (FORCE)")


@cache
def postgres_template(server: str) -> str:
    """The name of a migrated database that others are copied from."""
    _on(server, "CREATE DATABASE migrated")
    migrate_database(_named(server, "migrated"))
    return "migrated"


def _named(server: str, name: str) -> str:
    return make_url(server).set(database=name).render_as_string(hide_password=False)


def _on(server: str, statement: str) -> None:
    engine = create_engine(server, isolation_level="AUTOCOMMIT")
    with engine.connect() as db:
        db.execute(text(statement))
    engine.dispose()
