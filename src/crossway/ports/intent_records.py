"""Intents, as the store takes them and gives them back."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from crossway.domain.intent import Intent, State
from crossway.ports.records import Change, IntentFilter, MoveRecord


class IntentRecords(Protocol):
    """Intents, their history and their counts."""

    def add(self, intent: Intent, event_id: str) -> Intent:
        """Store a new intent (its id is assigned) with its `intent_created` announcement."""
        ...

    def get(self, intent_id: int) -> Intent | None: ...
    def by_address(self, address: str) -> Intent | None: ...
    def of(self, ids: Collection[int]) -> dict[int, Intent]: ...

    def worths(self, ids: Collection[int]) -> dict[int, int]:
        """What each of these intents is worth in all, in micro-USD."""
        ...

    def lock(self, ids: Collection[int]) -> dict[int, Intent]:
        """The intents as they stand, held until the unit of work ends."""
        ...

    def page(self, wanted: IntentFilter, limit: int, offset: int = 0) -> list[Intent]:
        """Newest first."""
        ...

    def count(self, wanted: IntentFilter) -> int: ...
    def counts(self, client_id: str | None = None) -> dict[State, int]: ...

    def known(self, addresses: Collection[str]) -> dict[str, int]:
        """Intent ids by deposit address, for those of the addresses that are ours."""
        ...

    def watched(self, chain: str, ended_after: datetime) -> list[str]:
        """Deposit addresses on a chain that are open, or ended after an instant."""
        ...

    def expiring(self, by: Mapping[str, datetime], limit: int) -> dict[str, list[int]]:
        """By source chain: intents not started whose time is over by the chain's own time, with
        no start in flight."""
        ...

    def apply(self, changes: Sequence[Change]) -> None:
        """Store states, counts, history and announcements; each `before` must still stand."""
        ...

    def moves(self, intent_ids: Collection[int]) -> list[MoveRecord]: ...
    def recent_moves(self, limit: int, after_id: int = 0) -> list[tuple[int, MoveRecord]]: ...

    def committed(self, destination_chain: str, token: str) -> int:
        """Units the relayer still owes there: of intents started, or with a start in flight."""
        ...

    def reserved(self) -> dict[str, tuple[int, int]]:
        """By destination chain: how many payments are started and not paid out, and what they are
        worth in micro-USD."""
        ...

    def lingering(self, state: State, before: datetime, limit: int) -> list[Intent]:
        """Those in a state for longer than since an instant, by their number."""
        ...
