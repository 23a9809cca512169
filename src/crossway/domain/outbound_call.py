"""The call of one outbound transaction, as a chain adapter signs it, and its on-chain markers."""

from dataclasses import dataclass
from datetime import datetime

from crossway.domain.intent import Intent, Terms
from crossway.domain.outbound import OutboundTxKind


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
    against which a contract verifies its calls.
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


def start_marker(intent: Intent) -> str:
    """The on-chain marker that the deposit was collected on the source chain."""
    return f"start:{intent.intent_hash}"


def fill_marker(intent: Intent) -> str:
    """The on-chain marker that the recipient was paid on the destination chain."""
    return f"fill:{intent.intent_hash}"


def settle_marker(intent: Intent) -> str:
    """The on-chain marker that a collected deposit left escrow, to the relayer or to the payer."""
    return f"settle:{intent.intent_hash}"
