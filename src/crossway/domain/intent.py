"""Payment intents: terms, states, and the table of all state transitions."""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from crossway.domain.bridge_transfer import Custody
from crossway.domain.costs import Collected, Costs
from crossway.domain.errors import InvalidTransition
from crossway.domain.outbound import OutboundTxKind
from crossway.domain.swaps import Swap


class State(StrEnum):
    """The state of an intent."""

    PENDING = "PENDING"
    FUNDED = "FUNDED"
    INITIATED = "INITIATED"
    COMPLETED = "COMPLETED"
    EXPIRED = "EXPIRED"
    REFUNDED = "REFUNDED"
    FAILED = "FAILED"


class IntentEvent(StrEnum):
    """What can happen to an intent: facts shown by a chain or its clock.

    FILL_GIVEN_UP: nothing was paid out by the deadline, or an operator did not wait for it.
    CANCELLED_*: the ramp order of the intent ended, so nobody should pay any more.
    Of bridges: DELIVERED, the deposit paid the recipient; PREFILLED, inventory did; PARKED, it
    cannot be paid; RELEASED, it was; UNFILLED, nobody pays; BRIDGE_RETURNED, it is back.
    """

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
    FILL_GIVEN_UP = "FILL_GIVEN_UP"
    REIMBURSED = "REIMBURSED"
    DEADLINE_EMPTY = "DEADLINE_EMPTY"
    DEADLINE_HOLDING = "DEADLINE_HOLDING"
    CANCELLED_EMPTY = "CANCELLED_EMPTY"
    CANCELLED_HOLDING = "CANCELLED_HOLDING"
    RETURNED = "RETURNED"
    RETURN_REVERSED = "RETURN_REVERSED"
    SENT = "SENT"
    PREFILLED = "PREFILLED"
    PREFILL_REVERSED = "PREFILL_REVERSED"
    DELIVERED = "DELIVERED"
    DELIVERY_REVERSED = "DELIVERY_REVERSED"
    UNFILLED = "UNFILLED"
    BRIDGE_RETURNED = "BRIDGE_RETURNED"
    PARKED = "PARKED"
    PARKING_REVERSED = "PARKING_REVERSED"
    RELEASED = "RELEASED"
    RELEASE_REVERSED = "RELEASE_REVERSED"
    LEDGER_ONLY = "LEDGER_ONLY"


@dataclass(frozen=True, slots=True)
class Transition:
    """The effect of an event: the new state, the emitted event and the outbound transactions."""

    to: State
    event_type: str | None = None
    outbound: tuple[OutboundTxKind, ...] = ()


S, E = State, IntentEvent
TRANSITIONS: Final = MappingProxyType(
    {
        (S.PENDING, E.DEPOSIT_SHORT): Transition(S.PENDING),
        (S.PENDING, E.DEPOSIT_FULL): Transition(S.FUNDED, "intent_funded", (OutboundTxKind.START,)),
        (S.PENDING, E.DEPOSIT_REVERSED): Transition(S.PENDING),
        # A start signed before its deposit was reorged away can still be included.
        (S.PENDING, E.STARTED): Transition(S.INITIATED, "intent_initiated", (OutboundTxKind.FILL,)),
        (S.PENDING, E.DEADLINE_EMPTY): Transition(S.EXPIRED, "intent_expired"),
        (S.PENDING, E.DEADLINE_HOLDING): Transition(
            S.EXPIRED, "intent_expired", (OutboundTxKind.REFUND,)
        ),
        (S.PENDING, E.CANCELLED_EMPTY): Transition(S.EXPIRED, "intent_expired"),
        (S.PENDING, E.CANCELLED_HOLDING): Transition(
            S.EXPIRED, "intent_expired", (OutboundTxKind.REFUND,)
        ),
        (S.FUNDED, E.DEPOSIT_EXTRA): Transition(S.FUNDED),
        (S.FUNDED, E.DEPOSIT_REVERSED): Transition(S.PENDING, "intent_reorged"),
        (S.FUNDED, E.STARTED): Transition(S.INITIATED, "intent_initiated", (OutboundTxKind.FILL,)),
        # Its balance is worth less than returning it.
        (S.FUNDED, E.DEADLINE_EMPTY): Transition(S.EXPIRED, "intent_expired"),
        (S.FUNDED, E.DEADLINE_HOLDING): Transition(
            S.EXPIRED, "intent_expired", (OutboundTxKind.REFUND,)
        ),
        (S.INITIATED, E.DEPOSIT_EXTRA): Transition(
            S.INITIATED, outbound=(OutboundTxKind.RETURN_EXCESS,)
        ),
        (S.INITIATED, E.START_REVERSED): Transition(S.FUNDED, "intent_reorged"),
        (S.INITIATED, E.FILLED): Transition(
            S.COMPLETED, "intent_completed", (OutboundTxKind.REIMBURSE,)
        ),
        (S.INITIATED, E.FILL_REFUSED): Transition(
            S.FAILED, "intent_failed", (OutboundTxKind.REFUND,)
        ),
        (S.INITIATED, E.FILL_GIVEN_UP): Transition(
            S.FAILED, "intent_failed", (OutboundTxKind.REFUND,)
        ),
        (S.COMPLETED, E.DEPOSIT_EXTRA): Transition(
            S.COMPLETED, outbound=(OutboundTxKind.RETURN_EXCESS,)
        ),
        (S.COMPLETED, E.FILL_REVERSED): Transition(S.INITIATED, "intent_reorged"),
        (S.COMPLETED, E.REIMBURSED): Transition(S.COMPLETED),
        # Books restored from a backup learn from the chain that it was started in time.
        (S.EXPIRED, E.STARTED): Transition(S.INITIATED, "intent_initiated", (OutboundTxKind.FILL,)),
        (S.EXPIRED, E.DEPOSIT_LATE): Transition(S.EXPIRED, outbound=(OutboundTxKind.REFUND,)),
        (S.EXPIRED, E.RETURNED): Transition(S.REFUNDED, "intent_refunded"),
        (S.FAILED, E.DEPOSIT_EXTRA): Transition(S.FAILED, outbound=(OutboundTxKind.RETURN_EXCESS,)),
        (S.FAILED, E.RETURNED): Transition(S.REFUNDED, "intent_refunded"),
        (S.REFUNDED, E.DEPOSIT_LATE): Transition(
            S.REFUNDED, outbound=(OutboundTxKind.RETURN_EXCESS,)
        ),
        (S.REFUNDED, E.RETURN_REVERSED): Transition(S.EXPIRED, "intent_reorged"),
        **{
            (state, E.SENT): Transition(S.INITIATED, "intent_initiated")
            for state in (S.PENDING, S.FUNDED, S.EXPIRED)
        },
        (S.INITIATED, E.PREFILLED): Transition(S.COMPLETED, "intent_completed"),
        (S.COMPLETED, E.PREFILL_REVERSED): Transition(S.INITIATED, "intent_reorged"),
        (S.INITIATED, E.DELIVERED): Transition(S.COMPLETED, "intent_completed"),
        (S.COMPLETED, E.DELIVERY_REVERSED): Transition(S.INITIATED, "intent_reorged"),
        # The bridge returns the deposit to its address, from which it is refunded.
        (S.INITIATED, E.UNFILLED): Transition(S.FAILED, "intent_failed"),
        (S.FAILED, E.BRIDGE_RETURNED): Transition(S.FAILED, outbound=(OutboundTxKind.REFUND,)),
        (S.FAILED, E.DELIVERED): Transition(S.COMPLETED, "intent_completed"),
        (S.INITIATED, E.PARKED): Transition(S.FAILED, "intent_failed"),
        (S.FAILED, E.PARKING_REVERSED): Transition(S.INITIATED, "intent_reorged"),
        (S.FAILED, E.RELEASED): Transition(S.COMPLETED, "intent_completed"),
        (S.COMPLETED, E.RELEASE_REVERSED): Transition(S.FAILED, "intent_reorged"),
        # The ledger changes; the state does not.
        **{(state, E.LEDGER_ONLY): Transition(state) for state in State},
    }
)
FINAL_STATES: Final = frozenset({S.COMPLETED, S.EXPIRED, S.REFUNDED, S.FAILED})
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


def advance(state: State, event: IntentEvent) -> Transition:
    """The transition of an event; raises `InvalidTransition` when the table has none."""
    transition = TRANSITIONS.get((state, event))
    if transition is None:
        raise InvalidTransition(f"{event} cannot happen to an intent that is {state}")
    return transition


@dataclass(frozen=True, slots=True)
class Terms:
    """What payer, recipient and relayer agreed on; fixed at creation.

    The deposit address is a pure function of the terms. Amounts are integers in smallest units of
    `token_in` on the source chain and `token_out` on the destination chain; `bridge` is empty for
    a same-chain payment.
    """

    nonce: int
    source_chain: str
    destination_chain: str
    token_in: str
    token_out: str
    deposit_amount: int
    payout_amount: int
    recipient: str
    refund_address: str
    bridge: str
    expires_at: datetime


@dataclass(frozen=True)
class Intent:
    """One intent as stored; amounts count `token_in`.

    `received_amount` is everything credited before the start, `balance_at_address` what the ledger
    still holds at the deposit address. `order_id` is the ramp order that the intent belongs to.
    `by_payer`: a payer made it by a payment link, without an API key. `custody` BRIDGE: `bridger`
    is the contract of a bridge, which alone decides where the deposit goes. `swap`: the start
    exchanges the deposit for another token, in which everything after it counts.
    """

    id: int
    client_id: str
    mode: str
    intent_hash: str
    address: str
    destination_address: str
    deposit_token_account: str | None
    terms: Terms
    costs: Costs
    sender: str
    requested_amount: int
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
    received_amount: int
    balance_at_address: int
    relayer: str
    relayer_claimed: bool
    needs_relay: bool
    tx_hash: str | None
    created_at: datetime
    updated_at: datetime
    order_id: int | None = None
    by_payer: bool = False
    custody: Custody = Custody.OPERATOR
    swap: Swap | None = None

    @property
    def collected(self) -> Collected:
        """What the start puts into the contract: the deposit, or what it swaps that for, and the
        costs without the swap's."""
        terms, swap, costs = self.terms, self.swap, self.costs
        if swap is None:
            symbol, decimals = self.asset_symbol, self.asset_decimals
            return Collected(terms.token_in, symbol, decimals, terms.deposit_amount, costs)
        costs = replace(
            costs,
            bridge_micro_usd=costs.bridge_micro_usd - swap.cost_micro_usd,
            fees_units=swap.fees_units,
            app_fee_units=swap.app_fee_units,
            network_fee_units=swap.network_fee_units,
        )
        return Collected(swap.token, swap.symbol, swap.decimals, swap.output, costs)
