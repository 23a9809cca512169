"""The receipt of a payment that ended: amounts, addresses and its transactions, to be printed."""

from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup

from crossway.domain.deposits import DepositPurpose, DepositState
from crossway.domain.intent import State
from crossway.domain.outbound import OutboundTx, OutboundTxKind, OutboundTxState
from crossway.domain.public_ids import RecordKind
from crossway.payer.checkout_status import (
    CheckoutTransaction,
    describe_transaction,
    kept_amount,
)
from crossway.payer.details import payment_reference
from crossway.payer.formatting import format_exact, format_instant
from crossway.payer.refund_reason import list_reasons
from crossway.payer.responses import PageRequest
from crossway.usecases.payers.checkout import CheckoutSnapshot
from crossway.usecases.public_numbers import ids_of

_RETURNS = (OutboundTxKind.REFUND, OutboundTxKind.RETURN_EXCESS)
_DONE = (OutboundTxState.CONFIRMED, OutboundTxState.FINAL)
_COUNTED = (DepositPurpose.PAYMENT, DepositPurpose.OVERPAYMENT, DepositPurpose.LATE)


@dataclass(frozen=True, slots=True)
class ReceiptLine:
    """One fact; an address is `mono`."""

    label: Markup
    text: str | Markup
    mono: bool = False


@dataclass(frozen=True, slots=True)
class ReceiptTransaction:
    """One transaction, with all of its hash."""

    label: Markup
    amount: str
    transaction: CheckoutTransaction


@dataclass(frozen=True, slots=True)
class Receipt:
    """The values of the template."""

    title: Markup
    what: str
    status: Markup
    lines: tuple[ReceiptLine, ...]
    transactions: tuple[ReceiptTransaction, ...]
    page_url: str
    payment_url: str


def build_receipt(page_request: PageRequest, view: CheckoutSnapshot, name: str) -> Receipt | None:
    """The receipt of a payment that was completed or refunded; None for any other."""
    t, state, link = page_request.t, view.intent.state, view.link
    if not receipt_url(page_request, view, name):
        return None
    is_paid = state is State.COMPLETED
    return Receipt(
        title=t("receipt.title" if is_paid else "receipt.back_title"),
        what=link.title if link else payment_reference(view),
        status=t("state.completed.title" if is_paid else "state.refunded.title"),
        lines=tuple(_lines(page_request, view)),
        transactions=tuple(_transactions(page_request, view)),
        page_url=page_request.path(name),
        payment_url=page_request.absolute_url(name),
    )


def receipt_url(page_request: PageRequest, view: CheckoutSnapshot, name: str) -> str:
    """Where the receipt of a payment is; empty before there is one."""
    has_receipt = view.intent.state in (State.COMPLETED, State.REFUNDED)
    return page_request.path(f"{name}/receipt") if has_receipt else ""


def _asset(page_request: PageRequest, view: CheckoutSnapshot, units: int) -> str:
    intent = view.intent
    return format_exact(units, intent.asset_decimals, intent.asset_symbol, page_request.t.locale)


def _lines(page_request: PageRequest, view: CheckoutSnapshot) -> Iterator[ReceiptLine]:
    t, intent, merchant = page_request.t, view.intent, view.merchant.name
    terms, chains = intent.terms, page_request.services.catalogue.chains
    number = ids_of(page_request.services).encode(RecordKind.INTENT, intent.id)
    yield ReceiptLine(t("receipt.number"), str(number))
    if (reference := payment_reference(view)) and view.link is not None:
        yield ReceiptLine(t("details.reference"), reference)
    yield ReceiptLine(t("details.created"), format_instant(intent.created_at, t.locale))
    paid = sum(d.incoming.amount for d in view.deposits if _counts(d.state, d.purpose))
    source = chains[terms.source_chain].name
    yield ReceiptLine(t("receipt.paid"), f"{_asset(page_request, view, paid)} · {source}")
    if intent.state is State.COMPLETED:
        yield from _arrival(page_request, view)
    if returned := _returned(view, paid):
        amount = f"{_asset(page_request, view, returned)} · {source}"
        yield ReceiptLine(t("receipt.returned"), amount)
    for reason in list_reasons(page_request, view):
        yield ReceiptLine(reason.label, reason.text)
    yield ReceiptLine(t("receipt.to"), intent.address, mono=True)
    yield ReceiptLine(t("receipt.recipient", merchant=merchant), terms.recipient, mono=True)
    yield ReceiptLine(t("details.refund"), terms.refund_address, mono=True)


def _arrival(page_request: PageRequest, view: CheckoutSnapshot) -> Iterator[ReceiptLine]:
    t, intent = page_request.t, view.intent
    chain = page_request.services.catalogue.chains[intent.terms.destination_chain].name
    got = f"{_payout(page_request, view)} · {chain}"
    yield ReceiptLine(t("receipt.got", merchant=view.merchant.name), got)
    fees = intent.costs.fees_units + intent.costs.app_fee_units
    yield ReceiptLine(t("receipt.fees"), _asset(page_request, view, fees))
    yield ReceiptLine(t("details.paid"), format_instant(intent.updated_at, t.locale))


def _payout(page_request: PageRequest, view: CheckoutSnapshot) -> str:
    intent, units = view.intent, view.intent.terms.payout_amount
    return format_exact(units, intent.out_decimals, intent.out_symbol, page_request.t.locale)


def _counts(state: DepositState, purpose: DepositPurpose | None) -> bool:
    return state is not DepositState.ORPHANED and purpose in _COUNTED


def _returned(view: CheckoutSnapshot, paid: int) -> int:
    """What went back of the payment's own token: all that was paid, less the payment itself, what
    still lies at the address and, where the recipient refused it, the costs that were kept."""
    intent = view.intent
    terms, own = intent.terms, (intent.terms.source_chain, intent.terms.token_in)
    if intent.state is State.REFUNDED and (kept := kept_amount(view)):
        return max(terms.deposit_amount - kept, 0)
    claimed = sum(claim.amount for claim in view.claims if (claim.chain, claim.token) == own)
    used = terms.deposit_amount if intent.state is State.COMPLETED else 0
    return max(paid - used - max(claimed, intent.balance_at_address), 0)


def _returns(view: CheckoutSnapshot) -> Iterator[OutboundTx]:
    return (t for t in view.outbound_txs if t.kind in _RETURNS and t.state in _DONE and t.tx_id)


def _transactions(
    page_request: PageRequest, view: CheckoutSnapshot
) -> Iterator[ReceiptTransaction]:
    """What the payer sent, what the merchant got, and what went back."""
    t, intent, catalogue = page_request.t, view.intent, page_request.services.catalogue
    for deposit in view.deposits:
        if _counts(deposit.state, deposit.purpose):
            incoming = deposit.incoming
            shown = describe_transaction("deposit", incoming.chain, incoming.tx_hash, catalogue)
            amount = _asset(page_request, view, incoming.amount)
            yield ReceiptTransaction(t("tx.deposit"), amount, shown)
    if intent.state is State.COMPLETED and intent.tx_hash:
        chain = intent.terms.destination_chain
        shown = describe_transaction("fill", chain, intent.tx_hash, catalogue)
        label = t("tx.fill", merchant=view.merchant.name)
        yield ReceiptTransaction(label, _payout(page_request, view), shown)
    for tx in _returns(view):
        kind = "refund" if tx.kind is OutboundTxKind.REFUND else "excess"
        shown = describe_transaction(kind, tx.chain, tx.tx_id or "", catalogue)
        yield ReceiptTransaction(t(f"tx.{kind}"), "", shown)
