"""A payment intent: its terms, its states, and the one table of moves between them."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from crossway.domain.errors import IllegalMove
from crossway.domain.transfers import Duty


class State(StrEnum):
    """Where an intent stands (wire.md §3)."""

    PENDING = "PENDING"
    FUNDED = "FUNDED"
    INITIATED = "INITIATED"
    COMPLETED = "COMPLETED"
    EXPIRED = "EXPIRED"
    REFUNDED = "REFUNDED"
    FAILED = "FAILED"


class Event(StrEnum):
    """What can happen to an intent; each is a fact a chain or its clock has shown, but for
    WITHDRAWN_*: nobody shall pay any more, as the order that it belongs to has ended."""

    DEPOSIT_SHORT = "DEPOSIT_SHORT"
    DEPOSIT_FULL = "DEPOSIT_FULL"
    DEPOSIT_EXTRA = "DEPOSIT_EXTRA"
    DEPOSIT_LATE = "DEPOSIT_LATE"
    DEPOSIT_REVERSED = "DEPOSIT_REVERSED"
    STARTED = "STARTED"
    START_REVERSED = "START_REVERSED"
    FILLED = "FILLED"
    FILL_REVERSED = "FILL_REVERSED"
    FILL_REFUSED = "FILL_REFUSED"
    REIMBURSED = "REIMBURSED"
    DEADLINE_EMPTY = "DEADLINE_EMPTY"
    DEADLINE_HOLDING = "DEADLINE_HOLDING"
    WITHDRAWN_EMPTY = "WITHDRAWN_EMPTY"
    WITHDRAWN_HOLDING = "WITHDRAWN_HOLDING"
    RETURNED = "RETURNED"
    RETURN_REVERSED = "RETURN_REVERSED"
    BOOKED = "BOOKED"


@dataclass(frozen=True, slots=True)
class Move:
    """Where an event leads, what it announces, and what the intent then owes."""

    to: State
    tells: str | None = None
    duties: tuple[Duty, ...] = ()


S, E = State, Event
TRANSITIONS: Final = MappingProxyType(
    {
        (S.PENDING, E.DEPOSIT_SHORT): Move(S.PENDING),
        (S.PENDING, E.DEPOSIT_FULL): Move(S.FUNDED, "intent_funded", (Duty.START,)),
        (S.PENDING, E.DEPOSIT_REVERSED): Move(S.PENDING),
        # A start that was signed before its deposit was reorganised away can still land.
        (S.PENDING, E.STARTED): Move(S.INITIATED, "intent_initiated", (Duty.FILL,)),
        (S.PENDING, E.DEADLINE_EMPTY): Move(S.EXPIRED, "intent_expired"),
        (S.PENDING, E.DEADLINE_HOLDING): Move(S.EXPIRED, "intent_expired", (Duty.REFUND,)),
        (S.PENDING, E.WITHDRAWN_EMPTY): Move(S.EXPIRED, "intent_expired"),
        (S.PENDING, E.WITHDRAWN_HOLDING): Move(S.EXPIRED, "intent_expired", (Duty.REFUND,)),
        (S.FUNDED, E.DEPOSIT_EXTRA): Move(S.FUNDED),
        (S.FUNDED, E.DEPOSIT_REVERSED): Move(S.PENDING, "intent_reorged"),
        (S.FUNDED, E.STARTED): Move(S.INITIATED, "intent_initiated", (Duty.FILL,)),
        # What it holds is worth less than sending it back.
        (S.FUNDED, E.DEADLINE_EMPTY): Move(S.EXPIRED, "intent_expired"),
        (S.FUNDED, E.DEADLINE_HOLDING): Move(S.EXPIRED, "intent_expired", (Duty.REFUND,)),
        (S.INITIATED, E.DEPOSIT_EXTRA): Move(S.INITIATED, duties=(Duty.RETURN_EXCESS,)),
        (S.INITIATED, E.START_REVERSED): Move(S.FUNDED, "intent_reorged"),
        (S.INITIATED, E.FILLED): Move(S.COMPLETED, "intent_completed", (Duty.REIMBURSE,)),
        (S.INITIATED, E.FILL_REFUSED): Move(S.FAILED, "intent_failed", (Duty.REFUND,)),
        (S.COMPLETED, E.DEPOSIT_EXTRA): Move(S.COMPLETED, duties=(Duty.RETURN_EXCESS,)),
        (S.COMPLETED, E.FILL_REVERSED): Move(S.INITIATED, "intent_reorged"),
        (S.COMPLETED, E.REIMBURSED): Move(S.COMPLETED),
        # Books restored from a backup learn from the chain that it was started in time.
        (S.EXPIRED, E.STARTED): Move(S.INITIATED, "intent_initiated", (Duty.FILL,)),
        (S.EXPIRED, E.DEPOSIT_LATE): Move(S.EXPIRED, duties=(Duty.REFUND,)),
        (S.EXPIRED, E.RETURNED): Move(S.REFUNDED, "intent_refunded"),
        (S.FAILED, E.DEPOSIT_EXTRA): Move(S.FAILED, duties=(Duty.RETURN_EXCESS,)),
        (S.FAILED, E.RETURNED): Move(S.REFUNDED, "intent_refunded"),
        (S.REFUNDED, E.DEPOSIT_LATE): Move(S.REFUNDED, duties=(Duty.RETURN_EXCESS,)),
        (S.REFUNDED, E.RETURN_REVERSED): Move(S.EXPIRED, "intent_reorged"),
        # Money moved and the books followed, and the state stays what it was.
        **{(state, E.BOOKED): Move(state) for state in State},
    }
)
ENDED: Final = frozenset({S.COMPLETED, S.EXPIRED, S.REFUNDED, S.FAILED})

CREATE_VOCABULARY: Final = MappingProxyType(
    {
        S.PENDING: "PENDING",
        S.FUNDED: "PROCESSING",
        S.INITIATED: "PROCESSING",
        S.COMPLETED: "COMPLETED",
        S.EXPIRED: "FAILED",
        S.REFUNDED: "FAILED",
        S.FAILED: "FAILED",
    }
)
READ_VOCABULARY: Final = MappingProxyType(
    {
        S.PENDING: "PENDING",
        S.FUNDED: "FUNDED",
        S.INITIATED: "INITIATED",
        S.COMPLETED: "COMPLETED",
        S.EXPIRED: "EXPIRED",
        S.REFUNDED: "EXPIRED",
        S.FAILED: "EXPIRED",
    }
)


def advance(state: State, event: Event) -> Move:
    """The only way to a new state; a pair that the table lacks raises `IllegalMove`."""
    move = TRANSITIONS.get((state, event))
    if move is None:
        raise IllegalMove(f"{event} cannot happen to an intent that is {state}")
    return move


@dataclass(frozen=True, slots=True)
class Terms:
    """What the payer, the recipient and the relayer agreed on: fixed at creation.

    The deposit address is a pure function of these. Amounts are integer smallest units of
    `token_in` on the source chain and of `token_out` on the destination chain; `bridge` is
    empty for a transfer within one chain.
    """

    nonce: int
    source_chain: str
    destination_chain: str
    token_in: str
    token_out: str
    total_units: int
    out_units: int
    recipient: str
    refund_address: str
    bridge: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Costs:
    """What the payer is charged, in micro-USD and in units of the asset token."""

    amount_micro_usd: int
    service_micro_usd: int
    bridge_micro_usd: int
    app_micro_usd: int
    fees_units: int
    app_fee_units: int

    @property
    def total_micro_usd(self) -> int:
        """Everything the payer pays, in micro-USD."""
        return (
            self.amount_micro_usd
            + self.service_micro_usd
            + self.bridge_micro_usd
            + self.app_micro_usd
        )


@dataclass(frozen=True, slots=True)
class Intent:
    """One intent as stored; `received_units` and `held_units` count `token_in` alone.

    `received_units` is everything credited before the start; `held_units` is what the books
    say still lies at the deposit address. `order_id` is the ramp order that it belongs to.
    """

    id: int
    client_id: str
    mode: str
    key: str
    address: str
    destination_address: str
    deposit_token_account: str | None
    terms: Terms
    costs: Costs
    sender: str
    amount_units: int
    amount_symbol: str
    asset_symbol: str
    asset_decimals: int
    out_symbol: str
    out_decimals: int
    slippage: str
    settle_seconds: int
    bridge_data: str
    coordinator: str
    bridger: str
    metadata: dict[str, Any]
    payment_link_id: str | None
    state: State
    received_units: int
    held_units: int
    relayer: str
    relayer_claimed: bool
    needs_relay: bool
    tx_hash: str | None
    created_at: datetime
    updated_at: datetime
    order_id: int | None = None


class Weight(StrEnum):
    """How what was received compares with what was asked."""

    SHORT = "SHORT"
    EXACT = "EXACT"
    OVER = "OVER"


def weigh(total_units: int, received_units: int) -> Weight:
    """Compare what came in with what the terms ask, to the unit."""
    if received_units < total_units:
        return Weight.SHORT
    return Weight.EXACT if received_units == total_units else Weight.OVER
