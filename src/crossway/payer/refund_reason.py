"""Why a payment went back to its payer."""

from dataclasses import dataclass

from markupsafe import Markup

from crossway.domain.deposits import DepositPurpose, DepositState
from crossway.domain.intent import State
from crossway.domain.outbound import OutboundTxKind, OutboundTxState
from crossway.payer.checkout_status import kept_amount
from crossway.payer.formatting import format_exact
from crossway.payer.responses import PageRequest
from crossway.usecases.payers.checkout import CheckoutSnapshot

_PAYMENTS = (DepositPurpose.PAYMENT, DepositPurpose.OVERPAYMENT)


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason, and what it is called in the payer's language."""

    label: Markup
    text: str | Markup


def list_reasons(page_request: PageRequest, view: CheckoutSnapshot) -> list[Reason]:
    """Why the payment went back, in the payer's language, and then as whoever refunded it wrote;
    none where nothing did."""
    t = page_request.t
    # A bridge may deliver what was to be taken back.
    note = "" if view.intent.state is State.COMPLETED else view.refund_note
    reasons = (("reason", _reason_text(page_request, view)), ("note", note))
    return [Reason(t(f"receipt.{name}"), text) for name, text in reasons if text]


def _reason_text(page_request: PageRequest, view: CheckoutSnapshot) -> Markup:
    t, intent = page_request.t, view.intent
    key = _find_reason(view)

    def amount(units: int) -> str:
        return format_exact(units, intent.asset_decimals, intent.asset_symbol, t.locale)

    values = {
        "short": {
            "received": amount(intent.received_amount),
            "total": amount(intent.terms.deposit_amount),
        },
        "refused": {"merchant": view.merchant.name},
    }.get(key, {})
    return t(f"reason.{key}", **values) if key else Markup()


def _find_reason(view: CheckoutSnapshot) -> str:
    """The key of its text: `refused`, `undelivered`, `unsent`, `short`, `late` or `stray`; empty
    where nothing goes back, and where the state of the payment says why."""
    intent = view.intent
    purposes = {d.purpose for d in view.deposits if d.state is not DepositState.ORPHANED}
    if intent.state not in (State.EXPIRED, State.REFUNDED) or not purposes:
        return ""
    if _was_started(view):
        return "refused" if kept_amount(view) else "undelivered"
    if intent.received_amount >= intent.terms.deposit_amount:
        return "unsent"
    if purposes.intersection(_PAYMENTS):
        return "short"
    return "late" if DepositPurpose.LATE in purposes else "stray"


def _was_started(view: CheckoutSnapshot) -> bool:
    done = (OutboundTxState.CONFIRMED, OutboundTxState.FINAL)
    return any(t.kind is OutboundTxKind.START and t.state in done for t in view.outbound_txs)
