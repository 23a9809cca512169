"""What is remembered of ramp orders and of people, as the store takes it and gives it back."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

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
    """One field or document that a client handed in for a provider's check of somebody, encrypted;
    `media_type` is empty for a field."""

    person_id: str
    provider: ProviderName
    country: str
    key: str
    client_id: str
    media_type: str
    sealed: bytes
    at: datetime


@dataclass(frozen=True, slots=True)
class Handover:
    """That a provider is still to be told what somebody handed in. `mark` names this one; `next_at`
    is when to try again, None once the provider refused."""

    person_id: str
    provider: ProviderName
    country: str
    mark: str
    tries: int
    next_at: datetime | None


@dataclass(frozen=True, slots=True)
class Erased:
    """How many orders lost their fields, and whether nothing of the person is left."""

    orders: int
    whole: bool


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

    def has_due(self, now: datetime) -> bool: ...
    def due(self, now: datetime, limit: int, until: datetime) -> list[RampOrder]:
        """Orders whose `next_at` has come, oldest first; they are put off `until` then, so that no
        other engine takes them at the same time."""
        ...

    def put_off(self, order_id: int, tries: int, at: datetime | None) -> None:
        """Let the engine look at an order again at an instant, or never; no event, no history."""
        ...

    def wake(self, ids: Collection[int], at: datetime) -> None:
        """Let the engine look at these orders from an instant on, if that is sooner."""
        ...

    def hurry(self, now: datetime, most: timedelta) -> None:
        """After the clock went back: no order waits longer than `most` from now."""
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
    def lock(self, person_id: str) -> Person | None:
        """The person, held until the unit of work ends."""
        ...

    def add(self, person: Person, email_index: str) -> Person:
        """Store somebody new; who is known already is answered instead."""
        ...

    def page(self, limit: int, before_id: str | None = None) -> list[Person]:
        """Newest first."""
        ...

    def submit(self, made: Sequence[Submission]) -> None:
        """Store fields; a field handed in again replaces what it was."""
        ...

    def submitted(self, person_id: str, provider: str, country: str) -> list[Submission]: ...
    def submitted_keys(self, person_id: str, provider: str, country: str) -> frozenset[str]: ...

    def hand_over(self, handover: Handover) -> None:
        """Note what a provider is to be told of somebody, in place of what was noted before."""
        ...

    def handover(self, person_id: str, provider: str, country: str) -> Handover | None: ...
    def handed_over(self, mark: str) -> None:
        """Forget one that was told, unless another has taken its place since."""
        ...

    def change_handover(self, handover: Handover) -> None:
        """Store its tries and time, unless another has taken its place since."""
        ...

    def has_due_handovers(self, now: datetime) -> bool: ...
    def due_handovers(self, now: datetime, limit: int, until: datetime) -> list[Handover]:
        """Those whose time has come, put off `until` then."""
        ...

    def open_order_of(self, person_id: str, client_id: str | None = None) -> int | None:
        """An order of this person that has not ended."""
        ...

    def erase(self, person_id: str, at: datetime, client_id: str | None = None) -> Erased:
        """Remove the submissions and the fields of the orders of this person, or only those that
        came through one client; the orders stay. With the last of them go the e-mail address and
        its digest."""
        ...


class SealedRecords(Protocol):
    """Everything that is stored encrypted, for a change of key, and secrets kept by name."""

    def keep(self, name: str, sealed: bytes) -> bytes:
        """Keep a secret that nobody kept before; the one that is kept is answered."""
        ...

    def kept(self, name: str) -> bytes | None: ...
    def kinds(self) -> list[str]:
        """Every kind of encrypted value, in the order in which to encrypt them anew."""
        ...

    def page(self, kind: str, limit: int, after: int | str | None) -> list[tuple[Any, bytes]]:
        """Values of a kind by their key, held until the unit of work ends."""
        ...

    def replace(self, kind: str, values: Mapping[Any, bytes]) -> None: ...
