"""A payment link as its page shows it: the amount, the ways to pay it, and what was wrong."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

from markupsafe import Markup

from crossway.payer.formatting import (
    badge_color,
    format_duration,
    format_exact,
    format_short,
    format_usd,
    plain_amount,
)
from crossway.payer.responses import PageRequest
from crossway.qr import qr_svg
from crossway.usecases.payers.checkout import CheckoutLink, PaymentMethod

_STABLECOINS = ("USDC", "USDT", "DAI")
_VISIBLE_TOKENS = 4


@dataclass(frozen=True, slots=True)
class TokenOption:
    """One token on a network, and how much of it."""

    name: str
    amount: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class NetworkOption:
    """One chain with what can be paid there."""

    name: str
    mark: int
    fees: str
    time: str
    cheapest: bool
    open: bool
    choices: list[TokenOption]
    others: list[TokenOption]

    @property
    def others_open(self) -> bool:
        """Whether the chosen token is not among those at first sight."""
        return any(option.chosen for option in self.others)


@dataclass(slots=True)
class LinkPage:
    """Everything that the template puts in its places."""

    what: str
    about: str
    closed: str
    symbol: str
    kept: list[tuple[str, str]]
    action: str
    amount: str = ""
    typed: str = ""
    bounds: Markup = field(default_factory=Markup)
    change: str = ""
    wrong: Markup = field(default_factory=Markup)
    wrong_field: str = ""
    refund: str = ""
    nonce: str = ""
    networks: list[NetworkOption] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Poster:
    """A link to be hung up."""

    what: str
    about: str
    amount: str
    qr: Markup
    url: str


def unpriced_page(asked: PageRequest, door: CheckoutLink) -> LinkPage:
    """A link without an amount that was chosen: closed, or asking for it."""
    link, token = door.link, door.token_out
    page = LinkPage(
        what=link.title,
        about=link.description,
        closed=door.closed_reason.value if door.closed_reason else "",
        symbol=token.symbol,
        kept=list(asked.preserved_params().items()),
        action=asked.path(f"l/{link.id}"),
    )
    t, least, most = asked.t, link.min_amount, link.max_amount
    named = {
        name: format_exact(units, token.decimals, token.symbol, t.locale)
        for name, units in (("least", least), ("most", most))
        if units is not None
    }
    if named:
        page.bounds = t("link.between" if len(named) == 2 else f"link.{next(iter(named))}", **named)
    return page


def priced_page(
    asked: PageRequest, door: CheckoutLink, units: int, found: Sequence[PaymentMethod], chosen: str = ""
) -> LinkPage:
    """A link with an amount, and the ways to pay it, each with its price."""
    page, token = unpriced_page(asked, door), door.token_out
    page.amount = format_exact(units, token.decimals, token.symbol, asked.t.locale)
    page.typed = plain_amount(units, token.decimals)
    page.change = "" if door.link.amount is not None else asked.path(f"l/{door.link.id}")
    page.nonce = secrets.token_urlsafe(18)
    if chosen not in {choice.name for choice in found}:
        chosen = next((c.name for c in found if c.cheapest), found[0].name if found else "")
    page.networks = [
        _network(asked, list(choices), chosen)
        for _, choices in groupby(found, key=lambda choice: choice.source.source)
    ]
    return page


def _network(asked: PageRequest, choices: list[PaymentMethod], chosen: str) -> NetworkOption:
    source, locale = choices[0].source, asked.t.locale
    chain = asked.services.catalogue.chains[source.source]
    ranked = sorted(choices, key=lambda c: _rank(c.option.symbol, chain.native_symbol))
    options = [
        TokenOption(c.name, format_short(c.option.deposit_amount, c.option.decimals, c.option.symbol, locale),
               c.name == chosen)
        for c in ranked
    ]  # fmt: skip
    return NetworkOption(
        name=chain.name,
        mark=badge_color(chain.id),
        fees=format_usd(source.fee_micro_usd, locale),
        time=format_duration(source.fill_seconds, locale),
        cheapest=any(choice.cheapest for choice in choices),
        open=any(option.chosen for option in options),
        choices=options[:_VISIBLE_TOKENS],
        others=options[_VISIBLE_TOKENS:],
    )


def _rank(symbol: str, native: str) -> int:
    """Dollars first, then the chain's own coin, then the rest in its order."""
    if symbol in _STABLECOINS:
        return _STABLECOINS.index(symbol)
    return len(_STABLECOINS) + (symbol != native)


def build_poster(asked: PageRequest, door: CheckoutLink) -> Poster:
    """A link to be hung up or laid on a counter."""
    link, token = door.link, door.token_out
    url = asked.absolute_url(f"l/{link.id}")
    mark = asked.t.plain("mark.brief") if asked.simulated else ""
    fixed = link.amount
    amount = format_exact(fixed, token.decimals, token.symbol, asked.t.locale) if fixed else ""
    code = qr_svg(url, asked.t.plain("link.poster"), mark)
    return Poster(link.title, link.description, amount, code, url)
