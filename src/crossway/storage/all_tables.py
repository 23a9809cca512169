"""All tables of the service's own: otherwise a repository imports the tables that it uses."""

from importlib import import_module
from pathlib import Path
from typing import Any, Final, TypeGuard

from sqlalchemy import Index, PrimaryKeyConstraint, UniqueConstraint, text
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.schema import SchemaItem

from crossway.storage import tables
from crossway.storage.webhook_tables import PARTITIONED_BY

for _path in sorted(Path(__file__).parent.glob("*_tables.py")):
    if _path.stem != "all_tables":
        import_module(f"crossway.storage.{_path.stem}")

METADATA: Final = tables.METADATA


def is_unique(part: SchemaItem) -> TypeGuard[Index | UniqueConstraint]:
    """Whether a part of a table is a unique index or constraint, other than the primary key."""
    return isinstance(part, UniqueConstraint) or (isinstance(part, Index) and part.unique)


for _table in METADATA.tables.values():
    for _index in _table.indexes:
        if _condition := _index.info.get("postgresql_where"):
            _index.dialect_options["postgresql"]["where"] = text(_condition)
    if _key := _table.info.get(PARTITIONED_BY):
        _table.dialect_options["postgresql"]["partition_by"] = f"RANGE ({_key})"
        for _part in (*_table.indexes, *_table.constraints):
            if is_unique(_part):
                _part.ddl_if(dialect="sqlite")


@compiles(PrimaryKeyConstraint, "postgresql")
def _add_partition_key(key: PrimaryKeyConstraint, compiler: Any, **options: Any) -> str:
    """On SQLite the id alone is the key, as it is the number of the row there."""
    written: str = compiler.visit_primary_key_constraint(key, **options)
    column = key.table.info.get(PARTITIONED_BY)
    return written.replace("(id)", f"(id, {column})") if column else written
