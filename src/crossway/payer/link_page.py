"""A payment link as its page shows it: the amount, the ways to pay it, and what was wrong."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

from markupsafe import Markup

from crossway.payer.answers import Asked
from crossway.payer.figures import about, bare, brief, dollars, exact, mark_of
from crossway.payer.qr import qr_svg
from crossway.usecases.payers.paying import Choice, Entrance

_DOLLARS = ("USDC", "USDT", "DAI")
_AT_SIGHT = 4


@dataclass(frozen=True, slots=True)
class Option:
    """One token on a network, and how much of it."""

    name: str
    amount: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class Network:
    """One chain with what can be paid there."""

    name: str
    mark: int
    fees: str
    time: str
    cheapest: bool
    open: bool
    choices: list[Option]
    others: list[Option]

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
    networks: list[Network] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Poster:
    """A link to be hung up."""

    what: str
    about: str
    amount: str
    qr: Markup
    url: str


def bare_page(asked: Asked, door: Entrance) -> LinkPage:
    """A link without an amount that was chosen: closed, or asking for it."""
    link, token = door.link, door.token_out
    page = LinkPage(
        what=link.title,
        about=link.description,
        closed=door.closed.value if door.closed else "",
        symbol=token.symbol,
        kept=list(asked.kept().items()),
        action=asked.path(f"l/{link.id}"),
    )
    t, least, most = asked.t, link.least_units, link.most_units
    named = {
        name: exact(units, token.decimals, token.symbol, t.locale)
        for name, units in (("least", least), ("most", most))
        if units is not None
    }
    if named:
        page.bounds = t("link.between" if len(named) == 2 else f"link.{next(iter(named))}", **named)
    return page


def priced_page(
    asked: Asked, door: Entrance, units: int, found: Sequence[Choice], chosen: str = ""
) -> LinkPage:
    """A link with an amount, and the ways to pay it, each with its price."""
    page, token = bare_page(asked, door), door.token_out
    page.amount = exact(units, token.decimals, token.symbol, asked.t.locale)
    page.typed = bare(units, token.decimals)
    page.change = "" if door.link.amount_units is not None else asked.path(f"l/{door.link.id}")
    page.nonce = secrets.token_urlsafe(18)
    if chosen not in {choice.name for choice in found}:
        chosen = next((c.name for c in found if c.cheapest), found[0].name if found else "")
    page.networks = [
        _network(asked, list(choices), chosen)
        for _, choices in groupby(found, key=lambda choice: choice.source.source)
    ]
    return page


def _network(asked: Asked, choices: list[Choice], chosen: str) -> Network:
    source, locale = choices[0].source, asked.t.locale
    chain = asked.services.catalogue.chains[source.source]
    ranked = sorted(choices, key=lambda c: _rank(c.option.symbol, chain.native_symbol))
    options = [
        Option(c.name, brief(c.option.deposit_units, c.option.decimals, c.option.symbol, locale),
               c.name == chosen)
        for c in ranked
    ]  # fmt: skip
    return Network(
        name=chain.name,
        mark=mark_of(chain.id),
        fees=dollars(source.fee_micro_usd, locale),
        time=about(source.fill_seconds, locale),
        cheapest=any(choice.cheapest for choice in choices),
        open=any(option.chosen for option in options),
        choices=options[:_AT_SIGHT],
        others=options[_AT_SIGHT:],
    )


def _rank(symbol: str, native: str) -> int:
    """Dollars first, then the chain's own coin, then the rest in its order."""
    if symbol in _DOLLARS:
        return _DOLLARS.index(symbol)
    return len(_DOLLARS) + (symbol != native)


def poster(asked: Asked, door: Entrance) -> Poster:
    """A link to be hung up or laid on a counter."""
    link, token = door.link, door.token_out
    url = asked.address(f"l/{link.id}")
    mark = asked.t.plain("mark.brief") if asked.simulated else ""
    fixed = link.amount_units
    amount = exact(fixed, token.decimals, token.symbol, asked.t.locale) if fixed else ""
    code = qr_svg(url, asked.t.plain("link.poster"), mark)
    return Poster(link.title, link.description, amount, code, url)
