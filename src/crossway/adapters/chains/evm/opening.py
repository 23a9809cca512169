"""Opening an EVM chain of a profile: its nodes, contracts, accounts and key, put together."""

from collections.abc import Mapping

from crossway.adapters.chains.evm import native
from crossway.adapters.chains.evm.chain import EvmChain
from crossway.adapters.chains.evm.contracts import REDIRECT_SECONDS, Deployment, deployment
from crossway.adapters.chains.evm.ground import Ground
from crossway.adapters.chains.evm.logs import limits_of
from crossway.adapters.chains.evm.signers import KEYS
from crossway.adapters.chains.evm.traits import Traits, traits
from crossway.adapters.chains.evm.wire import integer
from crossway.adapters.chains.live import connections
from crossway.adapters.chains.live.keys import Keyring
from crossway.adapters.chains.live.nodes import Identity, Nodes
from crossway.adapters.chains.live.profile import ChainProfile
from crossway.adapters.chains.live.rpc import Question
from crossway.domain.catalogue import Catalogue, Chain
from crossway.ports.chain import ChainAddresses
from crossway.ports.signing import Signer


def open_chain(
    catalogue: Catalogue,
    name: str,
    profile: ChainProfile,
    environment: Mapping[str, str],
    ring: Keyring | None = None,
) -> EvmChain:
    """One chain of a profile; a ring opens a key that several chains have only once."""
    ring = ring or Keyring(environment)
    signer = ring.signer_for(f"chains.{name}.key", KEYS, profile.key, profile.key_password)
    chain, customs, at = catalogue.chains[name], traits(name), deployment()
    nodes = nodes_of(chain, profile, environment, customs)
    return EvmChain(_ground(catalogue, chain, customs, nodes, at, signer, profile.treasury),
                    profile.poll_seconds)  # fmt: skip


def nodes_of(
    chain: Chain, profile: ChainProfile, environment: Mapping[str, str], customs: Traits
) -> Nodes:
    """The nodes of an EVM chain."""
    return connections.nodes_of(chain.id, profile, environment, identity(chain), customs.batch)


def identity(chain: Chain) -> Identity:
    """How a node of this chain says which chain it has."""
    return Identity(
        Question("eth_chainId"), str(chain.chain_id), lambda said: str(integer(said, "a chain id"))
    )


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
        coins=native,
    )
