"""The details on a payment's checkout page."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from markupsafe import Markup

from crossway.domain.bridge_transfer import Custody
from crossway.domain.intent import Intent, State
from crossway.domain.quotes import BridgeName, bridge_title
from crossway.domain.swaps import Swap
from crossway.payer.formatting import epoch_millis, format_exact, format_instant, format_time
from crossway.payer.responses import PageRequest
from crossway.usecases.payers.checkout import CheckoutSnapshot


@dataclass(frozen=True, slots=True)
class DetailView:
    """One detail; `at` and `millis` are set for an instant."""

    label: Markup
    text: str
    mono: bool = False
    at: str = ""
    millis: int = 0


def list_details(page_request: PageRequest, view: CheckoutSnapshot) -> Iterator[DetailView]:
    """The details below the status."""
    t, intent = page_request.t, view.intent
    terms = intent.terms
    arrives = format_exact(terms.payout_amount, intent.out_decimals, intent.out_symbol, t.locale)
    yield DetailView(t("details.arrives", merchant=view.merchant.name), arrives)
    if reference := payment_reference(view):
        yield DetailView(t("details.reference"), reference)
    yield DetailView(t("details.refund"), terms.refund_address, mono=True)
    collected = intent.collected
    network_fee = collected.costs.network_fee_units
    is_kept = intent.custody is Custody.OPERATOR and network_fee > 0
    if is_kept and intent.state is not State.COMPLETED:
        kept = format_exact(network_fee, collected.decimals, collected.symbol, t.locale)
        yield DetailView(
            t("details.refusal", merchant=view.merchant.name),
            t("details.refusal_amount", kept=kept),
        )
    if intent.swap is not None:
        yield DetailView(t("details.swap"), _swap(page_request, intent, intent.swap))
    yield DetailView(t("details.trust"), _trust(page_request, view))
    if view.progress is not None and view.progress.expected_at and intent.state is State.INITIATED:
        yield _at(page_request, "details.expected", view.progress.expected_at)
    yield _at(page_request, "details.created", intent.created_at)
    if intent.state is State.COMPLETED:
        yield _at(page_request, "details.paid", intent.updated_at)


def _swap(page_request: PageRequest, intent: Intent, swap: Swap) -> Markup:
    """What the start exchanges the payer's token for, and by how much that may get dearer."""
    t = page_request.t
    bought = format_exact(swap.output, swap.decimals, swap.symbol, t.locale)
    return t(
        "details.swap_text",
        exchange=swap.exchange,
        symbol=intent.asset_symbol,
        bought=bought,
        slippage=intent.slippage,
    )


def _trust(page_request: PageRequest, view: CheckoutSnapshot) -> Markup:
    """Whom the payer trusts from the deposit to the payout, and for how long."""
    t, bridge = page_request.t, view.intent.terms.bridge
    if view.trusted_until is None:
        attester = "Circle" if bridge == BridgeName.CCTP else bridge_title(bridge)
        return t("details.trust_bridge", bridge=attester)
    until = format_time(view.trusted_until, t.locale)
    return t("details.trust_operator", time=until)


def _at(page_request: PageRequest, key: str, at: datetime) -> DetailView:
    text = format_instant(at, page_request.t.locale)
    return DetailView(page_request.t(key), text, at=at.isoformat(), millis=epoch_millis(at))


def payment_reference(view: CheckoutSnapshot) -> str:
    """The merchant's reference in the metadata; empty without one."""
    reference = view.intent.metadata.get("reference")
    return reference[:100] if isinstance(reference, str) else ""
