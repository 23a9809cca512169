"""All tables of the service's own: otherwise a repository imports the tables that it uses."""

from importlib import import_module
from pathlib import Path
from typing import Final

from sqlalchemy import text

from crossway.storage import tables

for _path in sorted(Path(__file__).parent.glob("*_tables.py")):
    if _path.stem != "all_tables":
        import_module(f"crossway.storage.{_path.stem}")

METADATA: Final = tables.METADATA

for _table in METADATA.tables.values():
    for _index in _table.indexes:
        if _condition := _index.info.get("postgresql_where"):
            _index.dialect_options["postgresql"]["where"] = text(_condition)
