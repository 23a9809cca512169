"""What people chose for the lists they work with."""

import json
from typing import Final

from sqlalchemy import Connection, select

from crossway.ports.table_preferences import TablePreference
from crossway.storage.bulk_sql import insert_into
from crossway.storage.staff_tables import table_preferences

_KEY: Final = ("staff_id", "list_name")


class SqlTablePreferences:
    """`ports.table_preferences.TablePreferenceRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def get(self, staff_id: int, list_name: str) -> TablePreference:
        chosen = table_preferences.c
        query = select(chosen.columns, chosen.sort).where(
            chosen.staff_id == staff_id, chosen.list_name == list_name
        )
        row = self._db.execute(query).first()
        if row is None:
            return TablePreference()
        columns, sort = row
        return TablePreference(tuple(json.loads(columns)), sort)

    def set(self, staff_id: int, list_name: str, preference: TablePreference) -> None:
        values = {"columns": json.dumps(preference.columns), "sort": preference.sort}
        upsert = insert_into(self._db, table_preferences).on_conflict_do_update(
            index_elements=_KEY, set_=values
        )
        self._db.execute(upsert, {"staff_id": staff_id, "list_name": list_name} | values)
