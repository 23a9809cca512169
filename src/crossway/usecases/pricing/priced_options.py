"""The tokens of every chain with factors of their prices, kept while prices do not change."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from crossway.domain.catalogue import Catalogue
from crossway.domain.money import MICRO_USD_DECIMALS, PICO_USD_DECIMALS, Token
from crossway.usecases.pricing.price_snapshot import PriceSnapshot

SCALE_DECIMALS = PICO_USD_DECIMALS - MICRO_USD_DECIMALS


@dataclass(frozen=True, slots=True)
class PricedOption:
    """A token with factors precomputed from its price: an amount for micro-USD is
    `micro_usd * scale / pico_usd`, rounded up, as in `domain.pricing.amount_for_usd`.
    `carried_as` is the symbol under which it is priced and carried: two can name one contract."""

    symbol: str
    carried_as: str
    address: str
    decimals: int
    scale: int
    pico_usd: int


def price_tokens(
    catalogue: Catalogue, prices: PriceSnapshot
) -> Mapping[str, Sequence[PricedOption]]:
    """The enabled tokens that have a price, by chain; kept for the last few sets of prices."""
    for cached_catalogue, cached_prices, cached in _tables:
        if cached_catalogue is catalogue and cached_prices == prices.pico_usd:
            return cached
    table = {
        chain: tuple(_price_listed(catalogue, tokens, prices))
        for chain, tokens in catalogue.by_chain.items()
    }
    _tables.appendleft((catalogue, prices.pico_usd, table))
    return table


def _price_listed(
    catalogue: Catalogue, tokens: Sequence[Token], prices: PriceSnapshot
) -> Iterator[PricedOption]:
    for token in tokens:
        symbol = catalogue.by_address[token.chain, token.address].symbol
        pico_usd = prices.pico_usd.get(symbol)
        if token.enabled and pico_usd is not None:
            scale = 10 ** (token.decimals + SCALE_DECIMALS)
            yield PricedOption(token.symbol, symbol, token.address, token.decimals, scale, pico_usd)


_Table = Mapping[str, Sequence[PricedOption]]
# As many as there are payout tokens in common use, each with spreads of its own.
_tables: deque[tuple[Catalogue, Mapping[str, int], _Table]] = deque(maxlen=8)
