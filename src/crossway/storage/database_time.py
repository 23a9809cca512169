"""The time of the database, by which processes on several machines agree on leases."""

from typing import Final

from sqlalchemy import Connection, text

MICROS: Final = 1_000_000
_NOW: Final = {
    # Whole seconds: with fractions SQLite has returned NULL, in a process in which the native
    # libraries of chains had run before.
    "sqlite": text("SELECT CAST(strftime('%s', 'now') AS INTEGER) * 1000000 AS now"),
    "postgresql": text(
        "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT) AS now"
    ),
}


def read_database_time(db: Connection) -> int:
    """Microseconds since 1970."""
    return int(db.execute(_NOW[db.dialect.name]).scalar_one())
