"""The encrypted columns of all tables, for key rotation, and secrets stored by name."""

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import Connection, Table, select, update

from crossway.storage.bulk_sql import per_dialect
from crossway.storage.ramp_tables import kyc_customers, kyc_submissions, orders, stored_secrets
from crossway.storage.staff_tables import staff, staff_authenticators
from crossway.storage.webhook_tables import webhooks

# Values of a column that is missing here are lost when their key is removed. Stored secrets come
# last: the start of the service checks the key against them.
ENCRYPTED_COLUMNS: Final[tuple[tuple[Table, str, str], ...]] = (
    (orders, "id", "encrypted_fields"),
    (kyc_customers, "id", "encrypted_email"),
    (kyc_submissions, "id", "encrypted_value"),
    (staff, "id", "encrypted_email"),
    (staff_authenticators, "member_id", "encrypted_secret"),
    (webhooks, "id", "secret"),
    (webhooks, "id", "old_secret"),
    (stored_secrets, "name", "encrypted_value"),
)
_ADD_SECRET = per_dialect(lambda insert_into: insert_into(stored_secrets).on_conflict_do_nothing())


class SqlEncryptedValues:
    """`ports.ramp_repository.EncryptedValueRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def store_secret(self, name: str, encrypted_value: bytes) -> bytes:
        self._db.execute(
            _ADD_SECRET[self._db.dialect.name], {"name": name, "encrypted_value": encrypted_value}
        )
        return self.get_secret(name) or encrypted_value

    def get_secret(self, name: str) -> bytes | None:
        query = select(stored_secrets.c.encrypted_value).where(stored_secrets.c.name == name)
        encrypted_value = self._db.execute(query).scalar_one_or_none()
        return None if encrypted_value is None else bytes(encrypted_value)

    def list_kinds(self) -> list[str]:
        return [f"{table.name}.{column}" for table, _, column in ENCRYPTED_COLUMNS]

    def lock_page(self, kind: str, limit: int, after: int | str | None) -> list[tuple[Any, bytes]]:
        table, key, column = _column_of(kind)
        query = select(table.c[key], table.c[column]).where(table.c[column].is_not(None))
        if after is not None:
            query = query.where(table.c[key] > after)
        rows = self._db.execute(query.order_by(table.c[key]).limit(limit).with_for_update())
        return [(row[0], bytes(row[1])) for row in rows.all()]

    def replace(self, kind: str, values: Mapping[Any, bytes]) -> None:
        table, key, column = _column_of(kind)
        for row_key, encrypted_value in values.items():
            changed = update(table).where(table.c[key] == row_key)
            self._db.execute(changed.values({column: encrypted_value}))


def _column_of(kind: str) -> tuple[Table, str, str]:
    return next(entry for entry in ENCRYPTED_COLUMNS if f"{entry[0].name}.{entry[2]}" == kind)
