"""A backup of the product's own tables, put back while the simulated chains keep what they did."""

import sqlite3
from contextlib import closing
from pathlib import Path

THE_CHAINS_OWN = "sim_"
VERSION = "alembic_version"


def back_up(database: Path, copy: Path) -> None:
    """Copy a SQLite database as it stands."""
    with closing(sqlite3.connect(database)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)


def put_back(database: Path, copy: Path) -> None:
    """Every table of the product becomes what it was; those of the chains stay what they are."""
    with closing(sqlite3.connect(database, isolation_level=None)) as db:
        db.execute("ATTACH ? AS copy", (str(copy),))
        names = db.execute("SELECT name FROM copy.sqlite_master WHERE type = 'table'").fetchall()
        ours = [name for (name,) in names if not name.startswith((THE_CHAINS_OWN, "sqlite_"))]
        db.execute("PRAGMA foreign_keys=OFF")
        db.execute("BEGIN IMMEDIATE")
        for name in ours:
            if name != VERSION:
                db.execute(f'DELETE FROM main."{name}"')
                db.execute(f'INSERT INTO main."{name}" SELECT * FROM copy."{name}"')
        db.execute("COMMIT")
