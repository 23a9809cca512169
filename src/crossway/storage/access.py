"""Clients, keys and idempotent answers as stored."""

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from crossway.domain.clients import Client, Key
from crossway.ports.records import Remembered
from crossway.storage.rows import client_of, client_row, instant, key_of, key_row, micros
from crossway.storage.sets import for_each_database
from crossway.storage.tables import api_keys, clients, idempotency

# An INSERT's rowcount is not told by every driver; what it returns is.
_OPEN = for_each_database(
    lambda put: put(idempotency).on_conflict_do_nothing().returning(idempotency.c.key)
)
_OF_KEY = (
    idempotency.c.client_id == bindparam("b_client"),
    idempotency.c.key == bindparam("b_key"),
)
_ANSWERED = select(idempotency).where(*_OF_KEY)
_ANSWER = (
    update(idempotency)
    .where(*_OF_KEY)
    .values(status=bindparam("b_status"), body=bindparam("b_body"))
)


class Access:
    """`ports.store.AccessRecords` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def add_client(self, client: Client) -> None:
        self._db.execute(insert(clients), client_row(client))

    def change_client(self, client: Client) -> None:
        row = client_row(client)
        del row["id"], row["created_at"]
        self._db.execute(update(clients).where(clients.c.id == client.id).values(**row))

    def client(self, client_id: str) -> Client | None:
        row = self._db.execute(select(clients).where(clients.c.id == client_id)).first()
        return None if row is None else client_of(row)

    def clients(self) -> list[Client]:
        rows = self._db.execute(select(clients).order_by(clients.c.created_at, clients.c.id))
        return [client_of(row) for row in rows]

    def add_key(self, key: Key, secret_hash: str) -> int:
        made = self._db.execute(
            insert(api_keys).returning(api_keys.c.id), key_row(key, secret_hash)
        )
        return int(made.scalar_one())

    def key(self, key_id: int) -> Key | None:
        row = self._db.execute(select(api_keys).where(api_keys.c.id == key_id)).first()
        return None if row is None else key_of(row)

    def change_key(self, key: Key) -> None:
        changed = ("scopes", "ends_at", "requests_per_minute", "addresses")
        row = key_row(key, "")
        self._db.execute(
            update(api_keys)
            .where(api_keys.c.id == key.id)
            .values(**{name: row[name] for name in changed})
        )

    def key_by_hash(self, secret_hash: str) -> tuple[Key, Client] | None:
        row = self._db.execute(
            select(api_keys).where(api_keys.c.secret_hash == secret_hash)
        ).first()
        if row is None:
            return None
        client = self.client(row.client_id)
        return None if client is None else (key_of(row), client)

    def keys(self, client_id: str | None = None) -> list[Key]:
        query = select(api_keys).order_by(api_keys.c.id)
        if client_id is not None:
            query = query.where(api_keys.c.client_id == client_id)
        return [key_of(row) for row in self._db.execute(query)]

    def revoke_key(self, key_id: int, at: datetime) -> bool:
        done = self._db.execute(
            update(api_keys)
            .where(api_keys.c.id == key_id, api_keys.c.revoked_at.is_(None))
            .values(revoked_at=micros(at))
        )
        return done.rowcount == 1

    def touch_keys(self, used: Mapping[int, datetime]) -> None:
        if used:
            self._db.execute(
                update(api_keys)
                .where(api_keys.c.id == bindparam("b_id"))
                .values(last_used_at=bindparam("b_at")),
                [{"b_id": key_id, "b_at": micros(at)} for key_id, at in sorted(used.items())],
            )

    def remembered(self, client_id: str, key: str) -> Remembered | None:
        row = self._db.execute(_ANSWERED, {"b_client": client_id, "b_key": key}).first()
        if row is None:
            return None
        return Remembered(row.body_hash, instant(row.at), row.status, row.body)

    def remember(self, client_id: str, key: str, body_hash: str, at: datetime) -> bool:
        put = self._db.execute(
            _OPEN[self._db.dialect.name],
            {
                "client_id": client_id,
                "key": key,
                "body_hash": body_hash,
                "at": micros(at),
                "status": None,
                "body": b"",
            },
        )
        return put.first() is not None

    def answer(self, client_id: str, key: str, status: int, body: bytes) -> None:
        self._db.execute(
            _ANSWER, {"b_client": client_id, "b_key": key, "b_status": status, "b_body": body}
        )

    def forget(self, client_id: str, key: str) -> None:
        self._db.execute(
            delete(idempotency).where(
                idempotency.c.client_id == client_id, idempotency.c.key == key
            )
        )

    def forget_before(self, at: datetime) -> int:
        gone = self._db.execute(delete(idempotency).where(idempotency.c.at < micros(at)))
        return gone.rowcount
