"""One payment as its payer's page shows it, in words of the payer's language."""

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
    "completed": "good", "received": "good", "sending": "good", "seen": "good",
    "short": "warned", "time_up": "bad", "expired": "bad", "returning": "warned",
    "refused": "bad", "refunded": "warned",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class StepView:
    """One step of the way, and where it stands in words."""

    text: Markup
    stands: str
    said: str


@dataclass(frozen=True, slots=True)
class TransactionView:
    """One transaction."""

    text: Markup
    label: str
    chain: str
    tx: str
    short: str
    url: str


@dataclass(frozen=True, slots=True)
class DetailView:
    """One fact; `at` and `millis` where it is an instant."""

    label: Markup
    text: str
    mono: bool = False
    at: str = ""
    millis: int = 0


@dataclass(slots=True)
class IntentPage:
    """Everything that the template puts in its places."""

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
        """What changes when the page does."""
        told = (self.state, self.bare, self.said, self.notices, self.steps, self.moved, self.again)
        return sha256(repr(told).encode()).hexdigest()[:16]


def build_intent_page(asked: PageRequest, seen: CheckoutSnapshot, name: str) -> IntentPage:
    """The page of this payment."""
    t, catalogue = asked.t, asked.services.catalogue
    intent, stands = seen.intent, checkout_status(seen, catalogue)
    chain = catalogue.chains[intent.terms.source_chain]
    words = _words(asked, seen, stands)
    title, link = f"state.{stands.state}.title", seen.link
    closed = link is None or link.closed_reason(seen.now) is not None
    page = IntentPage(
        state=stands.state,
        tone=_TONES.get(stands.state, ""),
        open=stands.open,
        ended=stands.ended,
        what=link.title if link else _reference(seen),
        about=link.description if link else "",
        headline=t(title, **words),
        body=t(f"state.{stands.state}.body", **words),
        said=t.plain(title, **words),
        notices=list(_notices(asked, seen, stands, catalogue)),
        steps=[_line(asked, seen, *step) for step in stands.steps],
        moved=_moved(asked, seen, stands),
        facts=list(_facts(asked, seen)),
        again="" if closed or not stands.ended or link is None else asked.path(f"l/{link.id}"),
        now=epoch_millis(seen.now),
        ends=epoch_millis(intent.terms.expires_at),
        poll=asked.path(f"{name}/live", lang=t.code),
        phone=qr_svg(asked.absolute_url(name), t.plain("tools.phone")),
        symbol=intent.asset_symbol,
        chain=chain.name,
        token_mark=badge_color(intent.asset_symbol),
        chain_mark=badge_color(chain.id),
        address=intent.address,
    )
    if stands.open:
        token = catalogue.by_address[chain.id, intent.terms.token_in]
        _ask(asked, page, seen, stands.missing, chain, token)
    return page


def _ask(
    asked: PageRequest, page: IntentPage, seen: CheckoutSnapshot, units: int, chain: Chain, token: Token
) -> None:
    """What is to be sent, where to and until when."""
    t, intent = asked.t, seen.intent
    uri = payment_uri(chain, token, intent.address, units, intent.intent_hash, seen.merchant.name)
    page.amount = format_exact(units, intent.asset_decimals, intent.asset_symbol, t.locale)
    page.bare = plain_amount(units, intent.asset_decimals)
    page.until = t("pay.until", time=_time(intent.terms.expires_at, t.locale))
    page.contract = "" if token.native else token.address
    if uri != intent.address:
        page.wallet, page.scan = uri, chain.kind
    label = t.plain("pay.qr", amount=page.amount, chain=chain.name)
    mark = t.plain("mark.brief") if asked.simulated else ""
    page.qr = qr_svg(uri, f"{label} ({t.plain('mark.simulated')})" if mark else label, mark)


def _words(asked: PageRequest, seen: CheckoutSnapshot, stands: CheckoutStatus) -> dict[str, str]:
    """Everything that a state's texts may name."""
    intent, locale = seen.intent, asked.t.locale

    def asset(units: int) -> str:
        return format_exact(units, intent.asset_decimals, intent.asset_symbol, locale)

    return {
        "merchant": seen.merchant.name,
        "chain": asked.services.catalogue.chains[intent.terms.source_chain].name,
        "received": asset(stands.received),
        "missing": asset(stands.missing),
        "held": asset(stands.held),
        "arrives": format_exact(
            intent.terms.payout_amount, intent.out_decimals, intent.out_symbol, locale
        ),
    }


def _notices(asked: PageRequest, seen: CheckoutSnapshot, stands: CheckoutStatus, catalogue: Catalogue) -> Iterator[Markup]:
    t, intent = asked.t, seen.intent
    wanted = catalogue.chains[intent.terms.source_chain].name
    for name, units in (("over", stands.over), ("late", stands.late)):
        if units:
            amount = format_exact(units, intent.asset_decimals, intent.asset_symbol, t.locale)
            yield t(f"notice.{name}", **{name: amount})
    for stray in stands.strays:
        known = catalogue.chains.get(stray.chain)
        told = {
            "amount": format_exact(stray.units, stray.decimals, stray.symbol, t.locale),
            "chain": known.name if known else stray.chain,
            "token": intent.asset_symbol,
            "wanted": wanted,
        }
        if stray.elsewhere:
            yield t("notice.elsewhere", merchant=seen.merchant.name, **told)
        else:
            yield t("notice.wrong", **told)


def _line(asked: PageRequest, seen: CheckoutSnapshot, name: str, stands: str) -> StepView:
    t = asked.t
    values = {"merchant": seen.merchant.name} if name == "done" else {}
    return StepView(t(f"step.{name}", **values), stands, t.plain(f"stands.{stands}"))


def _moved(asked: PageRequest, seen: CheckoutSnapshot, stands: CheckoutStatus) -> list[TransactionView]:
    found = []
    for one in stands.moved:
        values = {"merchant": seen.merchant.name} if one.what == "fill" else {}
        words = asked.t.plain(f"tx.{one.what}", **values)
        found.append(
            TransactionView(
                text=asked.t(f"tx.{one.what}", **values),
                label=asked.t.plain("tx.show", what=words, chain=one.chain),
                chain=one.chain,
                tx=one.tx,
                short=f"{one.tx[:10]}…{one.tx[-8:]}",
                url=one.url,
            )
        )
    return found


def _facts(asked: PageRequest, seen: CheckoutSnapshot) -> Iterator[DetailView]:
    t, intent = asked.t, seen.intent
    terms = intent.terms
    arrives = format_exact(terms.payout_amount, intent.out_decimals, intent.out_symbol, t.locale)
    yield DetailView(t("facts.arrives", merchant=seen.merchant.name), arrives)
    if reference := _reference(seen):
        yield DetailView(t("facts.reference"), reference)
    yield DetailView(t("facts.refund"), terms.refund_address, mono=True)
    yield _at(asked, "facts.created", intent.created_at)
    if intent.state is State.COMPLETED:
        yield _at(asked, "facts.paid", intent.updated_at)


def _at(asked: PageRequest, key: str, at: datetime) -> DetailView:
    text = format_instant(at, asked.t.locale)
    return DetailView(asked.t(key), text, at=at.isoformat(), millis=epoch_millis(at))


def _time(at: datetime, locale: Locale) -> Markup:
    """An instant, which a script puts into the reader's own zone."""
    mark = Markup('<time datetime="{}" data-at="{}">{}</time>')
    return mark.format(at.isoformat(), epoch_millis(at), format_instant(at, locale))


def _reference(seen: CheckoutSnapshot) -> str:
    """What the merchant calls this payment, where its metadata says so."""
    found = seen.intent.metadata.get("reference")
    return found[:100] if isinstance(found, str) else ""
