"""The repository of intents and their history."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final, Protocol

from crossway.domain.clients import OwnerFilter
from crossway.domain.intent import Intent, State
from crossway.ports.records import IntentChange, IntentFilter, OpenPair, TransitionRecord
from crossway.ports.shards import ALL_SHARDS, Shards

RECENT_TRANSITIONS: Final = 2_000
AddressRow = tuple[int, str, str]
"""An intent's id, source chain and deposit address."""


class IntentRepository(Protocol):
    """Intents, their transitions and their counts."""

    def add(self, intent: Intent, event_id: str) -> Intent:
        """Store a new intent (its id is assigned) and its `intent_created` event."""
        ...

    def add_all(self, new: Sequence[tuple[Intent, str]]) -> list[Intent]:
        """As `add` for many intents, each with the id of its event, in the order of their ids."""
        ...

    def get(self, intent_id: int) -> Intent | None: ...
    def find_by_address(self, address: str) -> Intent | None: ...
    def get_many(self, ids: Collection[int]) -> dict[int, Intent]:
        """What events never change, such as the terms, may be what was read before."""
        ...

    def get_whole(self, ids: Collection[int]) -> dict[int, Intent]:
        """As they are stored now, to the last field."""
        ...

    def get_usd_values(self, ids: Collection[int]) -> dict[int, int]:
        """The value of each intent with all fees, in micro-USD."""
        ...

    def get_payouts(self, ids: Collection[int]) -> dict[int, tuple[str, str, int]]:
        """What each intent pays out: the chain, the token and the amount in its smallest unit."""
        ...

    def find_over_bridges(self, ids: Collection[int]) -> dict[int, str]:
        """Those whose deposits a bridge's contract alone decides about, with that contract."""
        ...

    def lock(self, ids: Collection[int]) -> dict[int, Intent]:
        """The current intents, locked until the unit of work ends."""
        ...

    def list_page(self, filter: IntentFilter, limit: int, offset: int = 0) -> list[Intent]:
        """Newest first."""
        ...

    def count_by_state(self, owners: OwnerFilter) -> dict[State, int]: ...

    def find_deposit_addresses(self, addresses: Collection[str]) -> set[str]:
        """Those of the addresses that belong to any intent, archived ones included, on its source
        chain or its destination."""
        ...

    def find_ids_by_address(self, addresses: Collection[str]) -> dict[str, int]:
        """Intent ids by deposit address; addresses of no intent are left out."""
        ...

    def list_settlement_accounts(self, chain: str) -> set[tuple[str, str]]:
        """Collecting account and coordinator of all payments whose source is a chain, each pair
        once. Reads all of them."""
        ...

    def list_watched_addresses(self, chain: str, ended_after: datetime) -> list[str]:
        """Deposit addresses on a chain of intents that are open or expire after an instant."""
        ...

    def list_addresses(self, ended_after: datetime) -> Iterator[AddressRow]:
        """As `list_watched_addresses`, of every chain, oldest first; a few at a time, while the
        unit of work lasts. Reads all intents."""
        ...

    def list_added_addresses(self, after_id: int, ids: Collection[int]) -> list[AddressRow]:
        """The addresses of all intents after an id, and of those of these ids that are stored,
        oldest first."""
        ...

    def get_newest_id(self) -> int:
        """The highest id of an intent; 0 where there is none."""
        ...

    def list_expired(
        self, times: Mapping[str, datetime], limit: int, shards: Shards = ALL_SHARDS
    ) -> dict[str, list[int]]:
        """Ids by source chain of intents that are past their expiry at the chain's own time, are
        not started and have no start in flight."""
        ...

    def apply(self, changes: Sequence[IntentChange]) -> None:
        """Store states, counts, transitions and outbox events. Raises `ConcurrentUpdate` when an
        intent is not in the state of `before` any more."""
        ...

    def list_transitions(
        self, intent_ids: Collection[int], newest: int | None = None
    ) -> list[TransitionRecord]:
        """Oldest first. Where a number is given, only the newest and those that changed the
        state."""
        ...

    def count_transitions(self, intent_id: int) -> int: ...
    def list_recent_transitions(
        self, owners: OwnerFilter, limit: int, after_id: int = 0
    ) -> list[tuple[int, TransitionRecord]]:
        """The newest, newest first, with their numbers. Those of one owner are looked for among the
        newest `RECENT_TRANSITIONS` of all."""
        ...

    def sum_committed_payouts(self, destination_chain: str, token: str) -> int:
        """The amount that the relayer still has to pay out there of what it has: of intents that
        are started or have a start in flight. What a bridge is to bring for one is left out until
        it is sent: from then on it may be there already."""
        ...

    def sum_started_by_chain(self) -> dict[str, tuple[int, int]]:
        """By destination chain: count and value in micro-USD of payments out of inventory that are
        started and not paid out."""
        ...

    def list_open_pairs(self) -> list[OpenPair]:
        """Open payments that pay out another token than is deposited, by pair of tokens."""
        ...

    def list_older_in_state(self, state: State, before: datetime, limit: int) -> list[Intent]:
        """Intents in a state since before an instant, by id."""
        ...
