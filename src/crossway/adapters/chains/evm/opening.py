"""Opening the chains of a profile: nodes, contracts, accounts and keys of each, put together."""

from collections.abc import Mapping

import httpx

from crossway.adapters.chains.evm.chain import EvmChain
from crossway.adapters.chains.evm.contracts import REDIRECT_SECONDS, Deployment, deployment
from crossway.adapters.chains.evm.ground import Ground
from crossway.adapters.chains.evm.keys import KeyMissing, Keyring
from crossway.adapters.chains.evm.logs import limits_of
from crossway.adapters.chains.evm.nodes import Nodes
from crossway.adapters.chains.evm.profile import ChainProfile, Profile, urls
from crossway.adapters.chains.evm.rpc import Node
from crossway.adapters.chains.evm.traits import Traits, traits
from crossway.domain.catalogue import Catalogue, Chain
from crossway.ports.chain import ChainAddresses
from crossway.ports.signing import Signer

_CONNECTIONS = 8


def open_chains(
    profile: Profile, catalogue: Catalogue, environment: Mapping[str, str]
) -> dict[str, EvmChain]:
    """Every chain of a profile; asks no node yet. `catalogue` has all chains, as terms may name
    any. Raises `ValueError` with a sentence for what is missing."""
    ring = Keyring(environment)
    return {
        name: open_chain(catalogue, name, one, environment, ring)
        for name, one in profile.chains.items()
    }


def open_chain(
    catalogue: Catalogue,
    name: str,
    profile: ChainProfile,
    environment: Mapping[str, str],
    ring: Keyring | None = None,
) -> EvmChain:
    """One chain of a profile; a ring opens a key that several chains have only once."""
    try:
        signer = (ring or Keyring(environment)).signer(profile.key, profile.key_password)
    except KeyMissing as error:
        raise ValueError(f"chains.{name}.key: {error}") from None
    chain, customs, at = catalogue.chains[name], traits(name), deployment()
    nodes = nodes_of(chain, profile, environment, customs)
    return EvmChain(_ground(catalogue, chain, customs, nodes, at, signer, profile.treasury),
                    profile.poll_seconds)  # fmt: skip


def nodes_of(
    chain: Chain, profile: ChainProfile, environment: Mapping[str, str], customs: Traits
) -> Nodes:
    """The nodes of a chain, with a few connections that are kept open."""
    client = httpx.Client(
        timeout=profile.timeout_seconds,
        limits=httpx.Limits(max_connections=_CONNECTIONS * len(profile.rpc)),
        follow_redirects=False,
        trust_env=False,
    )
    nodes = [Node(url, client, customs.batch) for url in urls(chain.id, profile, environment)]
    return Nodes(int(chain.chain_id), nodes, profile.quorum)


def _ground(
    catalogue: Catalogue,
    chain: Chain,
    customs: Traits,
    nodes: Nodes,
    at: Deployment,
    signer: Signer,
    treasury: str,
) -> Ground:
    tokens = catalogue.by_chain[chain.id]
    coin = next((t.address for t in tokens if t.native and t.enabled), "")
    return Ground(
        chain=chain,
        catalogue=catalogue,
        traits=customs,
        nodes=nodes,
        at=at,
        own=ChainAddresses(
            signer.address, at.escrow, signer.address, treasury, True, REDIRECT_SECONDS
        ),
        signer=signer,
        limits=limits_of(customs),
        tokens=frozenset(t.address for t in tokens if not t.native),
        native=coin,
    )
