"""The repositories of outbound transactions and of account nonces."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from crossway.domain.outbound import OutboundTx, OutboundTxKind, OutboundTxState
from crossway.ports.records import (
    InFlightTx,
    NewOutboundTx,
    OutboundTxChange,
    PendingNonce,
    TxAttempt,
)
from crossway.ports.shards import ALL_SHARDS, Shards


class OutboundTxRepository(Protocol):
    """Transactions that the service must make for intents, and their signed versions."""

    def enqueue(self, new: Sequence[NewOutboundTx], at: datetime) -> None:
        """Store new ones as DUE. Existing ones are left alone; a cancelled one is DUE again."""
        ...

    def list_due(
        self, chains: Collection[str], now: datetime, limit: int, shards: Shards = ALL_SHARDS
    ) -> list[OutboundTx]:
        """DUE ones whose `next_at` has passed, oldest first."""
        ...

    def list_signed(
        self, chains: Collection[str], limit: int, shards: Shards = ALL_SHARDS
    ) -> list[InFlightTx]:
        """SIGNED ones, oldest first."""
        ...

    def lock_in_state(self, tx_ids: Mapping[int, str | None], state: OutboundTxState) -> set[int]:
        """The ids of those that still are in this state with this transaction id, locked until the
        unit of work ends."""
        ...

    def list_in_state(
        self, chains: Collection[str], state: OutboundTxState, limit: int, min_height: int = -1
    ) -> list[OutboundTx]: ...
    def list_final(
        self, heights: Mapping[str, int], limit: int, shards: Shards = ALL_SHARDS
    ) -> list[OutboundTx]:
        """CONFIRMED ones in blocks at or below the final height of their chain."""
        ...

    def lock_signed(self, tx_ids: Mapping[int, str]) -> dict[int, OutboundTx]:
        """Those that still are SIGNED with this transaction id, locked until the unit of work ends.
        Another engine may have signed one anew since it was read."""
        ...

    def lock(self, ids: Collection[int]) -> dict[int, OutboundTx]: ...
    def get(self, outbound_tx_id: int) -> OutboundTx | None: ...
    def list_by_intents(
        self, intent_ids: Collection[int], kind: OutboundTxKind | None = None
    ) -> list[OutboundTx]: ...
    def list_unsettled(self, intent_ids: Collection[int]) -> list[OutboundTx]:
        """DUE, SIGNED and FAILED ones."""
        ...

    def count_returns(
        self, intent_ids: Collection[int], since: datetime
    ) -> dict[int, tuple[int, datetime]]:
        """By payment, how many returns were sent since an instant, and when the first of them last
        changed; payments without one are left out."""
        ...

    def list_newest(self, intent_id: int, limit: int) -> list[OutboundTx]:
        """Oldest first: all but the returns, of which there may be many, and the newest returns."""
        ...

    def count_by_intent(self, intent_id: int) -> int: ...
    def update(self, changes: Sequence[OutboundTxChange], at: datetime) -> None: ...
    def redirect(self, outbound_tx_id: int, to_address: str) -> None: ...
    def list_attempts(self, outbound_tx_ids: Collection[int]) -> list[TxAttempt]: ...
    def add_attempts(self, attempts: Sequence[TxAttempt]) -> None:
        """Store signed versions. Those of one transaction have the same bytes."""
        ...

    def list_sharing(self, tx_ids: Collection[str]) -> dict[str, list[int]]:
        """By transaction, the ids of the outbound transactions that it carries out, in order."""
        ...

    def list_still_signed(self, ids: Collection[int], tx_id: str) -> set[int]:
        """Those that are SIGNED with this transaction id, whoever has locked them."""
        ...

    def find_own_tx_ids(self, chain: str, tx_ids: Collection[str]) -> set[str]:
        """The transactions that are attempts of this service."""
        ...

    def list_overdue(
        self, kinds: Collection[OutboundTxKind], before: datetime, limit: int
    ) -> list[OutboundTx]:
        """DUE ones whose `next_at`, and SIGNED ones whose signing, was before an instant."""
        ...

    def list_needing_attention(self, limit: int) -> list[OutboundTx]:
        """Open or failed ones with a reason, which may need an operator; without failed starts and
        fills of refunded payments."""
        ...

    def reset_backoff(self, now: datetime) -> None:
        """After the clock went back: DUE ones wait from now as long as they were meant to wait."""
        ...


class AccountNonceRepository(Protocol):
    """The nonces of our accounts: which are reserved, and which are still pending."""

    def reserve(self, chain: str, account: str, count: int, at_least: int) -> int:
        """Reserve `count` consecutive nonces, not below `at_least`; returns the first. Nobody else
        reserves nonces of this account until the unit of work ends."""
        ...

    def get_range(self, chain: str, account: str) -> tuple[int, int] | None:
        """The first nonce that was ever reserved, and the next one to reserve."""
        ...

    def find_waiting_chains(self, chains: Collection[str], since: datetime) -> set[str]:
        """Those of the chains whose oldest SIGNED transaction was first signed before an
        instant."""
        ...

    def list_pending(self, chain: str) -> list[PendingNonce]:
        """The nonces of the newest attempts of all SIGNED and CONFIRMED transactions."""
        ...
