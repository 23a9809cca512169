"""A live environment: the catalogue, the price source and the open chains of a profile."""

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import httpx

from crossway.adapters.chain_families import load_family
from crossway.adapters.chains.rpc.bridge_profile import read_key
from crossway.adapters.chains.rpc.family import ChainSettings
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
    """A profile with its open chains."""

    profile: Profile
    catalogue: Catalogue
    operators: Mapping[str, ChainOperator]

    @property
    def chains(self) -> dict[str, LiveChain]:
        """The chains that the engine works with."""
        return {name: operator.chain for name, operator in self.operators.items()}

    def close(self) -> None:
        """Close the connections of all chains."""
        for operator in self.operators.values():
            operator.chain.close()


@dataclass(frozen=True, slots=True)
class PriceFeeds:
    """By symbol: the catalogue's reference prices in pico-USD (`as_of` is their day), and the ids
    of Pyth feeds."""

    pico_usd: Mapping[str, int]
    as_of: datetime
    pyth: Mapping[str, str]


def open_live_environment(
    path: Path | None, full_catalogue: Catalogue, signs: bool
) -> LiveEnvironment:
    """Open the chains of a profile, with their keys where this process `signs`; reads no node yet.
    Raises `ValueError` with a sentence."""
    if path is None:
        raise ValueError("CROSSWAY_PROFILE must name the file of the live network's chains")
    profile = read_profile(path, full_catalogue)
    keyring = Keyring(os.environ, not signs, profile.signers)
    operators = {
        name: load_family(full_catalogue.chains[name].kind).open_chain(
            ChainSettings(full_catalogue, name, chain, keyring, profile.contract_users)
        )
        for name, chain in profile.chains.items()
    }
    return LiveEnvironment(
        profile, restrict_catalogue(full_catalogue, profile, operators), operators
    )


def unmet_requirements(live: LiveEnvironment, executor: Executor) -> Sequence[str]:
    """What is missing before these chains can be worked, one sentence each."""
    sentences = executor.map(
        lambda operator: operator.unmet_requirements(), live.operators.values()
    )
    return [sentence for of_chain in sentences for sentence in of_chain]


def restrict_catalogue(
    full_catalogue: Catalogue, profile: Profile, operators: Mapping[str, ChainOperator]
) -> Catalogue:
    """The catalogue with only the profile's chains, with their confirmation depths and costs.
    Tokens that a chain's contracts refuse are disabled."""
    denied = {
        name: operator.denied_tokens() if isinstance(operator, HasTokenDenylist) else {}
        for name, operator in operators.items()
    }
    chains = {
        name: _apply_profile(chain, profile.chains[name])
        for name, chain in full_catalogue.chains.items()
        if name in profile.chains
    }
    tokens = {
        key: _disable_denied(token, denied[key[0]])
        for key, token in full_catalogue.tokens.items()
        if key[0] in profile.chains
    }
    return replace(full_catalogue, chains=chains, tokens=tokens)


def _disable_denied(token: Token, denied: Mapping[str, str]) -> Token:
    reason = denied.get(token.address)
    return token if reason is None else replace(token, enabled=False, disabled_reason=reason)


def _apply_profile(chain: Chain, profile: ChainProfile) -> Chain:
    depths, cost = profile.confirmations, profile.transfer_cost_usd
    if depths is not None:
        chain = replace(chain, confirmations=Confirmations(**depths.model_dump()))
    if cost is not None:
        chain = replace(chain, transfer_cost_micro_usd=int(cost.scaleb(MICRO_USD_DECIMALS)))
    return chain


def create_price_source(profile: Profile, feeds: PriceFeeds) -> Prices:
    """The price source of a profile. Raises `ValueError` where the key that it names is not set."""
    if profile.prices == "fixed":
        return FixedPrices(feeds.pico_usd, feeds.as_of)
    key = read_key("pyth_key", profile.pyth_key, os.environ)
    client = httpx.Client(timeout=PRICE_SECONDS, follow_redirects=False)
    return PythPrices(client, profile.pyth_url, feeds.pyth, key)
