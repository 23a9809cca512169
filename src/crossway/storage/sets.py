"""Statements over many values at once, in the form each database plans well."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import (
    JSON,
    ColumnElement,
    Connection,
    Dialect,
    Insert,
    Text,
    Update,
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


def once_a_row(db: Connection, statement: Insert | Update, rows: Sequence[dict[str, Any]]) -> int:
    """Run a statement once a row, and answer how many rows it touched. SQLAlchemy's own way spends
    more on every parameter than the database does; its values must need no conversion."""
    if not rows:
        return 0
    sql, names = _compiled(db.dialect, statement, tuple(rows[0]))
    given = rows if names is None else [tuple([row[name] for name in names]) for row in rows]
    return db.exec_driver_sql(sql, list(given)).rowcount


@lru_cache(maxsize=64)
def _compiled(
    dialect: Dialect, statement: Insert | Update, keys: tuple[str, ...]
) -> tuple[str, tuple[str, ...] | None]:
    """The text for the driver, and the order of its parameters where they have no names."""
    columns = keys if isinstance(statement, Insert) else None
    compiled = statement.compile(dialect=dialect, column_keys=columns)
    names = getattr(compiled, "positiontup", None)
    return str(compiled), None if names is None else tuple(names)


def batches(values: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """The values in lists of at most `size`."""
    iterator = iter(values)
    while batch := list(islice(iterator, size)):
        yield batch
