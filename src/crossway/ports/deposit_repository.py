"""The repository of deposits: transfers to deposit addresses."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from crossway.domain.deposits import Deposit, DepositPurpose, IncomingTransfer
from crossway.domain.ledger import AddressKey
from crossway.ports.shards import ALL_SHARDS, Shards


class DepositRepository(Protocol):
    """Transfers to deposit addresses."""

    def add(self, incoming: Sequence[tuple[int, IncomingTransfer, int]]) -> None:
        """Store (intent id, transfer, required confirmations). Known deposits are left alone; an
        orphaned one becomes SEEN in its new block."""
        ...

    def list_ready(
        self,
        heads: Mapping[str, int],
        limit: int,
        low_priority: bool = False,
        shards: Shards = ALL_SHARDS,
    ) -> list[Deposit]:
        """SEEN deposits with enough confirmations at these heads, by id: on each chain the first
        `limit` to become ready. Those beyond the first 200 of a payment have low priority: they
        wait in a queue of their own."""
        ...

    def list_ready_for_intent(self, intent_id: int, height: int, limit: int) -> list[Deposit]:
        """SEEN deposits of an intent on its source chain with enough confirmations at a height."""
        ...

    def get(self, deposit_id: int) -> Deposit | None: ...
    def list_by_intents(
        self, intent_ids: Collection[int], newest: int | None = None
    ) -> list[Deposit]:
        """Oldest first; only the newest where a number is given."""
        ...

    def count_by_intent(self, intent_id: int) -> int: ...

    def sum_seen(self, intent_ids: Collection[int]) -> dict[AddressKey, int]:
        """The amounts of their SEEN deposits by payment, chain and token; nothing for zero."""
        ...

    def find_late(self, intent_ids: Collection[int]) -> set[int]:
        """Those of the intents that have a deposit that came after they ended."""
        ...

    def find_orphaned(self, intent_ids: Collection[int]) -> set[int]:
        """Those of the intents that have a deposit that is in no block any more."""
        ...

    def lock_seen(self, deposits: Collection[Deposit]) -> set[int]:
        """The ids of those that still are SEEN in the same block, locked until the unit of work
        ends: a scan may have found one in another block since it was read."""
        ...

    def lock_from_height(self, chain: str, height: int) -> list[Deposit]:
        """Deposits in blocks from a height on that are not orphaned, locked until the unit of work
        ends."""
        ...

    def credit(self, credits: Sequence[tuple[int, DepositPurpose, str]], at: datetime) -> None:
        """Mark (id, purpose, note) as CREDITED. A deposit of a wrong token or chain without a note
        awaits its return."""
        ...

    def mark_orphaned(self, ids: Collection[int], note: str) -> None: ...
    def set_note_of_payments(self, intent_id: int, note: str) -> None:
        """Set the note of the deposits that count towards an intent's amount."""
        ...

    def list_older_seen(self, before: datetime, limit: int) -> list[Deposit]:
        """SEEN deposits older than an instant."""
        ...

    def find_newest_unreturned(self, key: AddressKey) -> int | None:
        """The newest deposit of a wrong token or chain at a place that awaits its return."""
        ...

    def is_unreturned(self, deposit_id: int) -> bool:
        """Whether a deposit of a wrong token or chain awaits its return."""
        ...

    def mark_returned(self, keys: Collection[AddressKey], note: str = "") -> None:
        """No deposit at these places awaits its return any more."""
        ...
