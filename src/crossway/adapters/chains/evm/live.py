"""A live network out of an operator's profile: its catalogue, its prices and its chains."""

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import httpx

from crossway.adapters.chains.evm.chain import EvmChain
from crossway.adapters.chains.evm.opening import open_chains
from crossway.adapters.chains.evm.profile import ChainProfile, Profile, read_profile
from crossway.adapters.chains.evm.starting import missing
from crossway.adapters.prices.fixed import FixedPrices
from crossway.adapters.prices.pyth import PythPrices
from crossway.domain.catalogue import Catalogue, Chain, Confirmations
from crossway.ports.quoting import Prices

PRICE_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Live:
    """A profile that was read, with its chains opened."""

    profile: Profile
    catalogue: Catalogue
    chains: Mapping[str, EvmChain]

    def close(self) -> None:
        """Let the connections of all chains go."""
        for chain in self.chains.values():
            chain.close()


@dataclass(frozen=True, slots=True)
class Feeds:
    """The catalogue's reference prices in pico-USD with their day, and feeds at Pyth, by symbol."""

    pico_usd: Mapping[str, int]
    as_of: datetime
    pyth: Mapping[str, str]


def open_live(path: Path | None, whole: Catalogue) -> Live:
    """The network of a profile; asks no node yet. Raises `ValueError` with a sentence."""
    if path is None:
        raise ValueError("CROSSWAY_PROFILE must name the file of the live network's chains")
    profile = read_profile(path, whole)
    chains = open_chains(profile, whole, os.environ)
    return Live(profile, restricted(whole, profile), chains)


def lacking(live: Live, asking: Executor) -> Sequence[str]:
    """What is missing before these chains can be worked, a sentence each."""
    return [one for found in asking.map(missing, live.chains.values()) for one in found]


def restricted(whole: Catalogue, profile: Profile) -> Catalogue:
    """The catalogue with the chains of a profile alone, at the profile's depths."""
    return replace(
        whole,
        chains={c: _deep(chain, profile.chains[c]) for c, chain in whole.chains.items()
                if c in profile.chains},
        tokens={key: token for key, token in whole.tokens.items() if key[0] in profile.chains},
    )  # fmt: skip


def _deep(chain: Chain, profile: ChainProfile) -> Chain:
    depths = profile.confirmations
    if depths is None:
        return chain
    return replace(chain, confirmations=Confirmations(**depths.model_dump()))


def prices(profile: Profile, feeds: Feeds) -> Prices:
    """Where prices come from. Raises `ValueError` where the key that is named is not there."""
    if profile.prices == "fixed":
        return FixedPrices(feeds.pico_usd, feeds.as_of)
    name = profile.pyth_key.removeprefix("env:")
    key = os.environ.get(name, "") if name else ""
    if name and not key:
        raise ValueError(f"pyth_key: the environment has no {name}")
    client = httpx.Client(timeout=PRICE_SECONDS, follow_redirects=False)
    return PythPrices(client, profile.pyth_url, feeds.pyth, key)
