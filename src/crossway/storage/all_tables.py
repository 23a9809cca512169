"""All tables of the service's own: otherwise a repository imports the tables that it uses."""

from typing import Final

from sqlalchemy import text

from crossway.storage import (
    analytics_tables,
    link_tables,
    ramp_tables,
    search_tables,
    service_tables,
    staff_tables,
    tables,
    treasury_tables,
    webhook_tables,
)

MODULES: Final = (
    analytics_tables,
    link_tables,
    ramp_tables,
    search_tables,
    service_tables,
    staff_tables,
    tables,
    treasury_tables,
    webhook_tables,
)
METADATA: Final = tables.METADATA

for _table in METADATA.tables.values():
    for _index in _table.indexes:
        if _condition := _index.info.get("postgresql_where"):
            _index.dialect_options["postgresql"]["where"] = text(_condition)
