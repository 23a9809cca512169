"""Inventory transfers: inventory that a bridge moves, for a payment that is paid out of it or to
rebalance, and the table of their states."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from crossway.domain.errors import InvalidTransition


class InventoryTransferKind(StrEnum):
    """DEPOSIT: from a chain into the unified balance at Circle Gateway. MINT: out of that balance
    to a chain. TRANSFER: from chain to chain."""

    DEPOSIT = "DEPOSIT"
    MINT = "MINT"
    TRANSFER = "TRANSFER"


class InventoryTransferState(StrEnum):
    """The state of an inventory transfer.

    PLANNED: stored; the service may have been asked, and nothing has moved. AGREED: the service
    agreed, and what it answered is stored. SENDING: its transaction is signed. SENT: that is
    included, and it has not arrived. OVERDUE: it should have. DELIVERED: it arrived; CLOSED: that
    is final. REFUSED: it ended before anything moved. RETURNED: the service gave it back.
    """

    PLANNED = "PLANNED"
    AGREED = "AGREED"
    SENDING = "SENDING"
    SENT = "SENT"
    OVERDUE = "OVERDUE"
    DELIVERED = "DELIVERED"
    CLOSED = "CLOSED"
    REFUSED = "REFUSED"
    RETURNED = "RETURNED"


class InventoryTransferEvent(StrEnum):
    """What can happen to an inventory transfer. AGREEMENT_EXPIRED: nothing moved by what the
    service had agreed to, and nothing can any more, so it is asked anew."""

    AGREE = "AGREE"
    SIGN = "SIGN"
    SEND = "SEND"
    SEND_REVERSED = "SEND_REVERSED"
    AGREEMENT_EXPIRED = "AGREEMENT_EXPIRED"
    REFUSE = "REFUSE"
    LATE = "LATE"
    DELIVER = "DELIVER"
    DELIVERY_REVERSED = "DELIVERY_REVERSED"
    FINALIZE = "FINALIZE"
    RETURN = "RETURN"


S, E = InventoryTransferState, InventoryTransferEvent
INVENTORY_TRANSFER_TRANSITIONS: Final = MappingProxyType(
    {
        (S.PLANNED, E.AGREE): S.AGREED,
        (S.PLANNED, E.REFUSE): S.REFUSED,
        (S.AGREED, E.SIGN): S.SENDING,
        (S.AGREED, E.REFUSE): S.REFUSED,
        **{(state, E.AGREEMENT_EXPIRED): S.PLANNED for state in (S.AGREED, S.SENDING)},
        **{(state, E.SEND): S.SENT for state in (S.AGREED, S.SENDING)},
        **{(state, E.SEND_REVERSED): S.SENDING for state in (S.SENT, S.OVERDUE)},
        (S.SENT, E.LATE): S.OVERDUE,
        **{(state, E.DELIVER): S.DELIVERED for state in (S.AGREED, S.SENDING, S.SENT, S.OVERDUE)},
        (S.DELIVERED, E.DELIVERY_REVERSED): S.SENT,
        (S.DELIVERED, E.FINALIZE): S.CLOSED,
        **{(state, E.RETURN): S.RETURNED for state in (S.SENT, S.OVERDUE)},
    }
)
OPEN_INVENTORY_STATES: Final = frozenset(
    {S.PLANNED, S.AGREED, S.SENDING, S.SENT, S.OVERDUE, S.DELIVERED}
)
UNDER_WAY_STATES: Final = OPEN_INVENTORY_STATES - {S.DELIVERED}


def advance_inventory_transfer(
    state: InventoryTransferState, event: InventoryTransferEvent
) -> InventoryTransferState:
    """The new state after an event; raises `InvalidTransition` when the table has none."""
    new_state = INVENTORY_TRANSFER_TRANSITIONS.get((state, event))
    if new_state is None:
        raise InvalidTransition(f"{event} cannot happen to an inventory transfer that is {state}")
    return new_state


@dataclass(frozen=True, slots=True)
class InventoryTransfer:
    """One inventory transfer as stored, unique on (intent_id, kind): for a payment, or with the
    `owner` number of the rebalancing transfer that it carries out in place of a payment's.

    `source_chain` is empty for a MINT and `destination_chain` for a DEPOSIT. `amount` is what
    arrives, in units of the token of the destination; `source_amount` what leaves, in units of
    the token of the source, and 0 until the service has named it. `attempt` counts the
    agreements. `commitment` is what we signed for the service, stored before it is asked;
    `agreement` what it answered, and `reference` its number there. `expires_at`: when the
    agreement does.
    """

    id: int
    intent_id: int
    bridge: str
    kind: InventoryTransferKind
    source_chain: str
    destination_chain: str
    source_token: str
    destination_token: str
    amount: int
    source_amount: int
    state: InventoryTransferState
    attempt: int
    commitment: bytes
    agreement: bytes
    reference: str
    source_tx: str
    destination_tx: str
    reason: str
    expires_at: datetime | None
    expected_at: datetime | None
    next_at: datetime
    created_at: datetime
    updated_at: datetime

    @property
    def chain(self) -> str:
        """The chain on which the relayer makes its transactions."""
        return self.source_chain or self.destination_chain

    @property
    def arrival_chain(self) -> str:
        """The chain whose block says that it arrived: a DEPOSIT has once its own is final."""
        return self.destination_chain or self.source_chain

    @property
    def moved_amount(self) -> tuple[str, int]:
        """The token that its last transaction moves on `chain`, and how much of it: out of the
        relayer's account, or, for a MINT, into it."""
        if self.kind is InventoryTransferKind.MINT:
            return self.destination_token, self.amount
        return self.source_token, self.source_amount

    @property
    def is_bringing(self) -> bool:
        """Whether it brings inventory to a chain and has not arrived yet."""
        return bool(self.destination_chain) and self.state in UNDER_WAY_STATES

    @property
    def is_unsent(self) -> bool:
        """Whether nothing of it can have arrived, as its transaction is not signed."""
        return self.state in (InventoryTransferState.PLANNED, InventoryTransferState.AGREED)

    def has_lapsed(self, at: datetime) -> bool:
        """Whether what the service agreed to must not be used any more at a time."""
        return self.expires_at is not None and at >= self.expires_at

    def is_late(self, now: datetime) -> bool:
        """Whether it should have arrived: it takes twice as long as usual, and a minute more."""
        if self.expected_at is None:
            return False
        return now > self.expected_at + (self.expected_at - self.created_at) + _LATE_GRACE


_LATE_GRACE: Final = timedelta(minutes=1)
