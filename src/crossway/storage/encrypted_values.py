"""The encrypted columns of all tables, for key rotation, and secrets stored by name."""

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import Connection, Table, Text, select, update

from crossway.storage.billing_tables import invoices, mails, subscriptions
from crossway.storage.bulk_sql import per_dialect
from crossway.storage.export_tables import export_chunks
from crossway.storage.ramp_tables import (
    kyc_customers,
    kyc_submissions,
    order_transitions,
    orders,
    stored_secrets,
)
from crossway.storage.sealing import PREFIX, seal_plain
from crossway.storage.search_tables import notes
from crossway.storage.service_tables import request_log
from crossway.storage.staff_tables import staff, staff_authenticators
from crossway.storage.webhook_tables import delivery_attempts, outbox, webhooks

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
    (export_chunks, "id", "encrypted_content"),
    (stored_secrets, "name", "encrypted_value"),
)
# Columns of text, a part of whose values may not be encrypted yet.
SEALED_COLUMNS: Final[tuple[tuple[Table, str], ...]] = (
    (orders, "widget_url"),
    (orders, "instructions"),
    (orders, "failure_reason"),
    (orders, "metadata"),
    (order_transitions, "note"),
    (outbox, "snapshot"),
    (request_log, "request_body"),
    (request_log, "response_body"),
    (delivery_attempts, "error"),
    (delivery_attempts, "headers"),
    (delivery_attempts, "response"),
    (notes, "text"),
    (subscriptions, "content"),
    (invoices, "content"),
    (mails, "message"),
)
_COLUMNS: Final = (
    *ENCRYPTED_COLUMNS[:-1],
    *((table, "id", name) for table, name in SEALED_COLUMNS),
    ENCRYPTED_COLUMNS[-1],
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

    def list_sealed_kinds(self) -> list[str]:
        return [f"{table.name}.{column}" for table, column in SEALED_COLUMNS if table is not outbox]

    def list_kinds(self) -> list[str]:
        return [f"{table.name}.{column}" for table, _, column in _COLUMNS]

    def lock_page(self, kind: str, limit: int, after: int | str | None) -> list[tuple[Any, bytes]]:
        table, key, column = _column_of(kind)
        is_text = isinstance(table.c[column].type, Text)
        query = select(table.c[key], table.c[column]).where(
            table.c[column].startswith(PREFIX) if is_text else table.c[column].is_not(None)
        )
        if after is not None:
            query = query.where(table.c[key] > after)
        rows = self._db.execute(query.order_by(table.c[key]).limit(limit).with_for_update())
        return [
            (row[0], row[1].removeprefix(PREFIX).encode() if is_text else bytes(row[1]))
            for row in rows.all()
        ]

    def replace(self, kind: str, values: Mapping[Any, bytes]) -> None:
        table, key, column = _column_of(kind)
        is_text = isinstance(table.c[column].type, Text)
        for row_key, encrypted_value in values.items():
            changed = update(table).where(table.c[key] == row_key)
            value = PREFIX + encrypted_value.decode() if is_text else encrypted_value
            self._db.execute(changed.values({column: value}))

    def seal_page(self, kind: str, limit: int, after: int) -> tuple[int, int | None]:
        table, _, column = _column_of(kind)
        return seal_plain(self._db, table, table.c[column], limit, after)


def _column_of(kind: str) -> tuple[Table, str, str]:
    return next(entry for entry in _COLUMNS if f"{entry[0].name}.{entry[2]}" == kind)
