"""SQL over many values at once, in the form that each database plans well."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    Connection,
    Table,
)
from sqlalchemy.dialects import sqlite


def insert_into(db: Connection, table: Table) -> Any:
    """The INSERT that supports ON CONFLICT in this database."""
    if db.dialect.name == "sqlite":
        return sqlite.insert(table)
    # Imported here: SQLite, the usual database, starts faster without it.
    from sqlalchemy.dialects import postgresql

    return postgresql.insert(table)


def insert_rows(
    db: Connection, table: Table, rows: Sequence[tuple[Any, ...]], fresh: bool = True
) -> None:
    """Insert rows in the order of the table's columns. Unless `fresh`, a row replaces the one of
    the same primary key."""
    if rows:
        db.exec_driver_sql(_insert_statement(db.dialect.name, table, fresh), list(rows))


def execute_many(db: Connection, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Execute a statement once per row of parameters, marked by `?`."""
    if rows:
        marks = "?" if db.dialect.name == "sqlite" else "%s"
        db.exec_driver_sql(statement.replace("?", marks), list(rows))


@lru_cache(maxsize=64)
def _insert_statement(dialect: str, table: Table, fresh: bool) -> str:
    """Positional, because binding parameters by name would take longer than inserting."""
    columns = [column for column in table.columns if column.autoincrement is not True]
    names = ", ".join(column.name for column in columns)
    places = ", ".join(["?" if dialect == "sqlite" else "%s"] * len(columns))
    statement = f"INSERT INTO {table.name} ({names}) VALUES ({places})"
    if fresh:
        return statement
    keys = ", ".join(column.name for column in table.primary_key.columns)
    others = ", ".join(
        f"{column.name} = excluded.{column.name}" for column in columns if not column.primary_key
    )
    return f"{statement} ON CONFLICT ({keys}) DO " + (
        f"UPDATE SET {others}" if others else "NOTHING"
    )
