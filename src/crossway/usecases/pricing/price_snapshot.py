"""Current prices for quoting, with those that are too old marked as stale."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from crossway.domain.errors import InvalidInput, QuotesUnavailable, Unreachable
from crossway.domain.money import PICO_USD_DECIMALS
from crossway.domain.pricing import PricedToken
from crossway.ports.services import Services

# USDC means the dollar itself (service.md §2), so it needs no price source.
USDC_PRICE = {"USDC": 10**PICO_USD_DECIMALS}


@dataclass(frozen=True, slots=True)
class PriceSnapshot:
    """Prices in pico-USD by symbol; `stale` maps symbols whose price is too old to an error."""

    pico_usd: Mapping[str, int]
    stale: Mapping[str, str]

    def priced_token(self, symbol: str, decimals: int, field: str) -> PricedToken:
        """A token with its price. Raises `InvalidInput` when it has none, and `QuotesUnavailable`
        when the price is stale."""
        if symbol in self.stale:
            raise QuotesUnavailable(self.stale[symbol])
        if symbol not in self.pico_usd:
            raise InvalidInput(f"{field}: there is no price for {symbol}")
        return PricedToken(symbol, decimals, self.pico_usd[symbol])


def latest_prices(services: Services) -> Mapping[str, int]:
    """The latest prices in pico-USD of all symbols, however old; only USDC when the price source
    does not respond."""
    try:
        prices = services.prices.get_usd_prices(services.catalogue.symbols)
    except Unreachable:
        return USDC_PRICE
    return {symbol: price.pico_usd for symbol, price in prices.items()} | USDC_PRICE


def take_price_snapshot(services: Services, symbols: Collection[str]) -> PriceSnapshot:
    """The current prices of these symbols. Raises `QuotesUnavailable` when the price source does
    not respond."""
    requested = [symbol for symbol in symbols if symbol not in USDC_PRICE]
    if not requested:
        return PriceSnapshot(USDC_PRICE, {})
    try:
        prices = services.prices.get_usd_prices(requested)
    except Unreachable as error:
        raise QuotesUnavailable(f"No prices: {error}") from error
    max_age, stale = services.prices.max_age_seconds(), dict[str, str]()
    if max_age is not None:
        now = services.clock.now()
        for symbol, price in prices.items():
            if (age := (now - price.as_of).total_seconds()) > max_age:
                stale[symbol] = (
                    f"The price of {symbol} is {age:.0f} s old; the limit is {max_age:.0f} s"
                )
    fresh = {s: price.pico_usd for s, price in prices.items() if s not in stale}
    return PriceSnapshot(fresh | USDC_PRICE, stale)
