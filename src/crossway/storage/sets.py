"""Statements over many values at once, in the form each database plans well."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Connection, Text, any_, cast, func, literal, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql import ARRAY

T = TypeVar("T")


def among(
    db: Connection, column: ColumnElement[Any], values: Collection[Any]
) -> ColumnElement[bool]:
    """`column IN values` with one bound parameter, however many values there are."""
    if db.dialect.name == "sqlite":
        rows = func.json_each(literal(json.dumps(list(values)), Text)).table_valued("value")
        return column.in_(select(rows.c.value))
    return column == any_(cast(list(values), ARRAY(column.type)))


def for_each_database(build: Callable[[Any], T]) -> dict[str, T]:
    """A statement by the name of the dialect, built once; `build` is given the INSERT that knows
    ON CONFLICT there."""
    return {"sqlite": build(sqlite.insert), "postgresql": build(postgresql.insert)}


def batches(values: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """The values in lists of at most `size`."""
    iterator = iter(values)
    while batch := list(islice(iterator, size)):
        yield batch
