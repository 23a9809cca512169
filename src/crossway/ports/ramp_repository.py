"""The repositories of ramp orders, KYC customers and encrypted values."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

from crossway.domain.bridge_transfer import BridgeTransfer
from crossway.domain.clients import Mode, Owner, OwnerFilter
from crossway.domain.ramps import OrderEvent, OrderState, ProviderName, RampOrder
from crossway.ports.search_repository import Count


@dataclass(frozen=True, slots=True)
class OrderFilter(OwnerFilter):
    """Filters a list of orders; an empty field matches all. `text` is an order id, either
    reference, an intent address, a wallet or a transaction hash. Orders were created from `start`,
    included, to `end`, excluded. They are listed newest first and behind `before_id`, or
    `oldest_first` and behind `after_id`; within a period in the order of these times unless
    `by_number`."""

    states: tuple[OrderState, ...] = ()
    direction: str | None = None
    provider: str | None = None
    currency: str | None = None
    customer_ids: tuple[str, ...] = ()
    text: str = ""
    start: datetime | None = None
    end: datetime | None = None
    before_id: int | None = None
    after_id: int | None = None
    oldest_first: bool = False
    by_number: bool = False

    @property
    def by_time(self) -> bool:
        """Whether the list is in the order of creation times."""
        return not self.by_number and (self.start is not None or self.end is not None)


@dataclass(frozen=True, slots=True)
class OrderChange:
    """One event applied to one order: `before` as locked, `after` to be stored. `transfer` is the
    bridge transfer of its payment, which what is published of the event tells of."""

    before: RampOrder
    after: RampOrder
    event: OrderEvent
    note: str = ""
    transfer: BridgeTransfer | None = None


@dataclass(frozen=True, slots=True)
class OrderTransition:
    """One entry of an order's history."""

    id: str
    order_id: int
    at: datetime
    event: str
    from_state: OrderState | None
    to_state: OrderState
    note: str


@dataclass(frozen=True, slots=True)
class KycCustomer:
    """The end user of an order, as one owner knows them: what a client hands in or reads about a
    person is that client's alone. `email_index` is the keyed digest of the address; it and
    `encrypted_email` are None after an erasure."""

    id: str
    client_id: str
    mode: Mode
    email_index: str | None
    encrypted_email: bytes | None
    created_at: datetime
    erased_at: datetime | None


@dataclass(frozen=True, slots=True)
class KycSubmission:
    """One field or document that was submitted for a provider's KYC check of a customer;
    `media_type` is empty for a field."""

    customer_id: str
    provider: ProviderName
    country: str
    field: str
    media_type: str
    encrypted_value: bytes
    at: datetime


@dataclass(frozen=True, slots=True)
class KycSubmissionSync:
    """A pending transmission of a customer's submissions to a provider. A later submission replaces
    it under a new `sync_id`; `next_at` is the next attempt, None once the provider refused."""

    customer_id: str
    provider: ProviderName
    country: str
    sync_id: str
    attempt_count: int
    next_at: datetime | None


@dataclass(frozen=True, slots=True)
class KycUsage:
    """The value in micro-USD of a person's orders with a provider, without those that were never
    paid or were refunded: of one owner, and of all clients in the owner's mode."""

    own_micro_usd: int = 0
    person_micro_usd: int = 0


class OrderRepository(Protocol):
    """Ramp orders and their history. Adding or changing one adds `ramp_order_updated` to the
    outbox."""

    def add(self, order: RampOrder) -> RampOrder:
        """Store a new order (its id is assigned)."""
        ...

    def get(self, order_id: int) -> RampOrder | None: ...
    def get_many(self, ids: Collection[int]) -> dict[int, RampOrder]: ...
    def find_by_intent_address(self, address: str) -> RampOrder | None: ...
    def find_ids_by_provider_reference(
        self, provider: str, references: Collection[str]
    ) -> dict[str, int]:
        """Order ids by the provider's own reference."""
        ...

    def lock(self, ids: Collection[int]) -> dict[int, RampOrder]:
        """The current orders, locked until the unit of work ends."""
        ...

    def list_page(self, filter: OrderFilter, limit: int, offset: int = 0) -> list[RampOrder]:
        """In the order of the filter."""
        ...

    def count(self, filter: OrderFilter, max_tested: int) -> Count:
        """How many orders match: exactly for an owner and states, else among the first `max_tested`
        of an index."""
        ...

    def count_by_state(self, owners: OwnerFilter) -> dict[OrderState, int]: ...

    def apply(self, changes: Sequence[OrderChange]) -> None:
        """Store changes with their history. A NOTED event adds nothing to the outbox. Raises
        `ConcurrentUpdate` when an order is not at `before` any more."""
        ...

    def list_transitions(self, order_id: int) -> list[OrderTransition]: ...

    def has_due(self, now: datetime) -> bool: ...
    def lease_due(self, now: datetime, limit: int, until: datetime) -> list[RampOrder]:
        """Orders whose `next_at` has passed, oldest first; their `next_at` becomes `until`, so that
        no other engine takes them meanwhile."""
        ...

    def reschedule(self, order_id: int, attempt_count: int, at: datetime | None) -> None:
        """Set when the engine polls an order next, None for never; without event or history."""
        ...

    def wake(self, ids: Collection[int], at: datetime) -> None:
        """Poll these orders at an instant if that is sooner."""
        ...

    def reset_backoff(self, now: datetime, max_wait: timedelta) -> None:
        """After the clock went back: orders that would wait longer than `max_wait` are due now."""
        ...

    def find_processed_updates(self, provider: str, update_ids: Sequence[str]) -> set[str]:
        """The ids of those of a provider's updates that were applied before."""
        ...

    def record_processed_updates(
        self, provider: str, update_ids: Collection[str], at: datetime
    ) -> None:
        """Store the ids of a provider's updates that were applied."""
        ...


class KycCustomerRepository(Protocol):
    """KYC customers, found by a keyed digest of their e-mail address, and their submissions."""

    def find(self, owner: Owner, email_index: str) -> KycCustomer | None:
        """The person with this address, as the owner knows them."""
        ...

    def list_by_email(self, owners: OwnerFilter, email_index: str) -> list[KycCustomer]:
        """The person with this address, as each of these owners knows them."""
        ...

    def get(self, customer_id: str) -> KycCustomer | None: ...
    def get_many(self, ids: Collection[str]) -> dict[str, KycCustomer]:
        """The customers with these ids, by id; unknown ones are left out."""
        ...

    def lock(self, customer_id: str) -> KycCustomer | None:
        """The customer; the person is locked for every owner until the unit of work ends."""
        ...

    def add(self, customer: KycCustomer) -> KycCustomer:
        """Store a customer; returns the existing one when the owner knows the address."""
        ...

    def get_usage(self, owner: Owner, email_index: str, provider: str, month: datetime) -> KycUsage:
        """What a person used of a provider's limits since the beginning of a month, erased records
        included."""
        ...

    def save_submissions(self, submissions: Sequence[KycSubmission]) -> None:
        """Store submissions; a field submitted again is replaced."""
        ...

    def list_submissions(
        self, customer_id: str, provider: str, country: str
    ) -> list[KycSubmission]: ...
    def list_submitted_fields(
        self, customer_id: str, provider: str, country: str
    ) -> frozenset[str]: ...

    def schedule_sync(self, sync: KycSubmissionSync) -> None:
        """Store a pending transmission, in place of an earlier one."""
        ...

    def get_sync(
        self, customer_id: str, provider: str, country: str
    ) -> KycSubmissionSync | None: ...
    def delete_sync(self, sync_id: str) -> None:
        """Delete a transmission that was made, unless it was replaced since."""
        ...

    def update_sync(self, sync: KycSubmissionSync) -> None:
        """Store attempt count and next attempt, unless it was replaced since."""
        ...

    def has_due_syncs(self, now: datetime) -> bool: ...
    def lease_due_syncs(
        self, now: datetime, limit: int, until: datetime
    ) -> list[KycSubmissionSync]:
        """Transmissions whose `next_at` has passed; their `next_at` becomes `until`."""
        ...

    def find_open_order(self, customer_id: str) -> int | None:
        """The id of an order of this customer that has not ended."""
        ...

    def erase(self, customer_id: str, at: datetime, month: datetime) -> int:
        """Delete the address, its digest and the submissions of a customer, and the personal data
        of their orders, which stay; returns the number of these. What the person used since the
        beginning of the month is kept under the digest until the month is over."""
        ...


class EncryptedValueRepository(Protocol):
    """Every encrypted value in the database, for key rotation, and secrets stored by name."""

    def store_secret(self, name: str, encrypted_value: bytes) -> bytes:
        """Store a secret unless there is one of this name; returns the stored one."""
        ...

    def get_secret(self, name: str) -> bytes | None: ...
    def list_kinds(self) -> list[str]:
        """Every kind of encrypted value, in the order in which to re-encrypt them."""
        ...

    def list_sealed_kinds(self) -> list[str]:
        """The kinds that are text and were stored unencrypted by earlier versions."""
        ...

    def seal_page(self, kind: str, limit: int, after: int) -> tuple[int, int | None]:
        """Encrypt what is not encrypted in the next rows of a kind; returns how many values, and
        the row to go on after, None at the end."""
        ...

    def lock_page(self, kind: str, limit: int, after: int | str | None) -> list[tuple[Any, bytes]]:
        """(row key, encrypted value) of a kind, locked until the unit of work ends."""
        ...

    def replace(self, kind: str, values: Mapping[Any, bytes]) -> None: ...
