"""Records that repositories take and return and that are not part of the domain."""

from dataclasses import dataclass
from datetime import datetime
from typing import Self

from crossway.domain.bridge_transfer import BridgeTransfer
from crossway.domain.clients import Owner, OwnerFilter
from crossway.domain.intent import Intent, IntentEvent, State, Transition
from crossway.domain.outbound import (
    OutboundTx,
    OutboundTxEvent,
    OutboundTxKind,
    OutboundTxState,
    advance_outbound_tx,
)
from crossway.ports.chain import SignedTx


@dataclass(frozen=True, slots=True)
class IntentFilter(OwnerFilter):
    """Filters a list of intents; an empty field matches all. `text` is a whole address,
    transaction hash, sender, recipient or id."""

    states: tuple[State, ...] = ()
    source_chain: str | None = None
    destination_chain: str | None = None
    sender: str | None = None
    text: str = ""
    before_id: int | None = None


@dataclass(frozen=True, slots=True)
class IntentChange:
    """One event applied to one intent: `before` as locked, `after` to be stored; `transfer` is its
    bridge transfer then, for the published event."""

    before: Intent
    after: Intent
    event: IntentEvent
    transition: Transition
    note: str = ""
    transfer: BridgeTransfer | None = None


@dataclass(frozen=True, slots=True)
class OpenPair:
    """Payments that are not ended, from one token to another, and their value in micro-USD.

    `unpaid_micro_usd` is the value of those that payers made by payment links and have not paid."""

    symbol_in: str
    symbol_out: str
    payments: int
    micro_usd: int
    unpaid_micro_usd: int


@dataclass(frozen=True, slots=True)
class TransitionRecord:
    """One entry of an intent's history; `event_type` is None when no event was published."""

    id: str
    intent_id: int
    at: datetime
    event: str
    from_state: State | None
    to_state: State
    event_type: str | None
    note: str


@dataclass(frozen=True, slots=True)
class NewOutboundTx:
    """An outbound transaction to enqueue, once for each (intent_id, kind, cause)."""

    intent_id: int
    kind: OutboundTxKind
    cause: str
    chain: str
    token: str
    amount: int | None
    to_address: str
    next_at: datetime


@dataclass(frozen=True, slots=True)
class OutboundTxChange:
    """The new state of an outbound transaction, stored only if it still is in state `before`.

    `tx_id` None keeps the stored transaction id; `block_height` None clears the stored height.
    """

    id: int
    before: OutboundTxState
    after: OutboundTxState
    attempt_count: int
    reason: str
    next_at: datetime
    tx_id: str | None = None
    block_height: int | None = None

    @classmethod
    def after_event(
        cls,
        tx: OutboundTx,
        event: OutboundTxEvent,
        reason: str,
        next_at: datetime,
        *,
        attempt_count: int | None = None,
        tx_id: str | None = None,
        block_height: int | None = None,
    ) -> Self:
        """The change that an event causes; `attempt_count` None leaves the count as it is.

        Raises `InvalidTransition` when the event cannot happen in the transaction's state."""
        after = advance_outbound_tx(tx.state, event)
        attempts = tx.attempt_count if attempt_count is None else attempt_count
        return cls(tx.id, tx.state, after, attempts, reason, next_at, tx_id, block_height)


@dataclass(frozen=True, slots=True)
class PendingNonce:
    """A nonce that a signed or confirmed transaction has, of which account, and when that was
    signed last."""

    account: str
    nonce: int
    outbound_tx_id: int
    intent_id: int
    kind: OutboundTxKind
    tx_id: str
    signed_at: datetime


@dataclass(frozen=True, slots=True)
class InFlightTx:
    """What tracking a signed outbound transaction needs."""

    id: int
    intent_id: int
    kind: OutboundTxKind
    chain: str
    tx_id: str
    attempt_count: int


@dataclass(frozen=True, slots=True)
class TxAttempt:
    """One signed version of an outbound transaction, stored before it is sent; fee bumps add
    more."""

    outbound_tx_id: int
    chain: str
    signed: SignedTx
    at: datetime


@dataclass(frozen=True, slots=True)
class Alert:
    """An alert; at most one with a `key` is active. `assigned_to` is the name of who looks after
    it, empty for nobody; it is snoozed while `snoozed_until` is in the future."""

    key: str
    kind: str
    subject: str
    message: str
    since: datetime
    last_seen_at: datetime
    resolved_at: datetime | None
    acknowledged_at: datetime | None = None
    acknowledged_by: str = ""
    note: str = ""
    assigned_to: str = ""
    snoozed_until: datetime | None = None

    @property
    def owner(self) -> str:
        """Whom it is assigned to, else who acknowledged it; empty for nobody."""
        return self.assigned_to or self.acknowledged_by

    def is_snoozed(self, now: datetime) -> bool:
        """Whether it is out of the way for some time."""
        return self.snoozed_until is not None and now < self.snoozed_until


@dataclass(frozen=True, slots=True)
class KillSwitch:
    """A chain, bridge or route that is disabled: why, by whom and since when."""

    subject: str
    reason: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class KeyedRequest:
    """A request with an idempotency key; `body_hash` is equal for equal requests."""

    owner: Owner
    key: str
    body_hash: str


@dataclass(frozen=True, slots=True)
class IdempotencySlot:
    """The first request with an idempotency key and, once it is complete, its response.

    `holder` names the request that was started for it last.
    """

    body_hash: str
    at: datetime
    status: int | None
    body: bytes
    holder: str
