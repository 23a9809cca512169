"""Statements over many values at once, in the form each database plans well."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import (
    JSON,
    ColumnElement,
    Connection,
    Text,
    any_,
    bindparam,
    cast,
    func,
    literal,
    select,
)
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


def for_each_chain(build: Callable[[Any], T]) -> dict[str, T]:
    """A statement by the name of the dialect, built once; `build` is given the rows (`key`,
    `value`) of the parameter `chains`, which is what `numbered` makes."""
    chains = bindparam("chains", type_=Text)
    return {
        "sqlite": build(func.json_each(chains).table_valued("key", "value")),
        "postgresql": build(func.json_each_text(cast(chains, JSON)).table_valued("key", "value")),
    }


def numbered(chains: Mapping[str, int]) -> str:
    """A number for each chain as one parameter."""
    return json.dumps(chains)


def batches(values: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """The values in lists of at most `size`."""
    iterator = iter(values)
    while batch := list(islice(iterator, size)):
        yield batch
