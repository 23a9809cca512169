"""Backup and restore of the service's tables, leaving the state of the simulated chains alone."""

import sqlite3
from contextlib import closing
from pathlib import Path

SIMULATED_PREFIX = "sim_"
VERSION_TABLE = "alembic_version"


def back_up(database: Path, copy: Path) -> None:
    """Copy a SQLite database."""
    with closing(sqlite3.connect(database)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)


def restore(database: Path, copy: Path) -> None:
    """Restore every table of the service from a copy; tables of the simulated chains stay."""
    with closing(sqlite3.connect(database, isolation_level=None)) as db:
        db.execute("ATTACH ? AS copy", (str(copy),))
        names = db.execute("SELECT name FROM copy.sqlite_master WHERE type = 'table'").fetchall()
        tables = [name for (name,) in names if not name.startswith((SIMULATED_PREFIX, "sqlite_"))]
        db.execute("PRAGMA foreign_keys=OFF")
        db.execute("BEGIN IMMEDIATE")
        for name in tables:
            if name != VERSION_TABLE:
                db.execute(f'DELETE FROM main."{name}"')
                db.execute(f'INSERT INTO main."{name}" SELECT * FROM copy."{name}"')
        db.execute("COMMIT")
