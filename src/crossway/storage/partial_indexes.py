"""Indexes of the rows that satisfy a condition, on both databases."""

from typing import Any

from sqlalchemy import ColumnElement, Index, text


def partial_index(
    name: str,
    *columns: ColumnElement[Any],
    where: str,
    postgresql_where: str = "",
    unique: bool = False,
) -> Index:
    """An index of the rows that satisfy a condition, which PostgreSQL may word differently.

    That wording is set by `all_tables`, as it imports PostgreSQL's dialect: a start on SQLite must
    not, and queries do not need it."""
    info = {"postgresql_where": postgresql_where or where}
    return Index(name, *columns, unique=unique, sqlite_where=text(where), info=info)
