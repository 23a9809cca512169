"""The prices that quotes use: current, certain enough, in their band, and with the spread."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from crossway.domain.errors import InvalidInput, QuotesUnavailable, Unreachable
from crossway.domain.money import Price
from crossway.domain.price_risk import (
    PriceRisk,
    is_same_asset,
    price_after_spread,
    price_refusal,
    risk_of,
    spread_millionths,
)
from crossway.domain.pricing import PricedToken
from crossway.ports.services import Services


@dataclass(frozen=True, slots=True)
class PriceRefusal:
    """A price that must not be used, and why; no symbol where the source gives no answer."""

    symbol: str
    reason: str


@dataclass(frozen=True, slots=True)
class PriceSnapshot:
    """Prices in pico-USD by symbol; `refused` maps symbols whose price must not be used to a
    sentence."""

    pico_usd: Mapping[str, int]
    refused: Mapping[str, str]

    def priced_token(self, symbol: str, decimals: int, field: str) -> PricedToken:
        """A token with its price. Raises `InvalidInput` when it has none, and `QuotesUnavailable`
        when the price must not be used."""
        if symbol in self.refused:
            raise QuotesUnavailable(self.refused[symbol])
        if symbol not in self.pico_usd:
            raise InvalidInput(f"{field}: there is no price for {symbol}")
        return PricedToken(symbol, decimals, self.pico_usd[symbol])

    def with_spread(
        self, services: Services, symbol_in: str, symbol_out: str, life_seconds: int | None = None
    ) -> "PriceSnapshot":
        """The prices for a payment between two tokens whose terms hold this long (by default the
        life of an intent): the deposited token counts for less than its price."""
        price = self.pico_usd.get(symbol_in)
        if price is None or symbol_in == symbol_out:
            return self
        risks, policy = services.catalogue.risks, services.policy
        life = policy.intent_life_seconds if life_seconds is None else life_seconds
        spread = spread_millionths(
            policy.prices, risk_of(risks, symbol_in), risk_of(risks, symbol_out), life
        )
        if not spread:
            return self
        return replace(
            self, pico_usd={**self.pico_usd, symbol_in: price_after_spread(price, spread)}
        )


def latest_prices(services: Services) -> Mapping[str, int]:
    """The latest prices in pico-USD of all symbols, however old, for display; pegs when the price
    source does not respond."""
    try:
        prices = services.prices.get_usd_prices(services.catalogue.symbols)
    except Unreachable:
        return _pegs(services.catalogue.risks)
    return {symbol: price.pico_usd for symbol, price in prices.items()}


def take_price_snapshot(services: Services, symbols: Collection[str]) -> PriceSnapshot:
    """The current prices of these symbols. One stablecoin alone needs no price: it counts at its
    peg, as nothing is converted. Raises `QuotesUnavailable` when the price source does not
    respond."""
    risks = services.catalogue.risks
    if len({risk_of(risks, symbol).asset for symbol in symbols}) == 1:
        pegs = {s: peg for s, peg in _pegs(risks).items() if s in symbols}
        if len(pegs) == len(set(symbols)):
            return PriceSnapshot(pegs, {})
    try:
        prices = services.prices.get_usd_prices(symbols)
    except Unreachable as error:
        raise QuotesUnavailable(f"No prices: {error}") from error
    refused = refused_prices(services, prices)
    usable = {s: price.pico_usd for s, price in prices.items() if s not in refused}
    return PriceSnapshot(usable, refused)


def take_payout_snapshot(services: Services, symbol_out: str) -> PriceSnapshot:
    """The prices at which each symbol can be deposited to pay out another one: with the spread of
    that pair. Where prices are missing, a stablecoin can still be paid for with itself.

    Raises `QuotesUnavailable` when nothing can be quoted."""
    catalogue = services.catalogue
    risks = catalogue.risks
    same = [s for s in catalogue.symbols if is_same_asset(risks, s, symbol_out)]
    own_pegs = {s: peg for s, peg in _pegs(risks).items() if s in same}
    try:
        snapshot = take_price_snapshot(services, catalogue.symbols)
    except QuotesUnavailable:
        if symbol_out not in own_pegs:
            raise
        return PriceSnapshot(own_pegs, {})
    if symbol_out not in snapshot.pico_usd:
        refused = {s: why for s, why in snapshot.refused.items() if s not in own_pegs}
        return PriceSnapshot(own_pegs, refused)
    return _with_spreads(services, snapshot, symbol_out)


def refused_prices(services: Services, prices: Mapping[str, Price]) -> Mapping[str, str]:
    """Why prices must not be used, by symbol: too old, too uncertain, or off the peg."""
    max_age, now = services.prices.max_age_seconds(), services.clock.now()
    policy, risks = services.policy.prices, services.catalogue.risks
    refused = {}
    for symbol, price in prices.items():
        if max_age is not None and (now - price.as_of).total_seconds() > max_age:
            refused[symbol] = f"The price of {symbol} is older than {max_age:.0f} s."
        elif why := price_refusal(policy, price, risk_of(risks, symbol)):
            refused[symbol] = why
    return refused


def find_start_refusals(
    services: Services, pairs: Collection[tuple[str, str]]
) -> Mapping[tuple[str, str], PriceRefusal]:
    """Why payments between pairs of symbols (deposited, paid out) must not start now. Pairs of one
    asset need no price and are never refused."""
    risks = services.catalogue.risks
    asked = {pair for pair in pairs if not is_same_asset(risks, *pair)}
    if not asked:
        return {}
    symbols = {symbol for pair in asked for symbol in pair}
    try:
        prices = services.prices.get_usd_prices(symbols)
    except Unreachable:
        return dict.fromkeys(asked, PriceRefusal("", "The price source does not answer."))
    reasons = {s: f"There is no price of {s}." for s in symbols - prices.keys()}
    reasons |= refused_prices(services, prices)
    return {
        pair: PriceRefusal(symbol, reasons[symbol])
        for pair in asked
        for symbol in reversed(pair)
        if symbol in reasons
    }


def _pegs(risks: Mapping[str, PriceRisk]) -> dict[str, int]:
    return {s: risk.peg_pico_usd for s, risk in risks.items() if risk.peg_pico_usd is not None}


def _with_spreads(services: Services, snapshot: PriceSnapshot, symbol_out: str) -> PriceSnapshot:
    """Every price with the spread to one payout token; computed again only when prices change."""
    global _spreads
    policy = services.policy
    key = (policy.prices, policy.intent_life_seconds, services.catalogue.risks)
    known_key, known_prices, by_symbol = _spreads
    if known_key != key or known_prices != snapshot.pico_usd:
        by_symbol = {}
        _spreads = key, snapshot.pico_usd, by_symbol
    pico_usd = by_symbol.get(symbol_out)
    if pico_usd is None:
        risks, out = services.catalogue.risks, risk_of(services.catalogue.risks, symbol_out)
        pico_usd = by_symbol[symbol_out] = {
            symbol: price_after_spread(
                price,
                spread_millionths(
                    policy.prices, risk_of(risks, symbol), out, policy.intent_life_seconds
                ),
            )
            for symbol, price in snapshot.pico_usd.items()
        }
    return replace(snapshot, pico_usd=pico_usd)


_spreads: tuple[object, Mapping[str, int], dict[str, Mapping[str, int]]] = None, {}, {}
