"""What of Across our contracts reach, and its services."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache

from crossway.adapters.bridges.base import list_symbols, load_data
from crossway.domain.catalogue import Catalogue
from crossway.domain.money import MICRO_USD_DECIMALS, parse_decimal
from crossway.domain.quotes import BridgeName


def api_url(testnet: bool) -> str:
    """Across' own URL for main or for test networks."""
    url: str = load_data(BridgeName.ACROSS)["network"]["test" if testnet else "main"]["api"]
    return url


def carried_symbols(catalogue: Catalogue, chains: Collection[str]) -> Mapping[str, Collection[str]]:
    """What our contract carries on each of these chains, by the symbols of the catalogue."""
    data = load_data(BridgeName.ACROSS)
    return list_symbols(
        catalogue,
        {
            chain: set(symbols).difference(data["not_by_contract"].get(chain, ()))
            for chain, symbols in data["tokens"].items()
            if chain in chains
        },
    )


def moved_symbols(catalogue: Catalogue) -> Mapping[str, frozenset[str]]:
    """What Across itself carries, by chain: what of the operator's inventory can be moved."""
    return list_symbols(catalogue, load_data(BridgeName.ACROSS)["tokens"])


@dataclass(frozen=True, slots=True)
class InventoryTerms:
    """What moving inventory may cost, and how long its deposits are for: more than `most_fee_bps`
    of what arrives and `most_gas_micro_usd` is not paid; a deposit is signed for `quote_seconds`,
    and can be filled for `fill_seconds`, for `least_fill_seconds` after the pool last takes it.
    `handlers`, by chain: through which wrapped native coins arrive as tokens."""

    most_fee_bps: int
    most_gas_micro_usd: int
    quote_seconds: int
    fill_seconds: int
    least_fill_seconds: int
    margin_percent: int
    handlers: Mapping[str, str]


@lru_cache(1)
def inventory_terms() -> InventoryTerms:
    """The terms of the data file."""
    data = load_data(BridgeName.ACROSS)
    of_inventory = data["inventory"]
    return InventoryTerms(
        of_inventory["most_fee_bps"],
        parse_decimal("most_gas_usd", of_inventory["most_gas_usd"], MICRO_USD_DECIMALS),
        of_inventory["quote_seconds"],
        data["enforced_fill_deadline_seconds"],
        of_inventory["least_fill_seconds"],
        data["fee_margin_percent"],
        of_inventory["handlers"],
    )


def usual_fill_seconds(testnet: bool) -> int:
    """How long relayers usually take to fill a deposit."""
    kind = "testnet" if testnet else "mainnet"
    seconds: int = load_data(BridgeName.ACROSS)[f"fill_seconds_{kind}"]
    return seconds
