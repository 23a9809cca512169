"""A live network out of an operator's profile: its catalogue, its prices and its chains."""

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import httpx

from crossway.adapters.chain_families import load_family
from crossway.adapters.chains.rpc.keys import Keyring
from crossway.adapters.chains.rpc.profile import ChainProfile, Profile, read_profile
from crossway.adapters.chains.rpc.protocols import ChainOperator, HasTokenDenylist, LiveChain
from crossway.adapters.prices.fixed import FixedPrices
from crossway.adapters.prices.pyth import PythPrices
from crossway.domain.catalogue import Catalogue, Chain, Confirmations
from crossway.domain.money import MICRO_USD_DECIMALS, Token
from crossway.ports.prices import Prices

PRICE_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class LiveEnvironment:
    """A profile that was read, with its chains opened."""

    profile: Profile
    catalogue: Catalogue
    operators: Mapping[str, ChainOperator]

    @property
    def chains(self) -> dict[str, LiveChain]:
        """What the engine works with."""
        return {name: one.chain for name, one in self.operators.items()}

    def close(self) -> None:
        """Let the connections of all chains go."""
        for one in self.operators.values():
            one.chain.close()


@dataclass(frozen=True, slots=True)
class PriceFeeds:
    """The catalogue's reference prices in pico-USD with their day, and feeds at Pyth, by symbol."""

    pico_usd: Mapping[str, int]
    as_of: datetime
    pyth: Mapping[str, str]


def open_live_environment(path: Path | None, whole: Catalogue) -> LiveEnvironment:
    """The network of a profile; asks no node yet. Raises `ValueError` with a sentence."""
    if path is None:
        raise ValueError("CROSSWAY_PROFILE must name the file of the live network's chains")
    profile = read_profile(path, whole)
    ring = Keyring(os.environ)
    opened = {
        name: load_family(whole.chains[name].kind).open_chain(whole, name, one, os.environ, ring)
        for name, one in profile.chains.items()
    }
    return LiveEnvironment(profile, restrict_catalogue(whole, profile, opened), opened)


def unmet_requirements(live: LiveEnvironment, asking: Executor) -> Sequence[str]:
    """What is missing before these chains can be worked, a sentence each."""
    told = asking.map(lambda opened: opened.missing(), live.operators.values())
    return [one for found in told for one in found]


def restrict_catalogue(
    whole: Catalogue, profile: Profile, opened: Mapping[str, ChainOperator]
) -> Catalogue:
    """The catalogue with the chains of a profile alone, at its depths and costs, in which nobody
    is offered to pay in a token that a chain's contracts refuse."""
    refused = {
        c: o.denied_tokens() if isinstance(o, HasTokenDenylist) else {} for c, o in opened.items()
    }
    return replace(
        whole,
        chains={c: _as_profiled(chain, profile.chains[c]) for c, chain in whole.chains.items()
                if c in profile.chains},
        tokens={key: _offered(token, refused[key[0]])
                for key, token in whole.tokens.items() if key[0] in profile.chains},
    )  # fmt: skip


def _offered(token: Token, refused: Mapping[str, str]) -> Token:
    why = refused.get(token.address)
    return token if why is None else replace(token, enabled=False, disabled_reason=why)


def _as_profiled(chain: Chain, profile: ChainProfile) -> Chain:
    depths, cost = profile.confirmations, profile.transfer_cost_usd
    if depths is not None:
        chain = replace(chain, confirmations=Confirmations(**depths.model_dump()))
    if cost is not None:
        chain = replace(chain, transfer_cost_micro_usd=int(cost.scaleb(MICRO_USD_DECIMALS)))
    return chain


def create_price_source(profile: Profile, feeds: PriceFeeds) -> Prices:
    """Where prices come from. Raises `ValueError` where the key that is named is not there."""
    if profile.prices == "fixed":
        return FixedPrices(feeds.pico_usd, feeds.as_of)
    name = profile.pyth_key.removeprefix("env:")
    key = os.environ.get(name, "") if name else ""
    if name and not key:
        raise ValueError(f"pyth_key: the environment has no {name}")
    client = httpx.Client(timeout=PRICE_SECONDS, follow_redirects=False)
    return PythPrices(client, profile.pyth_url, feeds.pyth, key)
