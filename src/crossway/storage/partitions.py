"""Partitions by time of PostgreSQL's tables: which there are, and how they come and go."""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from sqlalchemy import Connection, MetaData, Table, delete, func, insert, select, text
from sqlalchemy.exc import OperationalError

from crossway.sql.in_values import in_values
from crossway.storage.row_mapper import from_micros
from crossway.storage.webhook_tables import PARTITIONED_BY

# So many rows are moved at most, while writers of the table wait.
MAX_MOVED: Final = 10_000
# A transaction that takes longer is not waited for: others would have to wait behind.
_MAX_WAIT: Final = "100ms"
_PARTITIONS: Final = text(
    "SELECT relname, pg_get_expr(relpartbound, pg_class.oid) FROM pg_inherits "
    "JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = CAST(:parent AS regclass)"
)
_BOUNDS: Final = re.compile(r"FROM \((?:'(-?\d+)'|MINVALUE)\) TO \('(-?\d+)'\)")


class Partition(NamedTuple):
    """A partition and its rows' times in microseconds, from `start` to before `end`. Of the default
    partition, whose rows have the times of no other, both are None; of the one that has all older
    rows, `start` is."""

    name: str
    start: int | None
    end: int | None


def is_partitioned(db: Connection, table: Table) -> bool:
    return db.dialect.name == "postgresql" and PARTITIONED_BY in table.info


def list_partitions(db: Connection, table: Table) -> list[Partition]:
    """The partitions of a table, oldest first; the default one is the last."""
    rows = db.execute(_PARTITIONS, {"parent": table.name})
    return sorted((_read(*row) for row in rows), key=lambda part: part.end or float("inf"))


def default_of(table: Table) -> Table:
    """The default partition of a table."""
    return as_table(table, f"{table.name}_default")


def as_table(table: Table, name: str) -> Table:
    """A partition as a table of its own."""
    return _named(table, name)


def find_gaps(
    partitions: Collection[Partition], start: int, until: int, width: int
) -> Iterator[tuple[int, int]]:
    """The ranges of `width` or less that lack between two times, which then belong to a partition
    each."""
    bounded = [part for part in partitions if part.end is not None]
    at = start
    while at <= until:
        starts = [part.start or 0 for part in bounded]
        covering = [part.end for part in bounded if (part.start or at) <= at < (part.end or 0)]
        if covering:
            at = covering[0] or 0
            continue
        end = min([at + width, *(start for start in starts if start > at)])
        yield at, end
        at = end


def add_partition(db: Connection, table: Table, start: int, end: int) -> bool:
    """Make the partition of a range, with the rows of the default partition that belong there.
    False if they are too many, or if somebody is at work on the table for long."""
    key = table.info[PARTITIONED_BY]
    name, default = f"{table.name}_{from_micros(start):%Y%m%d}", default_of(table)
    belongs = (default.c[key] >= start, default.c[key] < end)
    misplaced = select(default.c.id).where(*belongs).limit(MAX_MOVED + 1).subquery()
    if db.execute(select(func.count()).select_from(misplaced)).scalar_one() > MAX_MOVED:
        return False
    # Who has to wait does so for the whole table, before PostgreSQL looks which partitions it has:
    # a statement that waited for the default one would look for moved rows there.
    tables = (f"ONLY {table.name}", default.name)
    if not _lock(db, *(f"LOCK TABLE {name} IN ACCESS EXCLUSIVE MODE" for name in tables)):
        return False
    # Its indexes are those of the default partition.
    db.execute(text(f"CREATE TABLE {name} (LIKE {default.name} INCLUDING ALL)"))
    _copy(db, default, as_table(table, name), *belongs)
    db.execute(delete(default).where(*belongs))
    bounds = f"FOR VALUES FROM ({start}) TO ({end})"
    db.execute(text(f"ALTER TABLE {table.name} ATTACH PARTITION {name} {bounds}"))
    return True


def drop_partition(db: Connection, table: Table, name: str, kept: Sequence[int]) -> bool:
    """Drop a partition but for the rows with these ids, which go to the default partition. False if
    somebody is at work on the table for long."""
    if not _lock(db, f"ALTER TABLE {table.name} DETACH PARTITION {name}"):
        return False
    part = as_table(table, name)
    if kept:
        _copy(db, part, table, in_values(part.c.id, kept))
    db.execute(text(f"DROP TABLE {name}"))
    return True


def _copy(db: Connection, source: Table, to: Table, *conditions: object) -> None:
    names = [column.name for column in source.columns]
    rows = select(*source.columns).where(*conditions)  # type: ignore[arg-type]
    db.execute(insert(to).from_select(names, rows))


def _lock(db: Connection, *statements: str) -> bool:
    """Execute statements that wait for others; whether they did not have to wait for long."""
    try:
        with db.begin_nested():
            for statement in (f"SET LOCAL lock_timeout = '{_MAX_WAIT}'", *statements):
                db.execute(text(statement))
    except OperationalError:
        return False
    return True


def _read(name: str, bounds: str) -> Partition:
    found = _BOUNDS.search(bounds)
    if found is None:
        return Partition(name, None, None)
    start, end = found.groups()
    return Partition(name, None if start is None else int(start), int(end))


@lru_cache(maxsize=256)
def _named(table: Table, name: str) -> Table:
    return table.to_metadata(MetaData(), name=name)
