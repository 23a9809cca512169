"""The condition that a column is one of many values, in the form that each database plans well."""

import json
from collections.abc import Collection
from typing import Any

from sqlalchemy import (
    ARRAY,
    Boolean,
    ColumnElement,
    Dialect,
    Text,
    TypeDecorator,
    any_,
    bindparam,
    cast,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.type_api import TypeEngine
from sqlalchemy.sql.visitors import InternalTraversal

_PARTS: Any = [
    ("column", InternalTraversal.dp_clauseelement),
    ("listed", InternalTraversal.dp_clauseelement),
]


def in_values(column: ColumnElement[Any], values: Collection[Any]) -> ColumnElement[bool]:
    """`column IN values` with one bound parameter, however many values there are."""
    return _InValues(column, bindparam(None, values, type_=_Listed(column.type)))


def within(column: ColumnElement[Any], name: str) -> ColumnElement[bool]:
    """`column IN values`, for a statement that is built once: building takes longer than executing.
    The parameter of this name is a collection."""
    return _InValues(column, bindparam(name, type_=_Listed(column.type)))


class _InValues(ColumnElement[bool]):
    """`column IN (SELECT value FROM json_each(?))` in one piece: SQLAlchemy's own subquery costs
    more to build and to look up in its cache than SQLite needs to execute the statement. For
    PostgreSQL, `column = ANY (?)`."""

    inherit_cache = True
    type = Boolean()
    _traverse_internals = _PARTS

    def __init__(self, column: ColumnElement[Any], listed: ColumnElement[Any]) -> None:
        self.column, self.listed = column, listed

    @property
    def _from_objects(self) -> Any:
        return self.column._from_objects

    def self_group(self, against: Any = None) -> Any:
        """Itself: SQLAlchemy would add `= 1` to a condition, with which SQLite uses no index."""
        return self


class _Listed(TypeDecorator[Any]):
    """Values of a column as one parameter: JSON for SQLite, an array for PostgreSQL."""

    impl = Text
    cache_ok = True

    def __init__(self, of: TypeEngine[Any]) -> None:
        super().__init__()
        self.of = of

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return Text() if dialect.name == "sqlite" else ARRAY(self.of)

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        return json.dumps(list(value)) if dialect.name == "sqlite" else list(value)


@compiles(_InValues)
def _compile_in_json(element: _InValues, compiler: Any, **options: Any) -> str:
    column, listed = (compiler.process(e, **options) for e in (element.column, element.listed))
    return f"{column} IN (SELECT value FROM json_each({listed}))"


@compiles(_InValues, "postgresql")
def _compile_any(element: _InValues, compiler: Any, **options: Any) -> str:
    listed = cast(element.listed, ARRAY(element.column.type))
    return str(compiler.process(element.column == any_(listed), **options))
