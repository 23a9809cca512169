"""The repository of standing addresses and their deposits."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from crossway.domain.clients import OwnerFilter
from crossway.domain.deposits import IncomingTransfer
from crossway.domain.standing import StandingAddress, StandingDeposit, StandingState
from crossway.ports.intent_repository import AddressRow
from crossway.ports.shards import ALL_SHARDS, Shards


@dataclass(frozen=True, slots=True)
class StandingDepositFilter(OwnerFilter):
    """Which deposits a list has: of one standing address, in some states; None for all."""

    number: int | None = None
    states: tuple[StandingState, ...] | None = None


class StandingRepository(Protocol):
    """Standing addresses and what came to them."""

    def add(self, address: StandingAddress) -> StandingAddress:
        """Store a new one; its number is assigned."""
        ...

    def find(self, name: str) -> StandingAddress | None:
        """By its id as clients have it."""
        ...

    def lock(self, name: str) -> StandingAddress | None:
        """The current one, locked until the unit of work ends."""
        ...

    def get_many(self, numbers: Collection[int]) -> dict[int, StandingAddress]: ...
    def find_by_addresses(self, addresses: Collection[str]) -> dict[str, StandingAddress]:
        """Those of the addresses that are standing ones."""
        ...

    def update_rules(self, address: StandingAddress) -> None:
        """Store its rules, reference and metadata."""
        ...

    def list_page(
        self, owners: OwnerFilter, limit: int, before: int | None = None
    ) -> list[StandingAddress]:
        """Newest first, before a number."""
        ...

    def list_addresses(self, after: int = 0) -> Iterator[AddressRow]:
        """Number, source chain and address of all after a number, oldest first; a few at a time,
        while the unit of work lasts."""
        ...

    def get_newest_number(self) -> int:
        """The highest number; 0 where there is none."""
        ...

    def list_added_addresses(self, after: int, numbers: Collection[int]) -> list[AddressRow]:
        """As `list_addresses`, with those of these numbers that are stored."""
        ...

    def record(
        self, new: Sequence[tuple[StandingAddress, IncomingTransfer, int]], at: datetime
    ) -> None:
        """Store transfers to standing addresses, each with the confirmations that it needs. Known
        ones are left alone; an orphaned one becomes SEEN in its new block."""
        ...

    def list_ready(
        self, heads: Mapping[str, int], now: datetime, limit: int, shards: Shards = ALL_SHARDS
    ) -> list[StandingDeposit]:
        """Of the chains of these heads, SEEN ones with enough confirmations, and those that wait
        or are forwarded and are to be looked at again."""
        ...

    def lock_deposits(self, ids: Collection[int]) -> dict[int, StandingDeposit]:
        """The current deposits, locked until the unit of work ends."""
        ...

    def lock_from_height(self, chain: str, height: int) -> list[StandingDeposit]:
        """Those in blocks from a height on that are not orphaned, locked until the unit of work
        ends."""
        ...

    def get_deposit(self, id: int) -> StandingDeposit | None: ...
    def get_deposits(self, ids: Collection[int]) -> dict[int, StandingDeposit]: ...
    def get_deposits_of_intents(self, intent_ids: Collection[int]) -> dict[int, StandingDeposit]:
        """By payment, the deposit that it was made for."""
        ...

    def update_deposits(self, changes: Sequence[tuple[StandingDeposit, StandingDeposit]]) -> None:
        """Store (before, after) of locked deposits, with the event of each change. Raises
        `InvalidTransition`."""
        ...

    def list_deposits(
        self, filter: StandingDepositFilter, limit: int, before: int | None = None
    ) -> list[StandingDeposit]:
        """Newest first, before an id."""
        ...

    def list_paid_to(self, chain: str, from_number: int, limit: int) -> list[int]:
        """The numbers of standing addresses at which there are deposits on a chain, from one on,
        lowest first."""
        ...

    def list_there(self, chain: str, numbers: Collection[int]) -> list[StandingDeposit]:
        """The deposits at these standing addresses on a chain that have not left, as far as is
        booked, oldest first."""
        ...
