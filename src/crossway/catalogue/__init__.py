"""Loading of the catalogue: chains, tokens, symbols and reference prices."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from crossway.domain.catalogue import Catalogue, Chain, Confirmations
from crossway.domain.money import MICRO_USD_DECIMALS, PICO_USD_DECIMALS, Token, parse_decimal
from crossway.domain.price_risk import PriceRisk


@dataclass(frozen=True, slots=True)
class ReferencePrice:
    """The offline price of one whole token, its Pyth feed if it has one, and how it moves."""

    symbol: str
    pico_usd: int
    category: str
    coingecko_id: str = ""
    pyth_feed_id: str = ""
    risk: PriceRisk = PriceRisk("")


def load_catalogue() -> Catalogue:
    """Load every chain, token and symbol; raises `ValueError` if the data is inconsistent."""
    chains = {id_: _chain(id_, entry) for id_, entry in _read("chains.toml").items()}
    listed = _read("tokens.toml")
    symbols = tuple(listed["symbols"])
    tokens = {
        (chain, symbol): _token(chain, symbol, entry)
        for chain, entries in listed["tokens"].items()
        for symbol, entry in entries.items()
    }
    if strays := [key for key in tokens if key[0] not in chains or key[1] not in symbols]:
        raise ValueError(f"tokens.toml names unknown chains or symbols: {strays}")
    _check_canonical_addresses(listed["tokens"])
    burn_addresses = {
        (kind, address): entry["why"]
        for kind, entries in _read("burn_addresses.toml").items()
        for address, entry in entries.items()
    }
    risks = {symbol: price.risk for symbol, price in reference_prices().items()}
    return Catalogue(chains, tokens, symbols, burn_addresses, risks)


def reference_prices() -> Mapping[str, ReferencePrice]:
    """The offline price of every symbol: rounded and outdated, never for a real payment."""
    return _prices("prices")


def coin_prices() -> Mapping[str, ReferencePrice]:
    """The same for coins that only fees are paid in."""
    return _prices("coins")


def _prices(section: str) -> Mapping[str, ReferencePrice]:
    return {
        symbol: ReferencePrice(
            symbol=symbol,
            pico_usd=parse_decimal(f"{symbol}.usd", entry.pop("usd"), PICO_USD_DECIMALS),
            risk=_risk(symbol, entry),
            **entry,
        )
        for symbol, entry in _read("prices.toml")[section].items()
    }


def _risk(symbol: str, entry: dict[str, Any]) -> PriceRisk:
    """How a price moves, taken out of its entry."""
    peg = entry.pop("peg_usd", None)
    return PriceRisk(
        asset=entry.pop("asset", symbol),
        daily_bps=entry.pop("daily_bps", 0),
        peg_pico_usd=None
        if peg is None
        else parse_decimal(f"{symbol}.peg_usd", peg, PICO_USD_DECIMALS),
    )


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath(name).read_text(encoding="utf-8"))


def _chain(id_: str, entry: Mapping[str, Any]) -> Chain:
    cost = parse_decimal(f"{id_}.transfer_cost_usd", entry["transfer_cost_usd"], MICRO_USD_DECIMALS)
    return Chain(
        id=id_,
        kind=entry["kind"],
        chain_id=str(entry["chain_id"]),
        caip2=entry["caip2"],
        name=entry["name"],
        testnet=entry.get("testnet", False),
        native_symbol=entry["native_symbol"],
        native_decimals=entry["native_decimals"],
        block_time_seconds=float(entry["block_time_seconds"]),
        confirmations=Confirmations(**entry["confirmations"], finalized=entry["finalized_blocks"]),
        explorer_tx=entry["explorer_tx"],
        explorer_address=entry["explorer_address"],
        cctp_domain=entry.get("cctp_domain"),
        transfer_cost_micro_usd=cost,
        finality_note=entry["finality_note"],
        across_pool=entry.get("across_pool"),
        public_rpc=entry.get("public_rpc", ""),
    )


def _token(chain: str, symbol: str, entry: Mapping[str, Any]) -> Token:
    return Token(
        chain=chain,
        symbol=symbol,
        address=entry["address"],
        decimals=entry["decimals"],
        name=entry["name"],
        native=entry.get("native", False),
        enabled=entry.get("enabled", True),
        disabled_reason=entry.get("why", ""),
    )


def _check_canonical_addresses(listed: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> None:
    """Check that of several symbols with one address only the first is canonical."""
    for chain, entries in listed.items():
        addresses: set[str] = set()
        for symbol, entry in entries.items():
            if entry.get("canonical", True) == (entry["address"] in addresses):
                raise ValueError(f"{chain}.{symbol}: `canonical` contradicts the symbols before it")
            addresses.add(entry["address"])
