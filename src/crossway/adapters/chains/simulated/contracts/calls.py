"""Execution of calls of bridges' contracts; `contracts/evm/src` has the originals."""

from typing import Final

from crossway.adapters.chains.rpc.tx_results import UNKNOWN_REVERT
from crossway.adapters.chains.simulated.contracts import arrivals
from crossway.adapters.chains.simulated.contracts.arrivals import Payout
from crossway.adapters.chains.simulated.contracts.call_frame import (
    NOWHERE,
    CallFrame,
    ContractReverted,
    refuse,
    revert,
)
from crossway.adapters.chains.simulated.contracts.cctp_messages import (
    BurnMessage,
    HookTerms,
    sign_message,
    to_address,
)
from crossway.adapters.chains.simulated.contracts.contract_call import ContractCall, Method
from crossway.adapters.chains.simulated.contracts.events import BridgeEvent, EventKind
from crossway.adapters.chains.simulated.contracts.reach import (
    ACROSS_RELAYER,
    EXCHANGE,
    EXCHANGE_NAME,
    FEE_RECIPIENT,
    MESSENGER,
    POOL,
    TOO_DEAR,
    bridge_of,
)
from crossway.domain.quotes import BridgeName

PAUSED: Final = "Pausable: paused"
POOL_PAUSED: Final = "DepositsArePaused"
NOT_ATTESTER: Final = "Invalid signature: not attester"
WRONG_DOMAIN: Final = "Invalid destination domain"
MESSAGE_EXPIRED: Final = "Message expired and must be re-signed"


def execute_call(frame: CallFrame, call: ContractCall) -> None:
    """Execute a call. Raises `ContractReverted`; the caller undoes the frame then."""
    if call.method is not Method.FILL and call.bridger not in frame.reach.collectors.values():
        raise ContractReverted(UNKNOWN_REVERT)
    payout = Payout(call.intent_hash, call.bridger, call.token_out, call.recipient, call.amount)
    match call.method:
        case Method.START:
            if frame.has(EventKind.STARTED):
                revert("ALREADY_STARTED")
            _start(frame, call)
        case Method.SEND:
            _send(frame, call)
        case Method.GIVE_BACK:
            _give_back(frame, call)
        case Method.DELIVER:
            _deliver(frame, call)
        case Method.FILL_RELAY:
            _fill_relay(frame, call, payout)
        case Method.RELEASE:
            arrivals.release(frame, payout)
        case Method.UNPARK:
            arrivals.unpark(frame, payout)
        case Method.FILL:
            arrivals.fill(frame, payout)


def _start(frame: CallFrame, call: ContractCall) -> None:
    """Collect the deposit; what is above it goes back if the refund address accepts it."""
    if frame.at >= call.expiry:
        revert("EXPIRED")
    if not frame.move(call.deposit, call.bridger, call.token, call.total):
        revert("INSUFFICIENT_DEPOSIT")
    if excess := frame.accounts.units(call.deposit, call.token):
        frame.move(call.deposit, call.refund_to, call.token, excess)
    _report(frame, call, EventKind.STARTED)


def _send(frame: CallFrame, call: ContractCall) -> None:
    """Start the payment unless it was started before, and send its deposit over the bridge."""
    _require_unspent(frame)
    if frame.at >= call.expiry:
        revert("EXPIRED")
    if not frame.has(EventKind.STARTED):
        _start(frame, call)
    over_across = bridge_of(call.bridger) is BridgeName.ACROSS
    if over_across:
        _check_output(frame, call)
    if not over_across and BridgeName.CCTP in frame.paused:
        refuse(PAUSED)
    token, amount, spent = _swap(frame, call) if call.bought else (call.token, call.total, 0)
    if not frame.move(call.bridger, POOL if over_across else MESSENGER, token, amount):
        revert("BRIDGE_FAILED")
    if not over_across:
        frame.move(MESSENGER, NOWHERE, token, amount)
    _report(frame, call, EventKind.SENT, bytes.fromhex(call.message), (token, amount, spent))


def _swap(frame: CallFrame, call: ContractCall) -> tuple[str, int, int]:
    """Buy what is to be sent with the collected deposit, and return the rest of that to the payer:
    the token, the amount and what it cost."""
    if not frame.is_agent:
        revert("NOT_AUTHORIZED")
    if call.bought < call.amount:
        revert("INVALID_TERMS")
    if call.price > call.total or EXCHANGE_NAME in frame.paused:
        refuse(TOO_DEAR)
    frame.move(call.bridger, EXCHANGE, call.token, call.price)
    # What the exchange sells comes from outside of the simulated network, and so does what it owes
    # since it sold from the relayer's inventory.
    owed = -min(frame.accounts.units(EXCHANGE, call.bought_token), 0)
    frame.move(NOWHERE, EXCHANGE, call.bought_token, call.bought + owed)
    frame.move(EXCHANGE, call.bridger, call.bought_token, call.bought)
    rest = call.total - call.price
    if rest and not frame.move(call.bridger, call.refund_to, call.token, rest):
        frame.move(call.bridger, call.deposit, call.token, rest)
    return call.bought_token, call.bought, call.price


def _check_output(frame: CallFrame, call: ContractCall) -> None:
    """What relayers are asked to pay is the coordinator's choice, as it decides whether they do."""
    if not frame.is_agent:
        revert("NOT_AUTHORIZED")
    if call.output < call.amount:
        revert("INVALID_TERMS")
    if BridgeName.ACROSS in frame.paused:
        refuse(POOL_PAUSED)


def _give_back(frame: CallFrame, call: ContractCall) -> None:
    """Return a collected deposit to its address and from there, as it was started, on."""
    _require_unspent(frame)
    if not frame.has(EventKind.STARTED):
        revert("NOT_STARTED")
    if frame.at < call.expiry and not frame.is_agent:
        revert("TOO_EARLY")
    if not frame.move(call.bridger, call.deposit, call.token, call.total):
        revert("TRANSFER_FAILED")
    held = frame.accounts.units(call.deposit, call.token)
    frame.move(call.deposit, call.refund_to, call.token, held)
    _report(frame, call, EventKind.GIVEN_BACK)


def _deliver(frame: CallFrame, call: ContractCall) -> None:
    """Mint what an attested message says, and use it."""
    try:
        message = BurnMessage.parse(bytes.fromhex(call.message))
    except ValueError:
        revert("INVALID_MESSAGE")
    if (to_address(message.recipient), to_address(message.message_sender)) != (
        MESSENGER,
        call.bridger,
    ):
        revert("INVALID_MESSAGE")
    terms = HookTerms.of(message)
    if (message.intent_hash, terms.bridger, terms.destination, terms.token) != (
        call.intent_hash,
        call.bridger,
        frame.reach.number,
        frame.reach.usdc,
    ):
        revert("INVALID_TERMS")
    if message.message_id in {event.message_id for event in frame.history}:
        revert("ALREADY_DELIVERED")
    _receive_message(frame, call, message)
    payout = Payout(message.intent_hash, call.bridger, terms.token, terms.recipient, terms.amount)
    got = message.amount - message.fee_executed
    arrivals.arrive(frame, payout, got, can_park=True, message_id=message.message_id)


def _receive_message(frame: CallFrame, call: ContractCall, message: BurnMessage) -> None:
    """What Circle's transmitter and messenger do with a message."""
    if BridgeName.CCTP in frame.paused:
        refuse(PAUSED)
    if bytes.fromhex(call.attestation) != sign_message(message.encode()):
        refuse(NOT_ATTESTER)
    if message.destination_domain != frame.reach.domain:
        refuse(WRONG_DOMAIN)
    if message.expiration_block and message.expiration_block <= frame.height:
        refuse(MESSAGE_EXPIRED)
    usdc = frame.reach.usdc
    frame.move(NOWHERE, call.bridger, usdc, message.amount - message.fee_executed)
    if message.fee_executed:
        frame.move(NOWHERE, FEE_RECIPIENT, usdc, message.fee_executed)


def _fill_relay(frame: CallFrame, call: ContractCall, payout: Payout) -> None:
    """A relayer of Across pays the contract, strictly: a recipient that refuses reverts all of it.
    Its money comes from outside of the simulated network, as that of payers does. The call's expiry
    is the deadline for fills."""
    if frame.at > call.expiry:
        refuse("ExpiredFillDeadline")
    frame.move(NOWHERE, ACROSS_RELAYER, call.token_out, call.output)
    if frame.has(EventKind.ARRIVED):
        refuse("RelayFilled")
    frame.move(ACROSS_RELAYER, call.bridger, call.token_out, call.output)
    arrivals.arrive(frame, payout, call.output, can_park=False)


def _require_unspent(frame: CallFrame) -> None:
    if frame.has(EventKind.SENT):
        revert("ALREADY_SENT")
    if frame.has(EventKind.GIVEN_BACK):
        revert("ALREADY_GIVEN_BACK")


def _report(
    frame: CallFrame,
    call: ContractCall,
    kind: EventKind,
    message: bytes = b"",
    sent: tuple[str, int, int] | None = None,
) -> None:
    """Report an event; `sent` is the token and the amount that it is about, where that is not the
    deposit, and what that amount cost."""
    token, got, paid = sent or (call.token, call.total, 0)
    frame.events.append(
        BridgeEvent(
            call.intent_hash,
            kind,
            call.bridger,
            frame.at,
            token=token,
            got=got,
            paid=paid,
            message=message,
        )
    )
