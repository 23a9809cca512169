"""The repository of clients, their API keys and idempotent responses."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from crossway.domain.clients import ApiKey, Client, Owner
from crossway.ports.records import IdempotencySlot


class ApiKeyRepository(Protocol):
    """Clients, API keys and idempotency slots."""

    def add_client(self, client: Client) -> None: ...
    def update_client(self, client: Client) -> None: ...
    def get_client(self, client_id: str) -> Client | None: ...
    def list_clients(self) -> list[Client]: ...
    def get_first_client(self) -> Client | None:
        """The oldest one."""
        ...

    def add_api_key(self, key: ApiKey, secret_hash: str) -> int: ...
    def find_api_key(self, secret_hash: str) -> tuple[ApiKey, Client] | None: ...
    def list_api_keys(self, client_id: str | None = None) -> list[ApiKey]: ...
    def get_api_key(self, key_id: int) -> ApiKey | None: ...
    def update_api_key(self, key: ApiKey) -> None:
        """Store scopes, expiry, rate limit and addresses; the rest of a key never changes."""
        ...

    def revoke_api_key(self, key_id: int, at: datetime) -> bool: ...
    def touch_api_keys(self, used: Mapping[int, datetime]) -> None: ...

    def get_idempotency_slot(self, owner: Owner, key: str) -> IdempotencySlot | None: ...
    def find_idempotency_slots(
        self, keys: Collection[tuple[Owner, str]]
    ) -> dict[tuple[Owner, str], IdempotencySlot]:
        """The slots of those keys that have one."""
        ...

    def add_idempotency_slots(self, slots: Sequence[tuple[Owner, str, IdempotencySlot]]) -> None:
        """Store slots of new keys. Raises `ConcurrentUpdate`, after which the work is done again,
        where one is in use already."""
        ...

    def open_idempotency_slot(
        self, owner: Owner, key: str, body_hash: str, at: datetime, holder: str, seconds: float
    ) -> bool:
        """Reserve an idempotency key of an owner for a request, which holds it for that many
        seconds of the database's time; False when it is in use already."""
        ...

    def take_over_idempotency_slot(
        self, owner: Owner, key: str, holder: str, seconds: float
    ) -> bool:
        """Let another request hold a slot without a response; False while its holder holds it."""
        ...

    def renew_idempotency_slots(
        self, held: Collection[tuple[Owner, str, str]], seconds: float
    ) -> None:
        """Prolong slots without a response, each as (owner, key, holder); others stay as they
        are."""
        ...

    def store_response(self, owner: Owner, key: str, holder: str, status: int, body: bytes) -> bool:
        """Store the response of the request that holds the slot; False for another request, and
        where a response of another status is stored."""
        ...

    def release_idempotency_slot(self, owner: Owner, key: str, holder: str) -> None:
        """End the hold on a slot without a response, so that another request may take it over."""
        ...

    def delete_idempotency_slot(self, owner: Owner, key: str) -> None: ...
    def delete_idempotency_slots_before(self, at: datetime) -> int: ...
