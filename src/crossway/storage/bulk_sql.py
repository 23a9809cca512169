"""SQL statements over many values at once, in the form that each database plans well."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from operator import attrgetter
from typing import Any, Generic, TypeVar

from sqlalchemy import (
    JSON,
    ColumnElement,
    Connection,
    Select,
    Table,
    Text,
    bindparam,
    cast,
    func,
)
from sqlalchemy.dialects import sqlite

T = TypeVar("T")


def list_oldest_first(
    db: Connection,
    query: Select[Any],
    row_id: ColumnElement[int],
    newest: int | None,
    always: ColumnElement[bool] | None = None,
) -> Sequence[Any]:
    """The rows by id, all or only the `newest` and those that satisfy `always`."""
    if newest is None:
        return db.execute(query.order_by(row_id)).all()
    if always is None:
        return db.execute(query.order_by(row_id.desc()).limit(newest)).all()[::-1]
    others = db.execute(query.where(~always).order_by(row_id.desc()).limit(newest)).all()
    rows = [*db.execute(query.where(always)), *others]
    return sorted(rows, key=attrgetter("id"))


def insert_into(db: Connection, table: Table) -> Any:
    """The INSERT that supports ON CONFLICT in this database."""
    return _insert(db.dialect.name)(table)


class _PerDialect(Generic[T]):
    """A statement for each dialect, built when it is first used."""

    def __init__(self, build: Callable[[str], T]) -> None:
        self._build = build
        self._built: dict[str, T] = {}

    def __getitem__(self, dialect: str) -> T:
        if dialect not in self._built:
            self._built[dialect] = self._build(dialect)
        return self._built[dialect]


def per_dialect(build: Callable[[Any], T]) -> _PerDialect[T]:
    """A statement for each dialect; `build` is passed the dialect's INSERT with ON CONFLICT."""
    return _PerDialect(lambda dialect: build(_insert(dialect)))


def _insert(dialect: str) -> Callable[[Table], Any]:
    """The INSERT that supports ON CONFLICT."""
    if dialect == "sqlite":
        return sqlite.insert
    # Imported here: SQLite, the usual database, starts faster without it.
    from sqlalchemy.dialects import postgresql

    return postgresql.insert


def per_dialect_for_chains(build: Callable[[Any], T]) -> _PerDialect[T]:
    """A statement for each dialect; `build` is passed the rows (`key`, `value`) of the parameter
    `chains`, made by `chain_values`."""
    chains = bindparam("chains", type_=Text)

    def rows(dialect: str) -> Any:
        if dialect == "sqlite":
            return func.json_each(chains).table_valued("key", "value")
        return func.json_each_text(cast(chains, JSON)).table_valued("key", "value")

    return _PerDialect(lambda dialect: build(rows(dialect)))


def chain_values(chains: Mapping[str, int]) -> str:
    """A number for each chain as the one parameter `chains`."""
    return json.dumps(chains)


def batches(values: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """Split values into lists of at most `size`."""
    iterator = iter(values)
    while batch := list(islice(iterator, size)):
        yield batch
