"""Statements that every pass or request executes: compiled once, and executed by SQLite's driver.

They hold no list of values that SQLAlchemy would expand at each execution: `within` takes one as a
parameter, and `in_` takes fixed values as literals.

SQLAlchemy spends several times what the database needs for a short statement on executing it. On
PostgreSQL, where the way to the database costs more, it executes them.
"""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, Dialect, Executable, Insert
from sqlalchemy.dialects import sqlite

from crossway.domain.errors import StorageUnavailable
from crossway.storage.availability import describe

_DIALECT = sqlite.dialect()
_Row = Mapping[str, Any]


def fetch(db: Connection, statement: Executable, parameters: _Row | None = None) -> Sequence[Any]:
    """All rows that a statement that is built once returns, as tuples. Raises
    `StorageUnavailable`."""
    if db.dialect.name != "sqlite":
        return db.execute(statement, parameters or {}).all()
    compiled = _prepare(statement)
    cursor = _run(_driver(db).execute, compiled.text, compiled.bind(parameters or {}))
    return compiled.convert(_run(cursor.fetchall))


def execute(db: Connection, statement: Executable, parameters: _Row) -> int:
    """Execute a statement that is built once; returns how many rows it changed. Raises
    `StorageUnavailable`."""
    if db.dialect.name != "sqlite":
        counted = {"preserve_rowcount": True}
        return db.execute(statement, parameters, execution_options=counted).rowcount
    compiled = _prepare(statement, tuple(parameters) if isinstance(statement, Insert) else None)
    return int(_run(_driver(db).execute, compiled.text, compiled.bind(parameters)).rowcount)


def execute_each(db: Connection, statement: Executable, rows: Sequence[dict[str, Any]]) -> int:
    """Execute a statement that is built once for each row of parameters; returns how many rows it
    changed. Values must need no conversion. Raises `StorageUnavailable`."""
    if not rows:
        return 0
    sql, read_values = _compile(db.dialect, statement, tuple(rows[0]))
    values = list(map(read_values, rows))
    if db.dialect.name != "sqlite":
        return db.exec_driver_sql(sql, values).rowcount
    return int(_run(_driver(db).executemany, sql, values).rowcount)


class _Prepared:
    """A statement for SQLite's driver."""

    def __init__(self, statement: Any, column_keys: tuple[str, ...] | None) -> None:
        compiled = statement.compile(dialect=_DIALECT, column_keys=column_keys)
        self.text = str(compiled)
        self._fixed = compiled.params
        processors = compiled._bind_processors
        self._names = [(name, processors.get(name)) for name in compiled.positiontup or ()]
        returned = statement.exported_columns if statement.is_select else statement._returning
        self._convert = _build_conversion(
            [column.type._cached_result_processor(_DIALECT, None) for column in returned]
        )

    def bind(self, parameters: _Row) -> list[Any]:
        """The values of the statement's parameters in their order."""
        values = []
        for name, process in self._names:
            value = parameters[name] if name in parameters else self._fixed[name]
            values.append(value if process is None else process(value))
        return values

    def convert(self, rows: list[Any]) -> Sequence[Any]:
        """Rows with the values of the columns' types."""
        return rows if self._convert is None else list(map(self._convert, rows))


def _build_conversion(converters: Sequence[Callable[[Any], Any] | None]) -> Any:
    """A function that converts the values of a row; None where they stay as they are. As an
    expression, it takes a fraction of the time of a loop."""
    if not any(converters):
        return None
    names = {f"_{i}": convert for i, convert in enumerate(converters)}
    values = (f"_{i}(row[{i}])" if convert else f"row[{i}]" for i, convert in enumerate(converters))
    return eval(f"lambda row: ({', '.join(values)},)", names)


@lru_cache(maxsize=512)
def _prepare(statement: Executable, column_keys: tuple[str, ...] | None = None) -> _Prepared:
    return _Prepared(statement, column_keys)


@lru_cache(maxsize=512)
def _compile(
    dialect: Dialect, statement: Any, keys: tuple[str, ...]
) -> tuple[str, Callable[[_Row], Any]]:
    """The SQL text for the driver, and how its parameters are read from a row."""
    columns = keys if isinstance(statement, Insert) else None
    compiled = statement.compile(dialect=dialect, column_keys=columns)
    names = getattr(compiled, "positiontup", None)
    fixed = {name: value for name, value in compiled.params.items() if name not in keys}
    if names is None:
        return str(compiled), (lambda row: {**fixed, **row}) if fixed else dict
    if fixed:
        return str(compiled), lambda row: [row.get(name, fixed.get(name)) for name in names]
    if len(names) == 1:
        return str(compiled), lambda row: (row[names[0]],)
    return str(compiled), itemgetter(*names)


def _driver(db: Connection) -> Any:
    """SQLite's connection, in a transaction."""
    if not db.in_transaction():
        db.begin()
    return db.connection.driver_connection


def _run(call: Callable[..., Any], *values: Any) -> Any:
    try:
        return call(*values)
    except sqlite3.Error as error:
        if sentence := describe(error):
            raise StorageUnavailable(sentence) from error
        raise
