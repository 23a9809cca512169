"""The data of a payment's checkout page, in the payer's language."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC
from hashlib import sha256

from markupsafe import Markup

from crossway.domain.catalogue import Catalogue, Chain
from crossway.domain.payment_uri import payment_uri
from crossway.domain.quotes import bridge_title
from crossway.payer.checkout_status import CheckoutStatus, checkout_status, kept_amount
from crossway.payer.claim_view import ClaimView, view_claim
from crossway.payer.details import DetailView, list_details, payment_reference
from crossway.payer.formatting import (
    badge_color,
    epoch_millis,
    format_exact,
    format_time,
    plain_amount,
)
from crossway.payer.kept_details import KeptDetails, view_kept_details
from crossway.payer.receipt import receipt_url
from crossway.payer.refund_reason import Reason, list_reasons
from crossway.payer.responses import PageRequest
from crossway.payer.simulated_payment import simulated_payment_url
from crossway.payer.wallet_requests import WalletPanel, transfer_request, wallet_panel
from crossway.payer.wrong_deposits import WrongDeposits, view_wrong_deposits
from crossway.qr import qr_svg
from crossway.usecases.payers.checkout import CheckoutSnapshot

_TONES = {
    "completed": "good", "received": "good", "sending": "good", "view": "good",
    "short": "warned", "time_up": "bad", "expired": "bad", "returning": "warned",
    "refund_waits": "warned",
    "refused": "bad", "undelivered": "bad", "refunded": "warned",
    "late": "warned", "late_fill": "warned", "parked": "warned", "unfilled": "warned",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class StepView:
    """One step of the payment and its status."""

    text: Markup
    status: str
    status_text: str


@dataclass(frozen=True, slots=True)
class TransactionView:
    """One transaction with its explorer link."""

    text: Markup
    label: str
    chain: str
    tx: str
    short: str
    url: str


@dataclass(slots=True)
class IntentPage:
    """The values of the template."""

    state: str
    tone: str
    open: bool
    ended: bool
    title: str
    description: str
    headline: Markup
    body: Markup
    status_text: str
    notices: list[Markup]
    claims: list[ClaimView]
    steps: list[StepView]
    transactions: list[TransactionView]
    details: list[DetailView]
    kept: KeptDetails
    pay_again_url: str
    now: int
    expires_at: int
    poll_url: str
    url: str
    phone_qr: Markup
    symbol: str
    chain: str
    marks: tuple[int, int]
    address: str
    amount: str = ""
    copy_amount: str = ""
    deadline: Markup = field(default_factory=Markup)
    deadline_on_paper: Markup = field(default_factory=Markup)
    contract: str = ""
    wallet_uri: str = ""
    scan_kind: str = "address"
    qr: Markup = field(default_factory=Markup)
    wallet: WalletPanel = field(default_factory=WalletPanel)
    wrong: WrongDeposits = field(default_factory=WrongDeposits)
    reasons: list[Reason] = field(default_factory=list)
    receipt_url: str = ""
    simulate_url: str = ""

    @property
    def version(self) -> str:
        """A hash that changes when the page changes."""
        visible = (
            self.state,
            self.copy_amount,
            self.status_text,
            self.notices,
            self.claims,
            self.steps,
            self.transactions,
            self.kept,
            self.pay_again_url,
            self.reasons,
        )
        return sha256(repr(visible).encode()).hexdigest()[:16]


def build_intent_page(page_request: PageRequest, view: CheckoutSnapshot, name: str) -> IntentPage:
    """The page of a payment."""
    t, catalogue = page_request.t, page_request.services.catalogue
    intent, status = view.intent, checkout_status(view, catalogue)
    chain = catalogue.chains[intent.terms.source_chain]
    texts, title = _words(page_request, view, status), f"state.{status.state}.title"
    page = IntentPage(
        state=status.state,
        tone=_TONES.get(status.state, ""),
        open=status.open,
        ended=status.ended,
        title=view.link.title if view.link else payment_reference(view),
        description=view.link.description if view.link else "",
        headline=t(title, **texts),
        body=t(f"state.{status.state}.body", **texts),
        status_text=t.plain(title, **texts),
        notices=list(_notices(page_request, view, status, catalogue)),
        claims=[view_claim(page_request, view, claim) for claim in view.claims],
        steps=[_step(page_request, view, *step) for step in status.steps],
        transactions=_transactions(page_request, view, status),
        details=list(list_details(page_request, view)),
        kept=view_kept_details(page_request, intent, view.self_service, name),
        pay_again_url=_pay_again_url(page_request, view, status),
        now=epoch_millis(view.now),
        expires_at=epoch_millis(intent.terms.expires_at),
        poll_url=page_request.path(f"{name}/live", lang=t.code),
        url=page_request.absolute_url(name),
        phone_qr=qr_svg(page_request.absolute_url(name), t.plain("tools.phone")),
        symbol=intent.asset_symbol,
        chain=chain.name,
        marks=(badge_color(intent.asset_symbol), badge_color(chain.id)),
        address=intent.address,
        wallet=wallet_panel(page_request, chain, name, status.ended),
        reasons=list_reasons(page_request, view),
        receipt_url=receipt_url(page_request, view, name),
    )
    if status.open:
        _fill_in_request(page_request, page, view, status.missing, chain)
        page.simulate_url = simulated_payment_url(page_request, name)
    return page


def _pay_again_url(
    page_request: PageRequest, view: CheckoutSnapshot, status: CheckoutStatus
) -> str:
    """The page of the payment link, once this payment has ended and while that accepts payments;
    else empty."""
    link = view.link
    is_closed = link is None or link.closed_reason(view.now) is not None or not status.ended
    return "" if is_closed or link is None else page_request.path(f"l/{link.id}")


def _fill_in_request(
    page_request: PageRequest,
    page: IntentPage,
    view: CheckoutSnapshot,
    units: int,
    chain: Chain,
) -> None:
    """Fill in what the payer sends: amount, address, deadline and QR code."""
    t, intent = page_request.t, view.intent
    token = page_request.services.catalogue.by_address[chain.id, intent.terms.token_in]
    uri = payment_uri(chain, token, intent.address, units, intent.intent_hash, view.merchant.name)
    page.amount = format_exact(units, intent.asset_decimals, intent.asset_symbol, t.locale)
    page.copy_amount = plain_amount(units, intent.asset_decimals)
    if page.wallet.family:
        page.wallet.request = transfer_request(chain, token, intent.address, units, page.amount)
    page.deadline = t("pay.until", time=format_time(intent.terms.expires_at, t.locale))
    in_utc = f"{intent.terms.expires_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    page.deadline_on_paper = t("pay.until", time=in_utc)
    page.wrong = view_wrong_deposits(page_request, view, chain)
    page.contract = "" if token.native else token.address
    if uri != intent.address:
        page.wallet_uri, page.scan_kind = uri, chain.kind
    label = t.plain("pay.qr", amount=page.amount, chain=chain.name)
    mark = t.plain("mark.brief") if page_request.simulated else ""
    page.qr = qr_svg(uri, f"{label} ({t.plain('mark.simulated')})" if mark else label, mark)


def _words(
    page_request: PageRequest, view: CheckoutSnapshot, status: CheckoutStatus
) -> dict[str, str]:
    """The values that the texts of a state use."""
    intent, locale = view.intent, page_request.t.locale
    collected = intent.collected

    def asset(units: int) -> str:
        return format_exact(units, intent.asset_decimals, intent.asset_symbol, locale)

    return {
        "merchant": view.merchant.name,
        "chain": page_request.services.catalogue.chains[intent.terms.source_chain].name,
        "received": asset(status.received),
        "missing": asset(status.missing),
        "bridge": bridge_title(intent.terms.bridge),
        "held": asset(status.held),
        "kept": format_exact(kept_amount(view), collected.decimals, collected.symbol, locale),
        "arrives": format_exact(
            intent.terms.payout_amount, intent.out_decimals, intent.out_symbol, locale
        ),
    }


def _notices(
    page_request: PageRequest, view: CheckoutSnapshot, status: CheckoutStatus, catalogue: Catalogue
) -> Iterator[Markup]:
    t, intent = page_request.t, view.intent
    if view.older_deposits:
        yield t("notice.older", count=view.older_deposits, shown=len(view.deposits))
    expected_chain = catalogue.chains[intent.terms.source_chain].name
    for name, units in (("over", status.excess), ("late", status.late_amount)):
        if units:
            amount = format_exact(units, intent.asset_decimals, intent.asset_symbol, t.locale)
            yield t(f"notice.{name}", **{name: amount})
    for stray in status.misdirected:
        chain = catalogue.chains.get(stray.chain)
        values = {
            "amount": format_exact(stray.units, stray.decimals, stray.symbol, t.locale),
            "chain": chain.name if chain else stray.chain,
            "token": intent.asset_symbol,
            "wanted": expected_chain,
            "merchant": view.merchant.name,
        }
        what = t("notice.stray", **values)
        yield what + " " + t(f"notice.stray_{stray.outcome}", **values)


def _step(page_request: PageRequest, view: CheckoutSnapshot, name: str, status: str) -> StepView:
    t = page_request.t
    values = {
        "done": {"merchant": view.merchant.name},
        "bridged": {"bridge": bridge_title(view.intent.terms.bridge)},
    }.get(name, {})
    return StepView(t(f"step.{name}", **values), status, t.plain(f"step_status.{status}"))


def _transactions(
    page_request: PageRequest, view: CheckoutSnapshot, status: CheckoutStatus
) -> list[TransactionView]:
    views = []
    for transaction in status.transactions:
        values = {
            "fill": {"merchant": view.merchant.name},
            "send": {"bridge": bridge_title(view.intent.terms.bridge)},
            "returned": {"bridge": bridge_title(view.intent.terms.bridge)},
        }.get(transaction.kind, {})
        label = page_request.t.plain(f"tx.{transaction.kind}", **values)
        views.append(
            TransactionView(
                text=page_request.t(f"tx.{transaction.kind}", **values),
                label=page_request.t.plain("tx.show", what=label, chain=transaction.chain),
                chain=transaction.chain,
                tx=transaction.tx,
                short=f"{transaction.tx[:10]}…{transaction.tx[-8:]}",
                url=transaction.url,
            )
        )
    return views
