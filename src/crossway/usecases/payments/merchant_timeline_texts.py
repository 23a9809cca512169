"""The names and sentences of the steps of a payment, as its merchant reads them."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from crossway.domain.bridge_transfer import BridgeTransferState
from crossway.domain.deposits import DepositPurpose
from crossway.domain.intent import IntentEvent

E, P, B = IntentEvent, DepositPurpose, BridgeTransferState
# The name and the sentence of what a chain or its clock made happen. What is the operator's own
# business, as the repayment of its relayer, is no step.
EVENTS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "CREATED": ("created", "The payment was created; {due} is due on {source}."),
        E.DEPOSIT_FULL: ("funded", "The deposit is complete."),
        E.STARTED: ("started", "The deposit was collected from its address on {source}."),
        E.START_REVERSED: ("start_reversed", "A reorganization of {source} undid the collection."),
        E.SENT: ("sent_over_bridge", "The deposit was sent over {bridge}."),
        E.FILLED: ("paid_out", "The recipient was paid {payout} on {destination}."),
        E.PREFILLED: ("paid_out", "The recipient was paid {payout} on {destination}."),
        E.DELIVERED: ("paid_out", "{bridge} delivered; the recipient was paid on {destination}."),
        E.RELEASED: ("paid_out", "What was parked was paid to the recipient on {destination}."),
        E.FILL_REVERSED: ("payout_reversed", "A reorganization of {destination} undid the payout."),
        E.PREFILL_REVERSED: (
            "payout_reversed",
            "A reorganization of {destination} undid the payout.",
        ),
        E.DELIVERY_REVERSED: (
            "payout_reversed",
            "A reorganization of {destination} undid the delivery.",
        ),
        E.RELEASE_REVERSED: (
            "payout_reversed",
            "A reorganization of {destination} undid the payout.",
        ),
        E.FILL_REFUSED: (
            "failed",
            "The recipient cannot be paid on {destination}; the deposit is to be refunded.",
        ),
        E.FILL_GIVEN_UP: (
            "failed",
            "The recipient was not paid in time; the deposit is to be refunded.",
        ),
        E.UNFILLED: ("failed", "Nobody filled the transfer over {bridge} in time."),
        E.PARKED: (
            "parked",
            "It arrived on {destination}, where the recipient cannot be paid now; the contract "
            "keeps it for the recipient.",
        ),
        E.PARKING_REVERSED: (
            "parking_reversed",
            "A reorganization of {destination} undid the arrival.",
        ),
        E.BRIDGE_RETURNED: ("bridge_returned", "{bridge} returned the deposit to its address."),
        E.DEADLINE_EMPTY: ("expired", "The payment expired; there is nothing to refund."),
        E.DEADLINE_HOLDING: ("expired", "The payment expired; what was paid goes back."),
        E.CANCELLED_EMPTY: ("cancelled", "Its ramp order ended; there is nothing to refund."),
        E.CANCELLED_HOLDING: (
            "cancelled",
            "Its ramp order ended; what was paid is to be refunded.",
        ),
        E.RETURNED: ("refunded", "The deposit went back to the refund address on {source}."),
        E.RETURN_REVERSED: ("refund_reversed", "A reorganization of {source} undid the refund."),
    }
)
DEPOSITS: Final[Mapping[DepositPurpose, tuple[str, str]]] = MappingProxyType(
    {
        P.PAYMENT: ("deposit_credited", "{amount} from the payer was credited."),
        P.OVERPAYMENT: ("deposit_excess", "{amount} more than was due arrived; it goes back."),
        P.LATE: ("deposit_late", "{amount} arrived after the payment had ended; it goes back."),
        P.WRONG_TOKEN: (
            "deposit_wrong_token",
            "{amount} arrived on {chain}; this payment takes {symbol}.",
        ),
        P.WRONG_CHAIN: (
            "deposit_wrong_chain",
            "{amount} arrived on {chain}; this payment is made on {source}.",
        ),
        P.ZERO_VALUE: ("deposit_empty", "A transfer of nothing arrived on {chain}."),
    }
)
BRIDGE_STATES: Final[Mapping[BridgeTransferState, tuple[str, str]]] = MappingProxyType(
    {
        B.COLLECTED: (
            "collected_by_other",
            "Somebody else collected the deposit, which is to be sent over {bridge}.",
        ),
        B.GIVING_BACK: ("bridge_returning", "The deposit is to be taken back from {bridge}."),
        B.DELAYED: ("bridge_late", "{bridge} takes longer than usual."),
        B.OVERDUE: ("bridge_late", "{bridge} takes longer than usual."),
        B.HALTED: ("bridge_halted", "{bridge} contradicts the chain, so nothing is delivered."),
        B.CLAIMABLE: ("bridge_attested", "The send was attested and can be delivered."),
        B.CLOSED: ("delivery_final", "The delivery is final."),
    }
)
AT_DESTINATION: Final = frozenset(
    {
        E.FILLED, E.FILL_REVERSED, E.FILL_REFUSED, E.FILL_GIVEN_UP, E.PREFILLED, E.PREFILL_REVERSED,
        E.DELIVERED, E.DELIVERY_REVERSED, E.PARKED, E.PARKING_REVERSED, E.RELEASED,
        E.RELEASE_REVERSED,
    }
)  # fmt: skip
PAID: Final = frozenset({E.FILLED, E.PREFILLED, E.DELIVERED, E.RELEASED})
_OTHERS: Final = ("deposit_reversed", "deposit_seen", "excess_returned")
STEP_NAMES: Final = (
    tuple(
        dict.fromkeys(
            name
            for names in (EVENTS.values(), DEPOSITS.values(), BRIDGE_STATES.values())
            for name, _ in names
        )
    )
    + _OTHERS
)
