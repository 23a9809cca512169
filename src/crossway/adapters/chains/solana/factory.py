"""Builds the adapters of a profile's clusters: nodes, program, accounts and keys."""

import re
from collections.abc import Mapping
from typing import Any

from crossway.adapters.chains.addresses import canonical_address
from crossway.adapters.chains.rpc.client import RpcRequest
from crossway.adapters.chains.rpc.connect import connect_pool
from crossway.adapters.chains.rpc.keys import Keyring
from crossway.adapters.chains.rpc.pool import ChainIdentity, RpcPool
from crossway.adapters.chains.rpc.profile import ChainProfile
from crossway.adapters.chains.solana.chain import SolanaChain
from crossway.adapters.chains.solana.chain_context import ChainContext
from crossway.adapters.chains.solana.chain_params import ChainParams, load_chain_params
from crossway.adapters.chains.solana.pdas import MintRegistry, ProgramAddresses
from crossway.adapters.chains.solana.rpc_schemas import Malformed
from crossway.adapters.chains.solana.signers import DEPOSIT_KEYS, KEYS, DepositKeys, SolanaSigner
from crossway.domain.catalogue import Catalogue, Chain
from crossway.ports.chain import ChainAddresses

# GRACE of the program; a test compares the two.
REDIRECT_SECONDS = 3 * 86_400
PROGRAM_PURPOSE = b"crossway program\0"
# CAIP-2 names a cluster by the first characters of its genesis hash.
_NAME_LENGTH = 32
_HASH = re.compile(r"[1-9A-HJ-NP-Za-km-z]{32,44}\Z", re.ASCII)
# In addition to the common ones: the node is behind, or does not have the block yet.
_BUSY = (429, -32029, -32005, -32016)


def open_chain(
    catalogue: Catalogue,
    name: str,
    profile: ChainProfile,
    environment: Mapping[str, str],
    ring: Keyring,
) -> SolanaChain:
    """Open one cluster of a profile. Raises `ValueError` naming what is missing."""
    chain, customs = catalogue.chains[name], load_chain_params(name)
    signer = ring.signer_for(f"chains.{name}.key", KEYS, profile.key, profile.key_password)
    program, deposits = program_of(name, profile, signer), _deposit_keys(name, profile, ring)
    nodes = cluster_nodes(chain, profile, environment, customs)
    tokens = catalogue.by_chain[name]
    relayer = signer.address
    own = ChainAddresses(
        relayer, program.vault(relayer), relayer, profile.treasury, False, REDIRECT_SECONDS
    )
    context = ChainContext(
        chain=chain,
        catalogue=catalogue,
        params=customs,
        pool=nodes,
        program=program,
        accounts=own,
        signer=signer,
        deposits=deposits,
        mints=MintRegistry(customs.token_2022),
        tokens=tuple(dict.fromkeys(t.address for t in tokens if not t.native)),
        native=next((t.address for t in tokens if t.native and t.enabled), ""),
    )
    return SolanaChain(context, profile.poll_seconds)


def program_of(name: str, profile: ChainProfile, signer: SolanaSigner) -> ProgramAddresses:
    """The program's address from the profile, or else the one that this key deploys to. Raises
    `ValueError` if the profile is invalid."""
    if not profile.program:
        return ProgramAddresses(signer.other(PROGRAM_PURPOSE).address)
    try:
        return ProgramAddresses(canonical_address("solana", profile.program))
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
    chain: Chain, profile: ChainProfile, environment: Mapping[str, str], customs: ChainParams
) -> RpcPool:
    """The nodes of a cluster, identified by their genesis hash."""
    identity = ChainIdentity(
        RpcRequest("getGenesisHash"), str(chain.chain_id), _parse_genesis, _BUSY
    )
    return connect_pool(chain.id, profile, environment, identity, customs.batch)


def _parse_genesis(answer: Any) -> str:
    if not isinstance(answer, str) or not _HASH.match(answer):
        raise Malformed("the node did not return a block hash")
    return answer[:_NAME_LENGTH]
