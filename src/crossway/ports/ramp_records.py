"""What is remembered of ramp orders and of people, as the store takes it and gives it back."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from crossway.domain.ramps import OrderEvent, OrderState, ProviderName, RampOrder


@dataclass(frozen=True, slots=True)
class OrderFilter:
    """Which orders a list shows; an empty field asks nothing. `text` is an order number, either
    reference, an intent address, a wallet or a transaction."""

    client_id: str | None = None
    mode: str | None = None
    states: tuple[OrderState, ...] = ()
    direction: str | None = None
    provider: str | None = None
    currency: str | None = None
    person_id: str | None = None
    text: str = ""
    before_id: int | None = None


@dataclass(frozen=True, slots=True)
class OrderChange:
    """One event applied to one order: `before` as locked, `after` as it shall be stored."""

    before: RampOrder
    after: RampOrder
    event: OrderEvent
    note: str = ""


@dataclass(frozen=True, slots=True)
class OrderMove:
    """One line of an order's history."""

    id: str
    order_id: int
    at: datetime
    event: str
    from_state: OrderState | None
    to_state: OrderState
    note: str


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody an order is for. `email_sealed` is encrypted; None after they were erased."""

    id: str
    email_sealed: bytes | None
    created_at: datetime
    erased_at: datetime | None


@dataclass(frozen=True, slots=True)
class Submission:
    """What somebody handed in for a provider's check, one row a field, encrypted."""

    person_id: str
    provider: ProviderName
    country: str
    key: str
    media_type: str
    sealed: bytes
    at: datetime


class OrderRecords(Protocol):
    """Ramp orders and their history. Adding and changing announce `ramp_order_updated`."""

    def add(self, order: RampOrder) -> RampOrder:
        """Store a new order (its id is assigned)."""
        ...

    def get(self, order_id: int) -> RampOrder | None: ...
    def by_intent(self, address: str) -> RampOrder | None: ...
    def by_provider(self, provider: str, references: Collection[str]) -> dict[str, int]:
        """Order ids by the provider's own reference."""
        ...

    def lock(self, ids: Collection[int]) -> dict[int, RampOrder]:
        """The orders as they stand, held until the unit of work ends."""
        ...

    def page(self, wanted: OrderFilter, limit: int, offset: int = 0) -> list[RampOrder]:
        """Newest first."""
        ...

    def count(self, wanted: OrderFilter) -> int: ...
    def counts(self, client_id: str | None = None) -> dict[OrderState, int]: ...

    def apply(self, changes: Sequence[OrderChange]) -> None:
        """Store changes with their history; each `before` must still stand. One that only NOTED
        something announces nothing."""
        ...

    def moves(self, order_id: int) -> list[OrderMove]: ...

    def due(self, now: datetime, limit: int, until: datetime) -> list[RampOrder]:
        """Orders whose `next_at` has come, oldest first; they are put off `until` then, so that no
        other engine takes them at the same time."""
        ...

    def wake(self, ids: Collection[int], at: datetime) -> None:
        """Let the engine look at these orders from an instant on, if that is sooner."""
        ...

    def seen(self, provider: str, report_ids: Sequence[str]) -> set[str]:
        """Those of a provider's reports that were taken in before."""
        ...

    def see(self, provider: str, order_id: int, reports: Mapping[str, str], at: datetime) -> None:
        """Remember reports (id to outcome) as taken in."""
        ...

    def used_micro_usd(self, person_id: str, provider: str, since: datetime) -> int:
        """What a person's orders with a provider are worth since an instant, less those that
        ended without a payment or were given back."""
        ...


class PeopleRecords(Protocol):
    """People, by a keyed digest of their e-mail address, and what they handed in."""

    def find(self, email_index: str) -> Person | None: ...
    def get(self, person_id: str) -> Person | None: ...
    def add(self, person: Person, email_index: str) -> Person:
        """Store somebody new; who is known already is answered instead."""
        ...

    def page(self, limit: int, before_id: str | None = None) -> list[Person]:
        """Newest first."""
        ...

    def submit(self, submissions: Sequence[Submission]) -> None:
        """Store fields; a field handed in again replaces what it was."""
        ...

    def submitted(self, person_id: str, provider: str) -> list[Submission]: ...

    def erase(self, person_id: str, at: datetime) -> int:
        """Remove the e-mail address, the digest, every submission, and the fields of every order
        of this person; the orders stay. Answers how many orders lost their fields."""
        ...

    def sealed(self, limit: int, after: str) -> list[tuple[str, bytes]]:
        """Encrypted values of every kind, by a name that `reseal` takes, for a change of key."""
        ...

    def reseal(self, values: Mapping[str, bytes]) -> None: ...
