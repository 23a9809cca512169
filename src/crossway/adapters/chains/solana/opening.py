"""Opening the clusters of a profile: nodes, program, accounts and keys of each, put together."""

import re
from collections.abc import Mapping
from typing import Any

from crossway.adapters.chains.addresses import canonical
from crossway.adapters.chains.live.connections import nodes_of
from crossway.adapters.chains.live.keys import Keyring
from crossway.adapters.chains.live.nodes import Identity, Nodes
from crossway.adapters.chains.live.profile import ChainProfile
from crossway.adapters.chains.live.rpc import Question
from crossway.adapters.chains.solana.chain import SolanaChain
from crossway.adapters.chains.solana.ground import Ground
from crossway.adapters.chains.solana.places import Mints, Program
from crossway.adapters.chains.solana.signers import DEPOSIT_KEYS, KEYS, DepositKeys, SolanaSigner
from crossway.adapters.chains.solana.traits import Traits, traits
from crossway.adapters.chains.solana.wire import Malformed
from crossway.domain.catalogue import Catalogue, Chain
from crossway.ports.chain import ChainAddresses

# GRACE of the program: its own constant, which tests compare.
REDIRECT_SECONDS = 3 * 86_400
PROGRAM_PURPOSE = b"crossway program\0"
# CAIP-2 names a cluster by so many letters of the hash of its first block.
_NAME_LENGTH = 32
_HASH = re.compile(r"[1-9A-HJ-NP-Za-km-z]{32,44}\Z", re.ASCII)
# Besides the usual ones: the node is behind, or has not yet the block that was asked for.
_BUSY = (429, -32029, -32005, -32016)


def open_chain(
    catalogue: Catalogue,
    name: str,
    profile: ChainProfile,
    environment: Mapping[str, str],
    ring: Keyring,
) -> SolanaChain:
    """One cluster of a profile. Raises `ValueError` with a sentence for what is missing."""
    chain, customs = catalogue.chains[name], traits(name)
    signer = ring.signer_for(f"chains.{name}.key", KEYS, profile.key, profile.key_password)
    program, deposits = program_of(name, profile, signer), _deposit_keys(name, profile, ring)
    nodes = cluster_nodes(chain, profile, environment, customs)
    tokens = catalogue.by_chain[name]
    relayer = signer.address
    own = ChainAddresses(
        relayer, program.vault(relayer), relayer, profile.treasury, False, REDIRECT_SECONDS
    )
    ground = Ground(
        chain=chain,
        catalogue=catalogue,
        traits=customs,
        nodes=nodes,
        program=program,
        own=own,
        signer=signer,
        deposits=deposits,
        mints=Mints(customs.token_2022),
        tokens=tuple(dict.fromkeys(t.address for t in tokens if not t.native)),
        native=next((t.address for t in tokens if t.native and t.enabled), ""),
    )
    return SolanaChain(ground, profile.poll_seconds)


def program_of(name: str, profile: ChainProfile, signer: SolanaSigner) -> Program:
    """Crossway's program as the profile names it, else where this key deploys it. Raises
    `ValueError` with a sentence."""
    if not profile.program:
        return Program(signer.other(PROGRAM_PURPOSE).address)
    try:
        return Program(canonical("solana", profile.program))
    except ValueError as error:
        raise ValueError(f"chains.{name}.program {error}") from None


def _deposit_keys(name: str, profile: ChainProfile, ring: Keyring) -> DepositKeys | None:
    if profile.deposits == "program":
        return None
    if not profile.deposit_key:
        raise ValueError(
            f'chains.{name}.deposit_key must be given where deposits = "derived": '
            "env:NAME or keystore:PATH"
        )
    field = f"chains.{name}.deposit_key"
    return ring.signer_for(field, DEPOSIT_KEYS, profile.deposit_key, profile.key_password)


def cluster_nodes(
    chain: Chain, profile: ChainProfile, environment: Mapping[str, str], customs: Traits
) -> Nodes:
    """The nodes of a cluster, which say by the hash of its first block which one they have."""
    identity = Identity(Question("getGenesisHash"), str(chain.chain_id), _name, _BUSY)
    return nodes_of(chain.id, profile, environment, identity, customs.batch)


def _name(answer: Any) -> str:
    if not isinstance(answer, str) or not _HASH.match(answer):
        raise Malformed("the node answered something else than a block's hash")
    return answer[:_NAME_LENGTH]
