"""The label, colour and icon of every status, event and account, shared by all pages."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from crossway.dashboard.views.cells import Badge
from crossway.domain.bridge_transfer import Custody
from crossway.domain.deposits import DepositPurpose, DepositState
from crossway.domain.intent import Intent, IntentEvent, State
from crossway.domain.ledger import Account
from crossway.domain.outbound import OutboundTx, OutboundTxKind, OutboundTxState
from crossway.domain.quotes import bridge_title

SIMULATED: Final = "SIMULATED – no real money"

INTENT_STATES: Final[Mapping[State, Badge]] = MappingProxyType(
    {
        State.PENDING: Badge("Pending", "orange", "hourglass_top", "Waiting for the deposit"),
        State.FUNDED: Badge("Funded", "blue", "savings", "The deposit is complete"),
        State.INITIATED: Badge(
            "Initiated", "violet", "sync", "The payout to the recipient is in progress"
        ),
        State.COMPLETED: Badge("Completed", "green", "check_circle", "The recipient has been paid"),
        State.EXPIRED: Badge("Expired", "gray", "timer_off", "Not funded before the deadline"),
        State.REFUNDED: Badge(
            "Refunded", "yellow", "undo", "The deposit was returned to the payer"
        ),
        State.FAILED: Badge("Failed", "red", "error", "It cannot be paid out"),
    }
)

INTENT_EVENTS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "CREATED": ("Payment created", "add_circle"),
        IntentEvent.DEPOSIT_SHORT: ("Partial deposit credited", "hourglass_bottom"),
        IntentEvent.DEPOSIT_FULL: ("Deposit complete", "savings"),
        IntentEvent.DEPOSIT_EXTRA: ("Additional deposit", "add"),
        IntentEvent.DEPOSIT_LATE: ("Late deposit", "schedule"),
        IntentEvent.DEPOSIT_REVERSED: ("Deposit reversed by a chain reorganization", "undo"),
        IntentEvent.STARTED: ("Deposit collected on the source chain", "play_arrow"),
        IntentEvent.START_REVERSED: ("Collection reversed by a chain reorganization", "undo"),
        IntentEvent.FILLED: ("Recipient paid", "check_circle"),
        IntentEvent.FILL_REVERSED: ("Payout reversed by a chain reorganization", "undo"),
        IntentEvent.FILL_REFUSED: ("Payout rejected permanently", "error"),
        IntentEvent.FILL_GIVEN_UP: ("Payout given up, refund due", "undo"),
        IntentEvent.REIMBURSED: ("Relayer repaid from the escrow", "handshake"),
        IntentEvent.SENT: ("Sent over the bridge", "send"),
        IntentEvent.PREFILLED: ("Recipient paid from inventory", "check_circle"),
        IntentEvent.PREFILL_REVERSED: ("Payout reversed by a chain reorganization", "undo"),
        IntentEvent.DELIVERED: ("Recipient paid by the bridge", "check_circle"),
        IntentEvent.DELIVERY_REVERSED: ("Delivery reversed by a chain reorganization", "undo"),
        IntentEvent.UNFILLED: ("Bridge transfer not filled in time", "timer_off"),
        IntentEvent.BRIDGE_RETURNED: ("Returned by the bridge", "undo"),
        IntentEvent.PARKED: ("Parked: the recipient cannot be paid", "local_parking"),
        IntentEvent.PARKING_REVERSED: ("Parking reversed by a chain reorganization", "undo"),
        IntentEvent.RELEASED: ("Released to the recipient", "check_circle"),
        IntentEvent.RELEASE_REVERSED: ("Release reversed by a chain reorganization", "undo"),
        IntentEvent.DEADLINE_EMPTY: ("Expired without payment", "timer_off"),
        IntentEvent.DEADLINE_HOLDING: ("Expired, refund due", "timer_off"),
        IntentEvent.CANCELLED_EMPTY: ("Cancelled with its ramp order", "block"),
        IntentEvent.CANCELLED_HOLDING: ("Cancelled with its ramp order, refund due", "block"),
        IntentEvent.RETURNED: ("Refunded", "undo"),
        IntentEvent.RETURN_REVERSED: ("Refund reversed by a chain reorganization", "undo"),
        IntentEvent.LEDGER_ONLY: ("Ledger adjusted", "menu_book"),
    }
)

OUTBOUND_TX_KINDS: Final[Mapping[OutboundTxKind, str]] = MappingProxyType(
    {
        OutboundTxKind.START: "Deposit collection",
        OutboundTxKind.FILL: "Payout to the recipient",
        OutboundTxKind.RETURN_EXCESS: "Overpayment return",
        OutboundTxKind.REIMBURSE: "Repayment from the escrow",
        OutboundTxKind.REFUND: "Refund to the payer",
        OutboundTxKind.SKIP_NONCE: "Skipped nonce",
        OutboundTxKind.DELIVER: "Delivery by the bridge",
        OutboundTxKind.RELEASE: "Release to the recipient",
        OutboundTxKind.GIVE_BACK: "Return from the bridge's contract",
        OutboundTxKind.PAY_IN: "Signed transfer of the payer",
        OutboundTxKind.INVENTORY_APPROVE: "Approval of an inventory transfer",
        OutboundTxKind.INVENTORY_SEND: "Inventory transfer",
        OutboundTxKind.FORWARD: "Forwarding from a standing address",
        OutboundTxKind.RECOVER: "Return from a standing address",
    }
)

OUTBOUND_TX_STATES: Final[Mapping[OutboundTxState, Badge]] = MappingProxyType(
    {
        OutboundTxState.DUE: Badge("Queued", "gray", "schedule", "Not signed yet"),
        OutboundTxState.SIGNED: Badge(
            "Sent", "violet", "sync", "Signed and sent, not included in a block yet"
        ),
        OutboundTxState.CONFIRMED: Badge(
            "Confirmed", "blue", "check", "Has enough confirmations to act on"
        ),
        OutboundTxState.FINAL: Badge(
            "Final", "green", "check_circle", "Cannot be reorganized any more"
        ),
        OutboundTxState.FAILED: Badge(
            "Failed", "red", "error", "Retries exhausted; needs attention"
        ),
        OutboundTxState.CANCELLED: Badge("Cancelled", "gray", "block", "No longer needed"),
    }
)

DEPOSIT_PURPOSES: Final[Mapping[DepositPurpose, Badge]] = MappingProxyType(
    {
        DepositPurpose.PAYMENT: Badge("Payment", "green", "check"),
        DepositPurpose.BRIDGE_RETURN: Badge("Returned by the bridge", "gray", "undo"),
        DepositPurpose.OVERPAYMENT: Badge(
            "Overpayment", "orange", "add", "More than requested, or a second deposit"
        ),
        DepositPurpose.LATE: Badge(
            "Late", "orange", "schedule", "Arrived after the payment expired"
        ),
        DepositPurpose.WRONG_TOKEN: Badge("Wrong token", "red", "token", "Not the requested token"),
        DepositPurpose.WRONG_CHAIN: Badge(
            "Wrong chain", "red", "call_split", "The deposit address on another chain"
        ),
        DepositPurpose.BRIDGE_RETURN: Badge(
            "Returned by the bridge", "orange", "undo", "The bridge could not carry the deposit"
        ),
        DepositPurpose.ZERO_VALUE: Badge("Zero value", "gray", "remove", "A transfer of zero"),
    }
)

DEPOSIT_STATES: Final[Mapping[DepositState, Badge]] = MappingProxyType(
    {
        DepositState.SEEN: Badge("Detected", "orange", "visibility", "Waiting for confirmations"),
        DepositState.CREDITED: Badge("Credited", "green", "check_circle", "Booked in the ledger"),
        DepositState.ORPHANED: Badge("Orphaned", "gray", "undo", "Its block was reorganized away"),
    }
)

ACCOUNT_NAMES: Final[Mapping[Account, str]] = MappingProxyType(
    {
        Account.PAYER: "Payer",
        Account.STANDING: "Held at standing addresses",
        Account.HELD: "Held at the deposit address",
        Account.ESCROW: "Collected, in a contract",
        Account.INVENTORY: "Relayer's own funds",
        Account.TREASURY: "Treasury, besides fees",
        Account.RECIPIENT: "Recipient",
        Account.DUST: "Payers' dust at deposit addresses",
        Account.SERVICE_FEES: "Service fees",
        Account.SPREAD: "Spread of payments out of inventory",
        Account.APP_FEES: "App fees",
        Account.BRIDGE_FEES: "Bridge fees taken",
        Account.NETWORK_FEES: "Network fees",
        Account.EQUITY: "Operator's equity",
        Account.IN_TRANSIT: "On its way over a bridge",
        Account.CROSSED: "Crossed from chain to chain",
        Account.EXCHANGED: "Swapped on exchanges",
        Account.PARKED: "Parked for recipients",
        Account.OWED: "Owed by bridges' contracts",
        Account.BRIDGE_SURPLUS: "Bridge fees not taken",
        Account.UNCLAIMED: "Unclaimed",
        Account.CUSTOMER: "Customer",
        Account.PROVIDER: "Held by the provider",
        Account.FX_CLEARING: "FX clearing",
        Account.RAMP_FEES: "Provider's fees",
    }
)

SHORT: Final = Badge("Underpaid", "orange", "hourglass_bottom", "Received less than requested")
OVER: Final = Badge(
    "Overpaid", "blue", "add", "Received more than requested; the excess is returned"
)
LATE: Final = Badge("Late", "orange", "schedule", "A deposit arrived after the payment expired")
MISDIRECTED: Final = Badge(
    "Wrong token",
    "red",
    "token",
    "A deposit of another token or on another chain; it can be returned",
)
REFUND_OWED: Final = Badge(
    "Refund due", "orange", "undo", "The deposit address still holds funds to be refunded"
)
REFUND_FAILED: Final = Badge("Refund failed", "red", "error", "The refund could not be sent")
HELD_UP: Final = Badge(
    "Blocked", "orange", "warning", "A transaction is waiting; open the payment for the reason"
)


RETURN_KINDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "foreign": "Wrong token return",
        "late": "Late deposit return",
    }
)


def describe_outbound_tx(transfer: OutboundTx, intent: Intent) -> str:
    """The purpose of an outbound transaction; a return is described by its reason."""
    terms = intent.terms
    if transfer.kind is OutboundTxKind.START and intent.custody is Custody.BRIDGE:
        return f"Send over {bridge_title(terms.bridge)}"
    if transfer.kind is OutboundTxKind.RETURN_EXCESS:
        if (transfer.chain, transfer.token) != (terms.source_chain, terms.token_in):
            return RETURN_KINDS["foreign"]
        if intent.state is State.REFUNDED:
            return RETURN_KINDS["late"]
    return OUTBOUND_TX_KINDS[transfer.kind]


def describe_event(name: str) -> tuple[str, str]:
    """The title and the icon of an event; an unknown event is shown by its name."""
    return INTENT_EVENTS.get(name, (name.replace("_", " ").capitalize(), "circle"))
