"""The SQL that a database executes: SQLite's also where its driver got it from elsewhere."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, event

_TRANSACTION = ("BEGIN", "COMMIT", "ROLLBACK")


@contextmanager
def recorded(*engines: Engine) -> Iterator[list[str]]:
    """The statements of these engines, with their values, other than those that begin and end
    transactions."""
    statements: list[str] = []
    watched: set[Any] = set()

    def note(statement: str) -> None:
        # What begins with a comment is done by a statement that was noted.
        if not statement.startswith((*_TRANSACTION, "--")):
            statements.append(statement)

    def watch(db: Connection) -> None:
        driver: Any = db.connection.driver_connection
        driver.set_trace_callback(note)
        watched.add(driver)

    def tell(*seen: Any) -> None:
        statements.append(seen[2])

    listeners: list[tuple[Engine, str, Callable[..., None]]] = [
        (engine, "engine_connect", watch)
        if engine.dialect.name == "sqlite"
        else (engine, "before_cursor_execute", tell)
        for engine in engines
    ]
    for listener in listeners:
        event.listen(*listener)
    yield statements
    for listener in listeners:
        event.remove(*listener)
    for driver in watched:
        driver.set_trace_callback(None)


def plan_of(engine: Engine, statement: str) -> list[str]:
    """The steps of SQLite's plan of a statement."""
    with engine.connect() as db:
        driver: Any = db.connection.driver_connection
        return [row[3] for row in driver.execute(f"EXPLAIN QUERY PLAN {statement}")]


def postgres_plans(engine: Engine, work: Callable[[], object]) -> list[str]:
    """PostgreSQL's plans of what is executed, as texts. It takes an index wherever one will do, as
    it does with more rows than a test has."""
    executed: list[tuple[str, Any]] = []

    def note(*seen: Any) -> None:
        executed.append((seen[2], seen[3]))

    event.listen(engine, "before_cursor_execute", note)
    work()
    event.remove(engine, "before_cursor_execute", note)
    with engine.begin() as db:
        db.exec_driver_sql("SET LOCAL enable_seqscan = off")
        return [
            "\n".join(db.exec_driver_sql(f"EXPLAIN {statement}", _first(values)).scalars())
            for statement, values in executed
        ]


def _first(values: Any) -> Any:
    """The values of a statement, or the first of several."""
    return values[0] if isinstance(values, list) else values
