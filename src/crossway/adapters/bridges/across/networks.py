"""What of Across our contracts reach, and its services."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from crossway.adapters.bridges.across.api import AcrossApi
from crossway.adapters.bridges.base import list_symbols, load_data
from crossway.domain.catalogue import Catalogue
from crossway.domain.quotes import BridgeName


@dataclass(frozen=True, slots=True)
class AcrossApis:
    """The clients of the APIs of main and of test networks."""

    main: AcrossApi
    test: AcrossApi

    def of(self, testnet: bool) -> AcrossApi:
        """That of main or of test networks."""
        return self.test if testnet else self.main

    def close(self) -> None:
        """Close the connections."""
        self.main.close()
        self.test.close()


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


def moved_symbols(catalogue: Catalogue) -> Mapping[str, Collection[str]]:
    """What Across itself carries, by chain: what of the operator's inventory can be moved."""
    return list_symbols(catalogue, load_data(BridgeName.ACROSS)["tokens"])


def usual_fill_seconds(testnet: bool) -> int:
    """How long relayers usually take to fill a deposit."""
    kind = "testnet" if testnet else "mainnet"
    seconds: int = load_data(BridgeName.ACROSS)[f"fill_seconds_{kind}"]
    return seconds
