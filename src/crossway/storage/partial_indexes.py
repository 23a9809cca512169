"""Indexes of the rows that satisfy a condition, on both databases."""

from typing import Any

from sqlalchemy import ColumnElement, Index, MetaData, text


def partial_index(
    name: str,
    *columns: ColumnElement[Any],
    where: str,
    postgresql_where: str = "",
    unique: bool = False,
) -> Index:
    """An index of the rows that satisfy a condition, which PostgreSQL may word differently."""
    info = {"postgresql_where": postgresql_where or where}
    return Index(name, *columns, unique=unique, sqlite_where=text(where), info=info)


def add_postgresql_conditions(metadata: MetaData) -> None:
    """Give partial indexes their condition on PostgreSQL, to create or to draft them. Not at every
    start: naming an option of a dialect imports it, and queries do not need the condition."""
    for table in metadata.tables.values():
        for index in table.indexes:
            if condition := index.info.get("postgresql_where"):
                index.dialect_options["postgresql"]["where"] = text(condition)
