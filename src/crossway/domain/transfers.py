"""The transactions an intent owes, and their states."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from crossway.domain.errors import IllegalMove


class Duty(StrEnum):
    """What is owed: collect the deposit, pay the recipient, give back, be repaid."""

    START = "START"
    FILL = "FILL"
    RETURN_EXCESS = "RETURN_EXCESS"
    REIMBURSE = "REIMBURSE"
    REFUND = "REFUND"


class TransferState(StrEnum):
    """DUE: nothing signed. SIGNED: bytes stored, maybe sent. CONFIRMED: deep enough to act on."""

    DUE = "DUE"
    SIGNED = "SIGNED"
    CONFIRMED = "CONFIRMED"
    FINAL = "FINAL"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


class TransferEvent(StrEnum):
    """What can happen to a transfer."""

    SIGN = "SIGN"
    FOUND = "FOUND"
    REPLACE = "REPLACE"
    CONFIRM = "CONFIRM"
    FINALIZE = "FINALIZE"
    REVERT = "REVERT"
    DROP = "DROP"
    REORG = "REORG"
    GIVE_UP = "GIVE_UP"
    CANCEL = "CANCEL"
    REVIVE = "REVIVE"


T, X = TransferState, TransferEvent
TRANSFER_TRANSITIONS: Final = MappingProxyType(
    {
        (T.DUE, X.SIGN): T.SIGNED,
        # The chain did it before, by a transaction that these books do not have.
        (T.DUE, X.FOUND): T.FINAL,
        (T.DUE, X.GIVE_UP): T.FAILED,
        (T.DUE, X.CANCEL): T.CANCELLED,
        (T.SIGNED, X.REPLACE): T.SIGNED,
        (T.SIGNED, X.CONFIRM): T.CONFIRMED,
        (T.SIGNED, X.REVERT): T.DUE,
        (T.SIGNED, X.DROP): T.DUE,
        (T.SIGNED, X.GIVE_UP): T.FAILED,
        (T.CONFIRMED, X.FINALIZE): T.FINAL,
        (T.CONFIRMED, X.REORG): T.SIGNED,
        (T.CANCELLED, X.REVIVE): T.DUE,
        (T.FAILED, X.REVIVE): T.DUE,
    }
)
OPEN: Final = frozenset({T.DUE, T.SIGNED})


def advance_transfer(state: TransferState, event: TransferEvent) -> TransferState:
    """The only way to a transfer's new state; a pair the table lacks raises `IllegalMove`."""
    to = TRANSFER_TRANSITIONS.get((state, event))
    if to is None:
        raise IllegalMove(f"{event} cannot happen to a transfer that is {state}")
    return to


@dataclass(frozen=True, slots=True)
class Transfer:
    """One duty as stored, unique on (intent_id, duty, cause); `tx_id` is its latest attempt.

    `units` is None where the chain decides: everything of this token at the intent's address.
    `reason` says in words why it waits or failed; `tries` counts reverts and drops.
    """

    id: int
    intent_id: int
    duty: Duty
    cause: str
    chain: str
    token: str
    units: int | None
    to_address: str
    state: TransferState
    tries: int
    reason: str
    next_at: datetime
    tx_id: str | None
    block_height: int | None
    created_at: datetime
    updated_at: datetime


def backoff_seconds(tries: int) -> int:
    """How long to wait before the next try: 1, 2, 4 … up to 300 seconds."""
    return int(min(300, 2 ** min(max(tries - 1, 0), 9)))
