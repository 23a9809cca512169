"""The data of a payment's checkout page, in the payer's language."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256

from babel import Locale
from markupsafe import Markup

from crossway.domain.catalogue import Catalogue, Chain
from crossway.domain.intent import State
from crossway.domain.money import Token
from crossway.domain.payment_uri import payment_uri
from crossway.payer.checkout_status import CheckoutStatus, checkout_status
from crossway.payer.formatting import (
    badge_color,
    epoch_millis,
    format_exact,
    format_instant,
    plain_amount,
)
from crossway.payer.responses import PageRequest
from crossway.qr import qr_svg
from crossway.usecases.payers.checkout import CheckoutSnapshot

_TONES = {
    "completed": "good", "received": "good", "sending": "good", "view": "good",
    "short": "warned", "time_up": "bad", "expired": "bad", "returning": "warned",
    "refused": "bad", "refunded": "warned",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class StepView:
    """One step of the payment and its status."""

    text: Markup
    status: str
    said: str


@dataclass(frozen=True, slots=True)
class TransactionView:
    """One transaction with its explorer link."""

    text: Markup
    label: str
    chain: str
    tx: str
    short: str
    url: str


@dataclass(frozen=True, slots=True)
class DetailView:
    """One detail; `at` and `millis` are set for an instant."""

    label: Markup
    text: str
    mono: bool = False
    at: str = ""
    millis: int = 0


@dataclass(slots=True)
class IntentPage:
    """The values of the template."""

    state: str
    tone: str
    open: bool
    ended: bool
    what: str
    about: str
    headline: Markup
    body: Markup
    said: str
    notices: list[Markup]
    steps: list[StepView]
    moved: list[TransactionView]
    facts: list[DetailView]
    again: str
    now: int
    ends: int
    poll: str
    phone: Markup
    symbol: str
    chain: str
    token_mark: int
    chain_mark: int
    address: str
    amount: str = ""
    bare: str = ""
    until: Markup = field(default_factory=Markup)
    contract: str = ""
    wallet: str = ""
    scan: str = "address"
    qr: Markup = field(default_factory=Markup)

    @property
    def version(self) -> str:
        """A hash that changes when the page changes."""
        shown = (self.state, self.bare, self.said, self.notices, self.steps, self.moved, self.again)
        return sha256(repr(shown).encode()).hexdigest()[:16]


def build_intent_page(page_request: PageRequest, view: CheckoutSnapshot, name: str) -> IntentPage:
    """The page of a payment."""
    t, catalogue = page_request.t, page_request.services.catalogue
    intent, status = view.intent, checkout_status(view, catalogue)
    chain = catalogue.chains[intent.terms.source_chain]
    words = _words(page_request, view, status)
    title, link = f"state.{status.state}.title", view.link
    closed = link is None or link.closed_reason(view.now) is not None
    page = IntentPage(
        state=status.state,
        tone=_TONES.get(status.state, ""),
        open=status.open,
        ended=status.ended,
        what=link.title if link else _reference(view),
        about=link.description if link else "",
        headline=t(title, **words),
        body=t(f"state.{status.state}.body", **words),
        said=t.plain(title, **words),
        notices=list(_notices(page_request, view, status, catalogue)),
        steps=[_line(page_request, view, *step) for step in status.steps],
        moved=_moved(page_request, view, status),
        facts=list(_facts(page_request, view)),
        again=""
        if closed or not status.ended or link is None
        else page_request.path(f"l/{link.id}"),
        now=epoch_millis(view.now),
        ends=epoch_millis(intent.terms.expires_at),
        poll=page_request.path(f"{name}/live", lang=t.code),
        phone=qr_svg(page_request.absolute_url(name), t.plain("tools.phone")),
        symbol=intent.asset_symbol,
        chain=chain.name,
        token_mark=badge_color(intent.asset_symbol),
        chain_mark=badge_color(chain.id),
        address=intent.address,
    )
    if status.open:
        token = catalogue.by_address[chain.id, intent.terms.token_in]
        _ask(page_request, page, view, status.missing, chain, token)
    return page


def _ask(
    page_request: PageRequest,
    page: IntentPage,
    view: CheckoutSnapshot,
    units: int,
    chain: Chain,
    token: Token,
) -> None:
    """Fill in what the payer sends: amount, address, deadline and QR code."""
    t, intent = page_request.t, view.intent
    uri = payment_uri(chain, token, intent.address, units, intent.intent_hash, view.merchant.name)
    page.amount = format_exact(units, intent.asset_decimals, intent.asset_symbol, t.locale)
    page.bare = plain_amount(units, intent.asset_decimals)
    page.until = t("pay.until", time=_time(intent.terms.expires_at, t.locale))
    page.contract = "" if token.native else token.address
    if uri != intent.address:
        page.wallet, page.scan = uri, chain.kind
    label = t.plain("pay.qr", amount=page.amount, chain=chain.name)
    mark = t.plain("mark.brief") if page_request.simulated else ""
    page.qr = qr_svg(uri, f"{label} ({t.plain('mark.simulated')})" if mark else label, mark)


def _words(
    page_request: PageRequest, view: CheckoutSnapshot, status: CheckoutStatus
) -> dict[str, str]:
    """The values that the texts of a state use."""
    intent, locale = view.intent, page_request.t.locale

    def asset(units: int) -> str:
        return format_exact(units, intent.asset_decimals, intent.asset_symbol, locale)

    return {
        "merchant": view.merchant.name,
        "chain": page_request.services.catalogue.chains[intent.terms.source_chain].name,
        "received": asset(status.received),
        "missing": asset(status.missing),
        "held": asset(status.held),
        "arrives": format_exact(
            intent.terms.payout_amount, intent.out_decimals, intent.out_symbol, locale
        ),
    }


def _notices(
    page_request: PageRequest, view: CheckoutSnapshot, status: CheckoutStatus, catalogue: Catalogue
) -> Iterator[Markup]:
    t, intent = page_request.t, view.intent
    expected_chain = catalogue.chains[intent.terms.source_chain].name
    for name, units in (("over", status.over), ("late", status.late)):
        if units:
            amount = format_exact(units, intent.asset_decimals, intent.asset_symbol, t.locale)
            yield t(f"notice.{name}", **{name: amount})
    for stray in status.strays:
        chain = catalogue.chains.get(stray.chain)
        values = {
            "amount": format_exact(stray.units, stray.decimals, stray.symbol, t.locale),
            "chain": chain.name if chain else stray.chain,
            "token": intent.asset_symbol,
            "wanted": expected_chain,
        }
        if stray.elsewhere:
            yield t("notice.elsewhere", merchant=view.merchant.name, **values)
        else:
            yield t("notice.wrong", **values)


def _line(page_request: PageRequest, view: CheckoutSnapshot, name: str, status: str) -> StepView:
    t = page_request.t
    values = {"merchant": view.merchant.name} if name == "done" else {}
    return StepView(t(f"step.{name}", **values), status, t.plain(f"stands.{status}"))


def _moved(
    page_request: PageRequest, view: CheckoutSnapshot, status: CheckoutStatus
) -> list[TransactionView]:
    views = []
    for transaction in status.moved:
        values = {"merchant": view.merchant.name} if transaction.what == "fill" else {}
        words = page_request.t.plain(f"tx.{transaction.what}", **values)
        views.append(
            TransactionView(
                text=page_request.t(f"tx.{transaction.what}", **values),
                label=page_request.t.plain("tx.show", what=words, chain=transaction.chain),
                chain=transaction.chain,
                tx=transaction.tx,
                short=f"{transaction.tx[:10]}…{transaction.tx[-8:]}",
                url=transaction.url,
            )
        )
    return views


def _facts(page_request: PageRequest, view: CheckoutSnapshot) -> Iterator[DetailView]:
    t, intent = page_request.t, view.intent
    terms = intent.terms
    arrives = format_exact(terms.payout_amount, intent.out_decimals, intent.out_symbol, t.locale)
    yield DetailView(t("facts.arrives", merchant=view.merchant.name), arrives)
    if reference := _reference(view):
        yield DetailView(t("facts.reference"), reference)
    yield DetailView(t("facts.refund"), terms.refund_address, mono=True)
    yield _at(page_request, "facts.created", intent.created_at)
    if intent.state is State.COMPLETED:
        yield _at(page_request, "facts.paid", intent.updated_at)


def _at(page_request: PageRequest, key: str, at: datetime) -> DetailView:
    text = format_instant(at, page_request.t.locale)
    return DetailView(page_request.t(key), text, at=at.isoformat(), millis=epoch_millis(at))


def _time(at: datetime, locale: Locale) -> Markup:
    """An instant as HTML; a script shows it in the reader's time zone."""
    mark = Markup('<time datetime="{}" data-at="{}">{}</time>')
    return mark.format(at.isoformat(), epoch_millis(at), format_instant(at, locale))


def _reference(view: CheckoutSnapshot) -> str:
    """The merchant's reference in the metadata; empty without one."""
    reference = view.intent.metadata.get("reference")
    return reference[:100] if isinstance(reference, str) else ""
