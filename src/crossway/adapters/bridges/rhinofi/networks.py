"""What rhino.fi reaches of our chains: its contracts as we know them, and the tokens it carries."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache

from crossway.adapters.bridges.base import list_symbols, load_data
from crossway.domain.catalogue import Catalogue
from crossway.domain.money import MICRO_USD_DECIMALS, parse_decimal
from crossway.domain.quotes import BridgeName


@dataclass(frozen=True, slots=True)
class RhinofiTerms:
    """What we agree to whatever the service asks: more than `most_fee_bps` of what arrives and
    `most_gas_micro_usd` is not paid, and its quotes end `expiry_margin_seconds` early for us."""

    api: str
    expiry_margin_seconds: int
    most_fee_bps: int
    most_gas_micro_usd: int
    fill_seconds: int


@lru_cache(1)
def rhinofi_terms() -> RhinofiTerms:
    """The terms of the data file."""
    data = load_data(BridgeName.RHINOFI)
    live = data["live"]
    return RhinofiTerms(
        live["api"],
        live["expiry_margin_seconds"],
        int(live["most_fee_bps"]),
        parse_decimal("most_gas_usd", live["most_gas_usd"], MICRO_USD_DECIMALS),
        data["fill_seconds"],
    )


@lru_cache(1)
def bridge_contracts() -> Mapping[str, str]:
    """The contract that we deposit into, by chain."""
    contracts: Mapping[str, str] = load_data(BridgeName.RHINOFI)["contracts"]
    return contracts


@lru_cache
def payers(chain: str) -> frozenset[str]:
    """Who pays out for rhino.fi on a chain: its contract, and what that pays by."""
    data = load_data(BridgeName.RHINOFI)
    return frozenset((data["contracts"][chain], data["payers"][chain]))


def are_exchanged(symbol_in: str, symbol_out: str) -> bool:
    """Whether one token becomes the other on the way, or is the same."""
    exchanges = load_data(BridgeName.RHINOFI)["exchanges"]
    return symbol_in == symbol_out or {symbol_in, symbol_out} <= set(exchanges)


def carried_symbols(catalogue: Catalogue, chains: Collection[str]) -> Mapping[str, Collection[str]]:
    """What is carried on each of these chains, by the symbols of the catalogue; tokens alone, for
    a deposit of the native coin is another call, and no log tells of its payout."""
    listed = list_symbols(
        catalogue,
        {
            chain: symbols
            for chain, symbols in load_data(BridgeName.RHINOFI)["tokens"].items()
            if chain in chains and chain in bridge_contracts()
        },
    )
    return {
        chain: {symbol for symbol in symbols if not catalogue.tokens[chain, symbol].native}
        for chain, symbols in listed.items()
    }
