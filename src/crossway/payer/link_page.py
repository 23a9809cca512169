"""The data of a payment link's page: amount, payment options and form errors."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field

from babel import Locale
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
from crossway.payer.wallet_requests import WalletPick, wallet_pick
from crossway.qr import qr_svg
from crossway.usecases.payers.checkout import CheckoutLink, PaymentMethod
from crossway.usecases.payers.held_methods import list_families

_STABLECOINS = ("USDC", "USDT", "DAI")
_VISIBLE_TOKENS = 4


@dataclass(frozen=True, slots=True)
class TokenOption:
    """One token on a chain with its amount."""

    name: str
    amount: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class NetworkOption:
    """One chain with the tokens that can be paid there."""

    name: str
    family: str
    mark: int
    fees: str
    time: str
    cheapest: bool
    open: bool
    choices: list[TokenOption]
    others: list[TokenOption]

    @property
    def others_open(self) -> bool:
        """Whether the chosen token is among the hidden ones."""
        return any(option.chosen for option in self.others)


@dataclass(slots=True)
class LinkPage:
    """The values of the template."""

    title: str
    description: str
    closed_reason: str
    wait_minutes: int
    symbol: str
    hidden_fields: list[tuple[str, str]]
    action: str
    amount: str = ""
    amount_input: str = ""
    bounds: Markup = field(default_factory=Markup)
    change_url: str = ""
    error: Markup = field(default_factory=Markup)
    error_field: str = ""
    refund: str = ""
    nonce: str = ""
    networks: list[NetworkOption] = field(default_factory=list)
    wallets: WalletPick = field(default_factory=WalletPick)


@dataclass(frozen=True, slots=True)
class Poster:
    """The values of a printable poster."""

    title: str
    description: str
    amount: str
    qr: Markup
    url: str


def unpriced_page(page_request: PageRequest, checkout_link: CheckoutLink) -> LinkPage:
    """The page of a link that is closed or asks for the amount."""
    link, token = checkout_link.link, checkout_link.token_out
    page = LinkPage(
        title=link.title,
        description=link.description,
        closed_reason=checkout_link.closed_reason.value if checkout_link.closed_reason else "",
        wait_minutes=checkout_link.wait_minutes,
        symbol=token.symbol,
        hidden_fields=list(page_request.preserved_params().items()),
        action=page_request.path(f"l/{link.id}"),
    )
    t, least, most = page_request.t, link.min_amount, link.max_amount
    named = {
        name: format_exact(units, token.decimals, token.symbol, t.locale)
        for name, units in (("least", least), ("most", most))
        if units is not None
    }
    if named:
        page.bounds = t("link.between" if len(named) == 2 else f"link.{next(iter(named))}", **named)
    return page


def priced_page(
    page_request: PageRequest,
    checkout_link: CheckoutLink,
    units: int,
    methods: Sequence[PaymentMethod],
    chosen: str = "",
) -> LinkPage:
    """The page of a link with an amount and its payment options."""
    page, token = unpriced_page(page_request, checkout_link), checkout_link.token_out
    link = checkout_link.link
    page.amount = format_exact(units, token.decimals, token.symbol, page_request.t.locale)
    page.amount_input = plain_amount(units, token.decimals)
    page.change_url = "" if link.amount is not None else page_request.path(f"l/{link.id}")
    page.nonce = secrets.token_urlsafe(18)
    if chosen not in {choice.name for choice in methods}:
        chosen = next((c.name for c in methods if c.cheapest), methods[0].name if methods else "")
    # Tokens of one chain may be paid in over different routes.
    by_chain: dict[str, list[PaymentMethod]] = {}
    for method in methods:
        by_chain.setdefault(method.source.source, []).append(method)
    page.networks = [_network(page_request, choices, chosen) for choices in by_chain.values()]
    families = list_families(page_request.services, methods)
    page.wallets = wallet_pick(page_request, link.id, families)
    return page


def _network(page_request: PageRequest, choices: list[PaymentMethod], chosen: str) -> NetworkOption:
    source, locale = choices[0].source, page_request.t.locale
    chain = page_request.services.catalogue.chains[source.source]
    ranked = sorted(choices, key=lambda c: _rank(c.option.symbol, chain.native_symbol))
    options = [
        TokenOption(
            c.name,
            format_short(c.option.deposit_amount, c.option.decimals, c.option.symbol, locale),
            c.name == chosen,
        )
        for c in ranked
    ]
    return NetworkOption(
        name=chain.name,
        family=chain.kind,
        mark=badge_color(chain.id),
        fees=_format_fees([choice.source.fee_micro_usd for choice in choices], locale),
        time=format_duration(max(choice.source.fill_seconds for choice in choices), locale),
        cheapest=any(choice.cheapest for choice in choices),
        open=any(option.chosen for option in options),
        choices=options[:_VISIBLE_TOKENS],
        others=options[_VISIBLE_TOKENS:],
    )


def _format_fees(micro_usd: Sequence[int], locale: Locale) -> str:
    """The fees of a network's tokens: one amount, or the lowest and the highest."""
    ends = [format_usd(end, locale) for end in (min(micro_usd), max(micro_usd))]
    return "–".join(dict.fromkeys(ends))


def _rank(symbol: str, native: str) -> int:
    """The sort key: stablecoins first, then the chain's native coin, then the others."""
    if symbol in _STABLECOINS:
        return _STABLECOINS.index(symbol)
    return len(_STABLECOINS) + (symbol != native)


def build_poster(page_request: PageRequest, checkout_link: CheckoutLink) -> Poster:
    """The printable poster of a link."""
    link, token = checkout_link.link, checkout_link.token_out
    url = page_request.absolute_url(f"l/{link.id}")
    mark = page_request.t.plain("mark.brief") if page_request.simulated else ""
    fixed = link.amount
    amount = (
        format_exact(fixed, token.decimals, token.symbol, page_request.t.locale) if fixed else ""
    )
    code = qr_svg(url, page_request.t.plain("link.poster"), mark)
    return Poster(link.title, link.description, amount, code, url)
