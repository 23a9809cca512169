"""Replacement of all business data of one database by that of another, as the demo does.

Staff, secrets, leases and the audit log stay.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

from sqlalchemy import Connection, Engine, MetaData, Table, func, select, table, text

from crossway.storage.bulk_sql import insert_into
from crossway.storage.unit_of_work import SqlUnitOfWork

# The audit log is never shortened, and what is of staff does not change.
UNTOUCHED_TABLES: Final = frozenset(
    {
        "alembic_version",
        "audit_log",
        "commit_counter",
        "leases",
        "stored_secrets",
        "table_preferences",
    }
)
UNTOUCHED_PREFIX: Final = "staff"
# Rows are added: clients stay, with their keys.
MERGED_TABLES: Final = frozenset({"clients"})
API_KEY_TABLES: Final = frozenset({"api_keys"})
_BATCH = 2_000


def copy_clients_and_secrets(source: Engine, target: Engine) -> None:
    """Copy clients and stored secrets to a new database, so that it can decrypt its values."""
    tables = _tables(target)
    with source.connect() as read, target.begin() as write:
        for name in ("stored_secrets", *sorted(MERGED_TABLES)):
            _copy(read, write, tables[name], only_new=True)


def replace_data(
    source: Engine,
    target: Engine,
    also: Callable[[SqlUnitOfWork], None],
    keep_clients: bool = True,
) -> int:
    """Replace the data of `target` by that of `source` in one transaction, in which `also` works
    last; returns the number of rows copied. Without `keep_clients`, clients and API keys are
    replaced as well."""
    tables = _tables(target)
    with source.connect() as read, target.begin() as write:
        changed = [each for each in tables.values() if not _is_untouched(each.name, keep_clients)]
        for each in reversed(changed):
            if not (keep_clients and each.name in MERGED_TABLES):
                write.execute(each.delete())
        copied = sum(_copy(read, write, each, each.name in MERGED_TABLES) for each in changed)
        also(SqlUnitOfWork(write))
    return copied


def holds_business(engine: Engine) -> dict[str, int]:
    """The numbers of intents and ramp orders in a database."""
    with engine.connect() as db:
        return {
            name: db.scalar(select(func.count()).select_from(table(name))) or 0
            for name in ("intents", "orders")
        }


def _is_untouched(name: str, keep_clients: bool) -> bool:
    return (
        name in UNTOUCHED_TABLES
        or name.startswith(UNTOUCHED_PREFIX)
        or (keep_clients and name in API_KEY_TABLES)
    )


def _tables(engine: Engine) -> dict[str, Table]:
    """Every table of the database, referenced tables first."""
    metadata = MetaData()
    metadata.reflect(engine)
    return {table.name: table for table in metadata.sorted_tables}


def _copy(read: Connection, write: Connection, copied: Table, only_new: bool) -> int:
    statement: Any = copied.insert()
    if only_new:
        statement = insert_into(write, copied).on_conflict_do_nothing()
    count = 0
    for rows in _read_batches(read, copied):
        write.execute(statement, rows)
        count += len(rows)
    if count and write.dialect.name == "postgresql":
        _advance_sequences(write, copied)
    return count


def _read_batches(read: Connection, copied: Table) -> Iterator[list[dict[str, object]]]:
    rows = read.execution_options(stream_results=True).execute(select(copied))
    for batch in rows.partitions(_BATCH):
        yield [dict(row._mapping) for row in batch]


def _advance_sequences(write: Connection, copied: Table) -> None:
    """Set the sequences of a table to its highest ids: explicit ids do not advance them."""
    for column in copied.primary_key.columns:
        name = write.scalar(
            text("SELECT pg_get_serial_sequence(:t, :c)"), {"t": copied.name, "c": column.name}
        )
        if name:
            top = write.scalar(select(func.max(column))) or 1
            write.execute(text("SELECT setval(:s, :n)"), {"s": name, "n": top})
