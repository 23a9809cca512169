"""The outbound transactions of an intent and their states."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from crossway.domain.errors import InvalidTransition


class OutboundTxKind(StrEnum):
    """The purpose of an outbound transaction.

    START collects the deposit, and sends it where a bridge carries it. FILL pays the recipient,
    RETURN_EXCESS returns unexpected money, REIMBURSE repays the relayer, REFUND refunds the payer.
    DELIVER has the bridge's contract pay the recipient from what arrived, RELEASE from what it
    parked, GIVE_BACK has it return what it collected and cannot send. SKIP_NONCE moves nothing: it
    uses a nonce that no other transaction has, for which the account's later ones would wait.
    PAY_IN carries out a payer's signature, which moves tokens to the deposit address.
    Of an inventory transfer, INVENTORY_SEND is its last transaction, which moves the money, and
    INVENTORY_APPROVE one of those that it needs before.
    Of a deposit at a standing address, FORWARD moves it to its payment's deposit address, RECOVER
    to the recovery address.
    """

    START = "START"
    FILL = "FILL"
    RETURN_EXCESS = "RETURN_EXCESS"
    REIMBURSE = "REIMBURSE"
    REFUND = "REFUND"
    SKIP_NONCE = "SKIP_NONCE"
    DELIVER = "DELIVER"
    RELEASE = "RELEASE"
    GIVE_BACK = "GIVE_BACK"
    PAY_IN = "PAY_IN"
    INVENTORY_APPROVE = "INVENTORY_APPROVE"
    INVENTORY_SEND = "INVENTORY_SEND"
    FORWARD = "FORWARD"
    RECOVER = "RECOVER"


SWEEP_KINDS: Final = (OutboundTxKind.REFUND, OutboundTxKind.RETURN_EXCESS)
"""Those that empty a deposit address, where no amount is given."""
NO_INVENTORY: Final = "There is no inventory; the bridge's delivery pays."
"""The reason of a FILL that would pay in advance of a bridge, and for which inventory lacks."""
INVENTORY_KINDS: Final = (OutboundTxKind.INVENTORY_APPROVE, OutboundTxKind.INVENTORY_SEND)
"""Those of inventory transfers, which call a contract that the bridge's service names."""
STANDING_KINDS: Final = (OutboundTxKind.FORWARD, OutboundTxKind.RECOVER)
"""Those of deposits at standing addresses."""


class OutboundTxState(StrEnum):
    """DUE: unsigned. SIGNED: stored, maybe broadcast. CONFIRMED: enough confirmations to act on."""

    DUE = "DUE"
    SIGNED = "SIGNED"
    CONFIRMED = "CONFIRMED"
    FINAL = "FINAL"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


class OutboundTxEvent(StrEnum):
    """What can happen to an outbound transaction."""

    SIGN = "SIGN"
    FOUND = "FOUND"
    OBSERVE = "OBSERVE"
    REPLACE = "REPLACE"
    CONFIRM = "CONFIRM"
    FINALIZE = "FINALIZE"
    REVERT = "REVERT"
    DROP = "DROP"
    REORG = "REORG"
    GIVE_UP = "GIVE_UP"
    CANCEL = "CANCEL"
    REVIVE = "REVIVE"


T, X = OutboundTxState, OutboundTxEvent
OUTBOUND_TX_TRANSITIONS: Final = MappingProxyType(
    {
        (T.DUE, X.SIGN): T.SIGNED,
        # The chain executed it before, by a transaction that the ledger does not have.
        (T.DUE, X.FOUND): T.FINAL,
        # Somebody else's transaction did it, and is followed like one of ours until it is final.
        (T.DUE, X.OBSERVE): T.CONFIRMED,
        (T.DUE, X.GIVE_UP): T.FAILED,
        (T.DUE, X.CANCEL): T.CANCELLED,
        (T.SIGNED, X.REPLACE): T.SIGNED,
        (T.SIGNED, X.CONFIRM): T.CONFIRMED,
        (T.SIGNED, X.REVERT): T.DUE,
        (T.SIGNED, X.DROP): T.DUE,
        (T.SIGNED, X.GIVE_UP): T.FAILED,
        (T.CONFIRMED, X.FINALIZE): T.FINAL,
        (T.CONFIRMED, X.REORG): T.SIGNED,
        # A reorg removed somebody else's transaction: ours is to be signed.
        (T.CONFIRMED, X.DROP): T.DUE,
        (T.CANCELLED, X.REVIVE): T.DUE,
        (T.FAILED, X.REVIVE): T.DUE,
        # Somebody else has sent it.
        (T.FAILED, X.CANCEL): T.CANCELLED,
    }
)
OPEN_STATES: Final = frozenset({T.DUE, T.SIGNED})


def advance_outbound_tx(state: OutboundTxState, event: OutboundTxEvent) -> OutboundTxState:
    """The new state after an event; raises `InvalidTransition` when the table has none."""
    new_state = OUTBOUND_TX_TRANSITIONS.get((state, event))
    if new_state is None:
        raise InvalidTransition(f"{event} cannot happen to an outbound transaction that is {state}")
    return new_state


@dataclass(frozen=True, slots=True)
class OutboundTx:
    """One outbound transaction as stored, unique on (intent_id, kind, cause). One of a rebalancing
    transfer, or of a deposit at a standing address, has that one's `owner` number in place of a
    payment's.

    `amount` None means the whole balance of this token at the intent's address. `tx_id` is the
    latest attempt, `reason` says why it waits or failed, `attempt_count` counts reverts and drops.
    """

    id: int
    intent_id: int
    kind: OutboundTxKind
    cause: str
    chain: str
    token: str
    amount: int | None
    to_address: str
    state: OutboundTxState
    attempt_count: int
    reason: str
    next_at: datetime
    tx_id: str | None
    block_height: int | None
    created_at: datetime
    updated_at: datetime


def backoff_seconds(attempt_count: int) -> int:
    """The delay before the next attempt: 1, 2, 4 … up to 300 seconds."""
    return int(min(300, 2 ** min(max(attempt_count - 1, 0), 9)))
