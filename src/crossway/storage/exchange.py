"""Putting all of one database into the place of another's: for a demonstration, or to begin anew.

What a machine, its people and its log are stays; what is only of the business goes.
"""

from collections.abc import Collection, Iterator
from typing import Final

from sqlalchemy import Connection, Engine, MetaData, Table, func, select, text
from sqlalchemy.dialects import postgresql, sqlite

# Never touched: the log is never cut, and who may come in stays who may come in.
STAYS: Final = frozenset({"alembic_version", "audit", "secrets_kept", "leases"})
STAYS_STARTING_WITH: Final = "staff"
# Added to: clients stay, with their keys.
ADDED: Final = frozenset({"clients"})
KEYS: Final = frozenset({"api_keys"})
_AT_ONCE = 2_000


def copy_kept(source: Engine, target: Engine) -> None:
    """Give a new database the clients of another and what opens its encrypted values."""
    tables = _tables(target)
    with source.connect() as read, target.begin() as write:
        for name in ("secrets_kept", *sorted(ADDED)):
            _copy(read, write, tables[name], only_new=True)


def put_in_place(source: Engine, target: Engine, keep_clients: bool = True) -> int:
    """Replace what `target` has by what `source` has, in one transaction; answers how many rows
    there are now. Without `keep_clients` clients and keys are replaced as well."""
    tables = _tables(target)
    with source.connect() as read, target.begin() as write:
        changed = [one for one in tables.values() if not _stays(one.name, keep_clients)]
        for table in reversed(changed):
            if not (keep_clients and table.name in ADDED):
                write.execute(table.delete())
        return sum(_copy(read, write, one, one.name in ADDED) for one in changed)


def holds_business(engine: Engine) -> dict[str, int]:
    """How many payments and ramp orders a database has."""
    tables = _tables(engine)
    with engine.connect() as db:
        return {
            name: db.scalar(select(func.count()).select_from(tables[name])) or 0
            for name in ("intents", "orders")
        }


def _stays(name: str, keep_clients: bool) -> bool:
    return name in STAYS or name.startswith(STAYS_STARTING_WITH) or (keep_clients and name in KEYS)


def _tables(engine: Engine) -> dict[str, Table]:
    """Every table as the database has it, those that others refer to first."""
    found = MetaData()
    found.reflect(engine)
    return {table.name: table for table in found.sorted_tables}


def _copy(read: Connection, write: Connection, table: Table, only_new: bool) -> int:
    make = sqlite.insert if write.dialect.name == "sqlite" else postgresql.insert
    statement = make(table).on_conflict_do_nothing() if only_new else table.insert()
    count = 0
    for rows in _in_parts(read, table):
        write.execute(statement, rows)
        count += len(rows)
    if count and write.dialect.name == "postgresql":
        _go_on_counting(write, table)
    return count


def _in_parts(read: Connection, table: Table) -> Iterator[list[dict[str, object]]]:
    rows = read.execution_options(stream_results=True).execute(select(table))
    for part in rows.partitions(_AT_ONCE):
        yield [dict(row._mapping) for row in part]


def _go_on_counting(write: Connection, table: Table) -> None:
    """A sequence does not see numbers that were given by hand."""
    for column in table.primary_key.columns:
        name = write.scalar(
            text("SELECT pg_get_serial_sequence(:t, :c)"), {"t": table.name, "c": column.name}
        )
        if name:
            top = write.scalar(select(func.max(column))) or 1
            write.execute(text("SELECT setval(:s, :n)"), {"s": name, "n": top})


def kept(names: Collection[str]) -> list[str]:
    """Of these tables, those that stay whatever happens."""
    return [name for name in names if _stays(name, keep_clients=True)]
