"""Everything that is stored encrypted, in one list, and the few secrets that Crossway keeps."""

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import Connection, Table, select, update

from crossway.storage.ramp_tables import orders, people, secrets_kept, submissions
from crossway.storage.sets import for_each_database
from crossway.storage.staff_tables import staff
from crossway.storage.webhook_tables import webhooks

# A column that is missing here is lost when its key is taken away. What is kept under a name comes
# last: it tells at a start whether the key is the right one.
SEALED: Final[tuple[tuple[Table, str, str], ...]] = (
    (orders, "id", "sealed"),
    (people, "id", "email_sealed"),
    (submissions, "id", "sealed"),
    (staff, "id", "email_sealed"),
    (webhooks, "id", "secret"),
    (webhooks, "id", "old_secret"),
    (secrets_kept, "name", "sealed"),
)
_KEEP = for_each_database(lambda put: put(secrets_kept).on_conflict_do_nothing())


class Sealed:
    """`ports.ramp_records.SealedRecords` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def keep(self, name: str, sealed: bytes) -> bytes:
        self._db.execute(_KEEP[self._db.dialect.name], {"name": name, "sealed": sealed})
        return self.kept(name) or sealed

    def kept(self, name: str) -> bytes | None:
        query = select(secrets_kept.c.sealed).where(secrets_kept.c.name == name)
        found = self._db.execute(query).scalar_one_or_none()
        return None if found is None else bytes(found)

    def kinds(self) -> list[str]:
        return [f"{table.name}.{column}" for table, _, column in SEALED]

    def page(self, kind: str, limit: int, after: int | str | None) -> list[tuple[Any, bytes]]:
        table, key, column = _of(kind)
        query = select(table.c[key], table.c[column]).where(table.c[column].is_not(None))
        if after is not None:
            query = query.where(table.c[key] > after)
        rows = self._db.execute(query.order_by(table.c[key]).limit(limit).with_for_update())
        return [(row[0], bytes(row[1])) for row in rows.all()]

    def replace(self, kind: str, values: Mapping[Any, bytes]) -> None:
        table, key, column = _of(kind)
        for place, sealed in values.items():
            changed = update(table).where(table.c[key] == place)
            self._db.execute(changed.values({column: sealed}))


def _of(kind: str) -> tuple[Table, str, str]:
    return next(one for one in SEALED if f"{one[0].name}.{one[2]}" == kind)
