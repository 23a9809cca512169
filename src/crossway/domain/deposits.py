"""Deposits: their states and how they are classified."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from crossway.domain.intent import IntentEvent, State


class DepositState(StrEnum):
    """SEEN: in a block, not confirmed. CREDITED: in the ledger. ORPHANED: its block is gone."""

    SEEN = "SEEN"
    CREDITED = "CREDITED"
    ORPHANED = "ORPHANED"


class DepositPurpose(StrEnum):
    """The classification of a deposit when it was credited. BRIDGE_RETURN: a bridge returned what
    it could not carry."""

    PAYMENT = "PAYMENT"
    OVERPAYMENT = "OVERPAYMENT"
    LATE = "LATE"
    WRONG_TOKEN = "WRONG_TOKEN"
    WRONG_CHAIN = "WRONG_CHAIN"
    ZERO_VALUE = "ZERO_VALUE"
    BRIDGE_RETURN = "BRIDGE_RETURN"


def address_key(address: str) -> bytes:
    """An address as sets of very many have it: of one that is written in hexadecimal digits these
    alone, in lower case, as nodes spell them."""
    return (address[2:].lower() if address[:2] == "0x" else address).encode()


@dataclass(frozen=True, slots=True)
class IncomingTransfer:
    """A transfer of `amount` of `token` to an address, as reported by a chain."""

    chain: str
    tx_hash: str
    index: int
    block_height: int
    block_hash: str
    token: str
    sender: str
    to: str
    amount: int
    at: datetime

    @property
    def tx_ref(self) -> str:
        """The reference of the transfer in the ledger: transaction hash and index."""
        return f"{self.tx_hash}#{self.index}"


@dataclass(frozen=True, slots=True)
class Deposit:
    """A recorded deposit; `note` explains why it was kept or what it waits for."""

    id: int
    intent_id: int
    incoming: IncomingTransfer
    state: DepositState
    purpose: DepositPurpose | None
    note: str
    credited_at: datetime | None


PAYMENT_EVENTS = {
    State.PENDING: IntentEvent.DEPOSIT_SHORT,
    State.FUNDED: IntentEvent.DEPOSIT_EXTRA,
    State.INITIATED: IntentEvent.DEPOSIT_EXTRA,
    State.COMPLETED: IntentEvent.DEPOSIT_EXTRA,
    State.FAILED: IntentEvent.DEPOSIT_EXTRA,
    State.EXPIRED: IntentEvent.DEPOSIT_LATE,
    State.REFUNDED: IntentEvent.DEPOSIT_LATE,
}


def classify_deposit(
    state: State, source_chain: str, token_in: str, chain: str, token: str, amount: int
) -> DepositPurpose:
    """Classify a deposit by its token, chain and the intent's state."""
    if amount == 0:
        return DepositPurpose.ZERO_VALUE
    if chain != source_chain:
        return DepositPurpose.WRONG_CHAIN
    if token != token_in:
        return DepositPurpose.WRONG_TOKEN
    if state in (State.PENDING, State.FUNDED):
        return DepositPurpose.PAYMENT
    return (
        DepositPurpose.LATE
        if state in (State.EXPIRED, State.REFUNDED)
        else DepositPurpose.OVERPAYMENT
    )


def event_for_deposit(state: State, deposit_amount: int, received_amount: int) -> IntentEvent:
    """The event of crediting a deposit of the right token, given all received so far."""
    if state is State.PENDING and received_amount >= deposit_amount:
        return IntentEvent.DEPOSIT_FULL
    return PAYMENT_EVENTS[state]
