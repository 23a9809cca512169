"""Money seen at deposit addresses: what each deposit is for and what becomes of it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from crossway.domain.intent import Event, State


class DepositState(StrEnum):
    """SEEN: in a block, not deep enough. CREDITED: in the books. ORPHANED: its block is gone."""

    SEEN = "SEEN"
    CREDITED = "CREDITED"
    ORPHANED = "ORPHANED"


class Purpose(StrEnum):
    """What a deposit turned out to be when it was credited."""

    PAYMENT = "PAYMENT"
    EXTRA = "EXTRA"
    LATE = "LATE"
    FOREIGN = "FOREIGN"
    ELSEWHERE = "ELSEWHERE"
    NOTHING = "NOTHING"


@dataclass(frozen=True, slots=True)
class Incoming:
    """One transfer of `units` of `token` to an address, as a chain reports it."""

    chain: str
    tx_hash: str
    index: int
    block_height: int
    block_hash: str
    token: str
    sender: str
    to: str
    units: int
    at: datetime

    @property
    def place(self) -> str:
        """Which transfer of which transaction, as the books name it."""
        return f"{self.tx_hash}#{self.index}"


@dataclass(frozen=True, slots=True)
class Deposit:
    """A recorded deposit; `note` says in words why money was kept or what it waits for."""

    id: int
    intent_id: int
    incoming: Incoming
    state: DepositState
    purpose: Purpose | None
    note: str
    credited_at: datetime | None


PAYMENT_EVENTS = {
    State.PENDING: Event.DEPOSIT_SHORT,
    State.FUNDED: Event.DEPOSIT_EXTRA,
    State.INITIATED: Event.DEPOSIT_EXTRA,
    State.COMPLETED: Event.DEPOSIT_EXTRA,
    State.FAILED: Event.DEPOSIT_EXTRA,
    State.EXPIRED: Event.DEPOSIT_LATE,
    State.REFUNDED: Event.DEPOSIT_LATE,
}


def purpose_of(
    state: State, source_chain: str, token_in: str, chain: str, token: str, units: int
) -> Purpose:
    """What money of this token, arriving on this chain in this state, is for (outcomes.md)."""
    if units == 0:
        return Purpose.NOTHING
    if chain != source_chain:
        return Purpose.ELSEWHERE
    if token != token_in:
        return Purpose.FOREIGN
    if state in (State.PENDING, State.FUNDED):
        return Purpose.PAYMENT
    return Purpose.LATE if state in (State.EXPIRED, State.REFUNDED) else Purpose.EXTRA


def event_of(state: State, total_units: int, received_units: int) -> Event:
    """The event that a credited deposit of the right token is, given all received by now."""
    if state is State.PENDING and received_units >= total_units:
        return Event.DEPOSIT_FULL
    return PAYMENT_EVENTS[state]
