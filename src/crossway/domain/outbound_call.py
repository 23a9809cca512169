"""The call of one outbound transaction, as a chain adapter signs it, and its on-chain markers."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from crossway.domain.bridge_transfer import Custody
from crossway.domain.intent import Intent, Terms
from crossway.domain.outbound import OutboundTxKind
from crossway.domain.payer_signatures import PayerSignature
from crossway.domain.quotes import BridgeName
from crossway.domain.standing import StandingTerms
from crossway.domain.swaps import Swap

LAST_PAYOUT_SECONDS: Final = 3_600
"""No payout is made so long after its payment's expiry. Contracts refuse it from then on, where
they can, long before a deposit can be reclaimed from its escrow."""


@dataclass(frozen=True, slots=True)
class Output:
    """One transfer inside a transaction; `amount` None means the whole balance of `source`.

    If an output is not `required`, its rejection by the receiver does not revert the rest.
    """

    source: str
    to: str
    token: str
    amount: int | None
    required: bool = True


@dataclass(frozen=True, slots=True)
class OutboundCall:
    """The content of one transaction for an adapter to sign.

    `marker` lets it execute at most once on its chain; `not_after` is the last chain time at which
    it may be included. `terms`, `bridger` and `coordinator` are those of the intent as stored,
    against which a contract verifies its calls. `custody` BRIDGE: `bridger` is a bridge's
    contract. `message` and `attestation` are what a DELIVER hands to it, `bridge_output` is what a
    START asks a bridge to pay out that fills deposits. `swap` is what a START exchanges the deposit
    for. For an inventory transfer, `data` is what the `contract` is called with, and `value` the
    native coins that go with it. `signature` is the payer's, which a PAY_IN carries out. `standing`
    are the terms of the standing address that a FORWARD or a RECOVER moves a deposit from,
    `deposit_id` names that one.
    """

    kind: OutboundTxKind
    chain: str
    account: str
    intent_hash: str
    outputs: tuple[Output, ...]
    marker: str | None = None
    not_after: datetime | None = None
    terms: Terms | None = None
    bridger: str = ""
    coordinator: str = ""
    custody: Custody = Custody.OPERATOR
    message: bytes = b""
    attestation: bytes = b""
    bridge_output: int = 0
    swap: Swap | None = None
    contract: str = ""
    data: bytes = b""
    value: int = 0
    signature: PayerSignature | None = None
    standing: StandingTerms | None = None
    deposit_id: bytes = b""


def refund_call(intent: Intent, chain: str, token: str, account: str) -> OutboundCall:
    """The refund of all of a token at a payment's address, sent by an account."""
    back = Output(intent.address, intent.terms.refund_address, token, None)
    return OutboundCall(
        OutboundTxKind.REFUND,
        chain,
        account,
        intent.intent_hash,
        (back,),
        terms=intent.terms,
        bridger=intent.bridger,
        coordinator=intent.coordinator,
    )


def bridge_call(
    intent: Intent, kind: OutboundTxKind, message: bytes = b"", attestation: bytes = b""
) -> OutboundCall:
    """A call of a bridge's contract that anybody may make for a payment: START sends it, GIVE_BACK
    takes it back, DELIVER pays the recipient by an attested message, RELEASE what was parked."""
    at_source = kind in (OutboundTxKind.START, OutboundTxKind.GIVE_BACK)
    return OutboundCall(
        kind,
        intent.terms.source_chain if at_source else intent.terms.destination_chain,
        intent.terms.refund_address if at_source else intent.terms.recipient,
        intent.intent_hash,
        (),
        terms=intent.terms,
        bridger=intent.bridger,
        coordinator=intent.coordinator,
        custody=intent.custody,
        message=message,
        attestation=attestation,
        swap=intent.swap if kind is OutboundTxKind.START else None,
    )


def start_outputs(intent: Intent, exchange: str) -> tuple[Output, ...]:
    """What the start of a payment transfers. A contract of a bridge swaps by itself; out of
    inventory, the deposit buys what is collected at the address of an exchange. What is left goes
    back where the refund address accepts it: one that does not must not block the start."""
    terms, swap, address = intent.terms, intent.swap, intent.address
    rest = Output(address, terms.refund_address, terms.token_in, None, required=False)
    if swap is None or intent.custody is Custody.BRIDGE:
        return (Output(address, intent.bridger, terms.token_in, terms.deposit_amount), rest)
    return (
        Output(address, exchange, terms.token_in, swap.expected_input),
        Output(exchange, intent.bridger, swap.token, swap.output),
        rest,
    )


def is_open_to_anyone(call: OutboundCall) -> bool:
    """Whether contracts take this call from any account, with nothing in it for the caller to
    choose: the sends and deliveries of CCTP, but for a send that swaps first."""
    of_cctp = call.terms is not None and call.terms.bridge == BridgeName.CCTP
    if call.kind is OutboundTxKind.START and call.swap is not None:
        return False
    is_open = call.kind in (OutboundTxKind.START, OutboundTxKind.DELIVER)
    return call.custody is Custody.BRIDGE and of_cctp and is_open


def last_payout_time(terms: Terms) -> datetime:
    """The chain time until which a recipient may be paid."""
    return terms.expires_at + timedelta(seconds=LAST_PAYOUT_SECONDS)


def start_marker(intent: Intent) -> str:
    """The on-chain marker that the deposit was collected on the source chain."""
    return f"start:{intent.intent_hash}"


def send_marker(intent: Intent) -> str:
    """The on-chain marker that the bridge's contract sent the deposit or gave it back."""
    return f"send:{intent.intent_hash}"


def arrival_marker(intent: Intent) -> str:
    """The on-chain marker that what a bridge carried arrived at its contract."""
    return f"arrive:{intent.intent_hash}"


def release_marker(intent: Intent) -> str:
    """The on-chain marker that what was parked at a bridge's contract left it."""
    return f"release:{intent.intent_hash}"


def fill_marker(intent: Intent) -> str:
    """The on-chain marker that the recipient was paid on the destination chain, by the contract
    that belongs to the payment's bridger: what another one paid was not for this payment."""
    return f"fill:{intent.intent_hash}{_contract_set(intent)}"


def settle_marker(intent: Intent) -> str:
    """The on-chain marker that a collected deposit left escrow, to the relayer or to the payer."""
    return f"settle:{intent.intent_hash}{_contract_set(intent)}"


def _contract_set(intent: Intent) -> str:
    return f":{intent.bridger}" if intent.custody is Custody.OPERATOR else ""
