"""A condition of SQLite: a column is one of many values, the elements of one JSON text."""

from typing import Any

from sqlalchemy import Boolean, ColumnElement
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.visitors import InternalTraversal

_PARTS: Any = [
    ("column", InternalTraversal.dp_clauseelement),
    ("listed", InternalTraversal.dp_clauseelement),
]


class InJson(ColumnElement[bool]):
    """`column IN (SELECT value FROM json_each(?))` in one piece: SQLAlchemy's own subquery costs
    more to build and to look up in its cache than SQLite needs to execute the statement."""

    inherit_cache = True
    type = Boolean()
    _traverse_internals = _PARTS

    def __init__(self, column: ColumnElement[Any], listed: ColumnElement[str]) -> None:
        self.column, self.listed = column, listed

    @property
    def _from_objects(self) -> Any:
        return self.column._from_objects

    def self_group(self, against: Any = None) -> Any:
        """Itself: SQLAlchemy would add `= 1` to a condition, with which SQLite uses no index."""
        return self


@compiles(InJson)
def _compile(element: InJson, compiler: Any, **options: Any) -> str:
    column, listed = (compiler.process(e, **options) for e in (element.column, element.listed))
    return f"{column} IN (SELECT value FROM json_each({listed}))"
