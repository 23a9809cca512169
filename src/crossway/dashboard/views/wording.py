"""One word, one colour and one icon for everything that has a state, on every screen."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from crossway.dashboard.views.cells import Chip
from crossway.domain.deposits import DepositState, Purpose
from crossway.domain.intent import Intent, State
from crossway.domain.ledger import Account
from crossway.domain.transfers import Duty, Transfer, TransferState

SIMULATED: Final = "SIMULATED – no real money"

STATES: Final[Mapping[State, Chip]] = MappingProxyType(
    {
        State.PENDING: Chip("Pending", "orange", "hourglass_top", "Waiting for the deposit"),
        State.FUNDED: Chip("Funded", "blue", "savings", "The deposit is complete"),
        State.INITIATED: Chip("Initiated", "violet", "sync", "On its way to the recipient"),
        State.COMPLETED: Chip("Completed", "green", "check_circle", "The recipient has the money"),
        State.EXPIRED: Chip("Expired", "gray", "timer_off", "Not funded in time"),
        State.REFUNDED: Chip("Refunded", "yellow", "undo", "What was paid went back"),
        State.FAILED: Chip(
            "Failed", "red", "error", "Started, and the payout was refused for good"
        ),
    }
)

EVENTS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "CREATED": ("Payment created", "add_circle"),
        "DEPOSIT_SHORT": ("Deposit credited, still short", "hourglass_bottom"),
        "DEPOSIT_FULL": ("Deposit complete", "savings"),
        "DEPOSIT_EXTRA": ("Further deposit", "add"),
        "DEPOSIT_LATE": ("Late deposit", "schedule"),
        "DEPOSIT_REVERSED": ("Deposit taken back by a reorganisation", "undo"),
        "STARTED": ("Deposit collected on the source chain", "play_arrow"),
        "START_REVERSED": ("Start taken back by a reorganisation", "undo"),
        "FILLED": ("Recipient paid", "check_circle"),
        "FILL_REVERSED": ("Payout taken back by a reorganisation", "undo"),
        "FILL_REFUSED": ("Payout refused for good", "error"),
        "REIMBURSED": ("Relayer repaid by the bridge", "handshake"),
        "DEADLINE_EMPTY": ("Time is over, nothing was paid", "timer_off"),
        "DEADLINE_HOLDING": ("Time is over, a refund is owed", "timer_off"),
        "WITHDRAWN_EMPTY": ("Withdrawn with its ramp order", "block"),
        "WITHDRAWN_HOLDING": ("Withdrawn with its ramp order, a refund is owed", "block"),
        "RETURNED": ("Refund sent", "undo"),
        "RETURN_REVERSED": ("Refund taken back by a reorganisation", "undo"),
        "BOOKED": ("Other money booked", "menu_book"),
    }
)

DUTIES: Final[Mapping[Duty, str]] = MappingProxyType(
    {
        Duty.START: "Collect the deposit",
        Duty.FILL: "Pay the recipient",
        Duty.RETURN_EXCESS: "Return what was too much",
        Duty.REIMBURSE: "Be repaid by the bridge",
        Duty.REFUND: "Refund the payer",
    }
)

TRANSFERS: Final[Mapping[TransferState, Chip]] = MappingProxyType(
    {
        TransferState.DUE: Chip("Due", "gray", "schedule", "Owed, nothing is signed yet"),
        TransferState.SIGNED: Chip("Sent", "violet", "sync", "Signed and sent, not in a block yet"),
        TransferState.CONFIRMED: Chip("Confirmed", "blue", "check", "Deep enough to act on"),
        TransferState.FINAL: Chip("Final", "green", "check_circle", "Can no longer be undone"),
        TransferState.FAILED: Chip("Failed", "red", "error", "Given up; a person has to look"),
        TransferState.CANCELLED: Chip("Cancelled", "gray", "block", "No longer owed"),
    }
)

PURPOSES: Final[Mapping[Purpose, Chip]] = MappingProxyType(
    {
        Purpose.PAYMENT: Chip("Payment", "green", "check"),
        Purpose.EXTRA: Chip("Extra", "orange", "add", "More than was asked, or again"),
        Purpose.LATE: Chip("Late", "orange", "schedule", "After the payment had expired"),
        Purpose.FOREIGN: Chip("Foreign token", "red", "token", "Not the token that was asked for"),
        Purpose.ELSEWHERE: Chip("Other chain", "red", "call_split", "The right address elsewhere"),
        Purpose.NOTHING: Chip("Nothing", "gray", "remove", "A transfer of zero"),
    }
)

DEPOSITS: Final[Mapping[DepositState, Chip]] = MappingProxyType(
    {
        DepositState.SEEN: Chip("Seen", "orange", "visibility", "In a block, not deep enough yet"),
        DepositState.CREDITED: Chip("Credited", "green", "check_circle", "In the books"),
        DepositState.ORPHANED: Chip("Reorganised", "gray", "undo", "Its block is gone"),
    }
)

ACCOUNTS: Final[Mapping[Account, str]] = MappingProxyType(
    {
        Account.PAYER: "Payer",
        Account.HELD: "Held at the deposit address",
        Account.ESCROW: "Collected, owed by the bridge",
        Account.INVENTORY: "Relayer's own funds",
        Account.RECIPIENT: "Recipient",
        Account.KEPT: "Kept dust",
        Account.SERVICE_FEES: "Service fees",
        Account.APP_FEES: "App fees",
        Account.BRIDGE_FEES: "Bridge fees",
        Account.NETWORK_FEES: "Network fees",
        Account.CAPITAL: "Operator's capital",
        Account.CUSTOMER: "Customer",
        Account.PROVIDER: "Held by the provider",
        Account.EXCHANGED: "Exchanged for crypto",
        Account.RAMP_FEES: "Provider's fees",
    }
)

SHORT: Final = Chip("Short", "orange", "hourglass_bottom", "Something came in, less than asked")
OVER: Final = Chip("Over", "blue", "add", "More came in than asked; the excess goes back")
LATE: Final = Chip("Late", "orange", "schedule", "Money came in after the payment had expired")
FOREIGN: Final = Chip("Foreign token", "red", "token", "Another token or chain; it can go back")
REFUND_OWED: Final = Chip("Refund owed", "orange", "undo", "Money is still held and goes back")
REFUND_FAILED: Final = Chip("Refund failed", "red", "error", "The refund could not be sent")
WAITING: Final = Chip("Held up", "orange", "warning", "A transaction waits; the payment says why")


RETURNS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "foreign": "Return the foreign money",
        "late": "Return the late deposit",
    }
)


def duty(transfer: Transfer, intent: Intent) -> str:
    """What a transfer is for: what goes back is called by why it does."""
    terms = intent.terms
    if transfer.duty is Duty.RETURN_EXCESS:
        if (transfer.chain, transfer.token) != (terms.source_chain, terms.token_in):
            return RETURNS["foreign"]
        if intent.state is State.REFUNDED:
            return RETURNS["late"]
    return DUTIES[transfer.duty]


def event(name: str) -> tuple[str, str]:
    """What an event is called and its icon; one without words is shown as it is named."""
    return EVENTS.get(name, (name.replace("_", " ").capitalize(), "circle"))
