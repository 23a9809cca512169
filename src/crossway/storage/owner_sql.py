"""The SQL conditions of `domain.clients.OwnerFilter`, for every table whose rows have an owner."""

from typing import Any

from sqlalchemy import ColumnElement, Table

from crossway.domain.clients import OwnerFilter


def is_owned(table: Table, owners: OwnerFilter) -> list[ColumnElement[bool]]:
    """The conditions that a row of this table belongs to one of these owners."""
    wanted: dict[Any, str | None] = {
        table.c.client_id: owners.client_id,
        table.c.mode: owners.mode,
    }
    return [column == value for column, value in wanted.items() if value is not None]
