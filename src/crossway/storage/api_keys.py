"""Clients, API keys and idempotency slots."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any, Final

from sqlalchemy import Connection, bindparam, delete, insert, or_, select, update

from crossway.domain.clients import ApiKey, Client, Owner
from crossway.ports.records import IdempotencySlot
from crossway.sql.in_values import within
from crossway.storage.bulk_sql import per_dialect
from crossway.storage.database_time import MICROS, read_database_time
from crossway.storage.errors import ConcurrentUpdate
from crossway.storage.prepared import execute_each
from crossway.storage.row_mapper import RowMapper, from_micros, to_micros
from crossway.storage.service_tables import idempotency_slots
from crossway.storage.tables import api_keys, clients

CLIENTS: Final = RowMapper(Client, clients)
API_KEYS: Final = RowMapper(ApiKey, api_keys)
# RETURNING tells whether a row was inserted; not every driver reports the rowcount of an INSERT.
_ADD_SLOT = per_dialect(
    lambda result: (
        result(idempotency_slots).on_conflict_do_nothing().returning(idempotency_slots.c.key)
    )
)
_ADD_NEW_SLOT = per_dialect(lambda result: result(idempotency_slots).on_conflict_do_nothing())
_IS_OWNED = (
    idempotency_slots.c.client_id == bindparam("b_client"),
    idempotency_slots.c.mode == bindparam("b_mode"),
)
_IS_SLOT = (*_IS_OWNED, idempotency_slots.c.key == bindparam("b_key"))
_SLOTS = select(idempotency_slots).where(*_IS_OWNED, within(idempotency_slots.c.key, "keys"))
_SLOT = select(idempotency_slots).where(*_IS_SLOT)
_HAS_NO_RESPONSE = idempotency_slots.c.status.is_(None)
_IS_HELD_BY = (*_IS_SLOT, idempotency_slots.c.holder == bindparam("b_holder"))
_STORE_RESPONSE = (
    update(idempotency_slots)
    .where(
        *_IS_HELD_BY,
        or_(_HAS_NO_RESPONSE, idempotency_slots.c.status == bindparam("b_status")),
    )
    .values(status=bindparam("b_status"), body=bindparam("b_body"))
)
_HOLD = update(idempotency_slots).values(held_until=bindparam("b_until"))
_TAKE_OVER = (
    _HOLD.values(holder=bindparam("b_holder"))
    .where(*_IS_SLOT, _HAS_NO_RESPONSE)
    # A holder may have renewed since we read the time. What seems to be held for far longer was
    # taken before the database's clock was set back.
    .where(~idempotency_slots.c.held_until.between(bindparam("b_now"), bindparam("b_longest")))
)
_RENEW = _HOLD.where(*_IS_HELD_BY, _HAS_NO_RESPONSE)
_RELEASE = _RENEW.values(held_until=0)

_CLIENTS = select(clients).order_by(clients.c.created_at, clients.c.id)
_FIRST_CLIENT = _CLIENTS.limit(1)


class SqlApiKeys:
    """`ports.api_key_repository.ApiKeyRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def add_client(self, client: Client) -> None:
        self._db.execute(insert(clients), CLIENTS.encode(client))

    def update_client(self, client: Client) -> None:
        row = CLIENTS.encode(client)
        del row["id"], row["created_at"]
        self._db.execute(update(clients).where(clients.c.id == client.id).values(**row))

    def get_client(self, client_id: str) -> Client | None:
        row = self._db.execute(select(clients).where(clients.c.id == client_id)).first()
        return None if row is None else CLIENTS.decode(row)

    def list_clients(self) -> list[Client]:
        return [CLIENTS.decode(row) for row in self._db.execute(_CLIENTS).all()]

    def get_first_client(self) -> Client | None:
        row = self._db.execute(_FIRST_CLIENT).first()
        return None if row is None else CLIENTS.decode(row)

    def add_api_key(self, key: ApiKey, secret_hash: str) -> int:
        result = self._db.execute(
            insert(api_keys).returning(api_keys.c.id),
            API_KEYS.encode_new(key) | {"secret_hash": secret_hash},
        )
        return int(result.scalar_one())

    def get_api_key(self, key_id: int) -> ApiKey | None:
        row = self._db.execute(select(api_keys).where(api_keys.c.id == key_id)).first()
        return None if row is None else API_KEYS.decode(row)

    def update_api_key(self, key: ApiKey) -> None:
        changed = ("scopes", "expires_at", "requests_per_minute", "addresses")
        row = API_KEYS.encode(key)
        self._db.execute(
            update(api_keys)
            .where(api_keys.c.id == key.id)
            .values(**{name: row[name] for name in changed})
        )

    def find_api_key(self, secret_hash: str) -> tuple[ApiKey, Client] | None:
        row = self._db.execute(
            select(api_keys).where(api_keys.c.secret_hash == secret_hash)
        ).first()
        if row is None:
            return None
        client = self.get_client(row.client_id)
        return None if client is None else (API_KEYS.decode(row), client)

    def list_api_keys(self, client_id: str | None = None) -> list[ApiKey]:
        query = select(api_keys).order_by(api_keys.c.id)
        if client_id is not None:
            query = query.where(api_keys.c.client_id == client_id)
        return [API_KEYS.decode(row) for row in self._db.execute(query)]

    def revoke_api_key(self, key_id: int, at: datetime) -> bool:
        revoked = self._db.execute(
            update(api_keys)
            .where(api_keys.c.id == key_id, api_keys.c.revoked_at.is_(None))
            .values(revoked_at=to_micros(at))
        )
        return revoked.rowcount == 1

    def touch_api_keys(self, used: Mapping[int, datetime]) -> None:
        if used:
            self._db.execute(
                update(api_keys)
                .where(api_keys.c.id == bindparam("b_id"))
                .values(last_used_at=bindparam("b_at")),
                [{"b_id": key_id, "b_at": to_micros(at)} for key_id, at in sorted(used.items())],
            )

    def get_idempotency_slot(self, owner: Owner, key: str) -> IdempotencySlot | None:
        row = self._db.execute(_SLOT, _slot_key(owner, key)).first()
        return None if row is None else _to_slot(row)

    def find_idempotency_slots(
        self, keys: Collection[tuple[Owner, str]]
    ) -> dict[tuple[Owner, str], IdempotencySlot]:
        by_owner: dict[Owner, list[str]] = {}
        for owner, key in keys:
            by_owner.setdefault(owner, []).append(key)
        found = {}
        for owner, own in by_owner.items():
            place = {"b_client": owner.client_id, "b_mode": owner.mode.value, "keys": own}
            for row in self._db.execute(_SLOTS, place).all():
                found[owner, row.key] = _to_slot(row)
        return found

    def add_idempotency_slots(self, slots: Sequence[tuple[Owner, str, IdempotencySlot]]) -> None:
        rows = [
            {
                "client_id": owner.client_id,
                "mode": owner.mode.value,
                "key": key,
                "body_hash": slot.body_hash,
                "at": to_micros(slot.at),
                "status": slot.status,
                "body": slot.body,
                "holder": slot.holder,
                "held_until": 0,
            }
            for owner, key, slot in slots
        ]
        if execute_each(self._db, _ADD_NEW_SLOT[self._db.dialect.name], rows) != len(rows):
            raise ConcurrentUpdate("an idempotency key was stored meanwhile")

    def open_idempotency_slot(
        self, owner: Owner, key: str, body_hash: str, at: datetime, holder: str, seconds: float
    ) -> bool:
        result = self._db.execute(
            _ADD_SLOT[self._db.dialect.name],
            {
                "client_id": owner.client_id,
                "mode": owner.mode.value,
                "key": key,
                "body_hash": body_hash,
                "at": to_micros(at),
                "status": None,
                "body": b"",
                "holder": holder,
                "held_until": self._after(seconds)[1],
            },
        )
        return result.first() is not None

    def take_over_idempotency_slot(
        self, owner: Owner, key: str, holder: str, seconds: float
    ) -> bool:
        now, until = self._after(seconds)
        longest = until + (until - now)
        hold = {"b_holder": holder, "b_now": now, "b_until": until, "b_longest": longest}
        return self._db.execute(_TAKE_OVER, _slot_key(owner, key) | hold).rowcount == 1

    def renew_idempotency_slots(
        self, held: Collection[tuple[Owner, str, str]], seconds: float
    ) -> None:
        if held:
            _, until = self._after(seconds)
            self._db.execute(
                _RENEW,
                [
                    {**_slot_key(owner, key), "b_holder": holder, "b_until": until}
                    for owner, key, holder in sorted(held, key=itemgetter(2))
                ],
            )

    def store_response(self, owner: Owner, key: str, holder: str, status: int, body: bytes) -> bool:
        response = {"b_holder": holder, "b_status": status, "b_body": body}
        return self._db.execute(_STORE_RESPONSE, _slot_key(owner, key) | response).rowcount == 1

    def release_idempotency_slot(self, owner: Owner, key: str, holder: str) -> None:
        self._db.execute(_RELEASE, _slot_key(owner, key) | {"b_holder": holder})

    def delete_idempotency_slot(self, owner: Owner, key: str) -> None:
        self._db.execute(delete(idempotency_slots).where(*_IS_SLOT), _slot_key(owner, key))

    def delete_idempotency_slots_before(self, at: datetime) -> int:
        deleted = self._db.execute(
            delete(idempotency_slots).where(idempotency_slots.c.at < to_micros(at))
        )
        return deleted.rowcount

    def _after(self, seconds: float) -> tuple[int, int]:
        """The time of the database, and that many seconds later."""
        now = read_database_time(self._db)
        return now, now + int(seconds * MICROS)


def _to_slot(row: Any) -> IdempotencySlot:
    return IdempotencySlot(row.body_hash, from_micros(row.at), row.status, row.body, row.holder)


def _slot_key(owner: Owner, key: str) -> dict[str, str]:
    """The parameters that identify an idempotency slot."""
    return {"b_client": owner.client_id, "b_mode": owner.mode.value, "b_key": key}
