"""Opening an EVM chain of a profile: its nodes, contracts, accounts and key."""

from collections.abc import Mapping

from crossway.adapters.chains.evm import native_deposits
from crossway.adapters.chains.evm.chain import EvmChain
from crossway.adapters.chains.evm.chain_context import ChainContext
from crossway.adapters.chains.evm.chain_params import ChainParams, load_chain_params
from crossway.adapters.chains.evm.contracts import REDIRECT_SECONDS, default_deployment
from crossway.adapters.chains.evm.logs import initial_limits
from crossway.adapters.chains.evm.rpc_schemas import parse_quantity
from crossway.adapters.chains.evm.signers import KEYS
from crossway.adapters.chains.rpc import connect
from crossway.adapters.chains.rpc.client import RpcRequest
from crossway.adapters.chains.rpc.keys import Keyring
from crossway.adapters.chains.rpc.pool import ChainIdentity, RpcPool
from crossway.adapters.chains.rpc.profile import ChainProfile
from crossway.domain.catalogue import Catalogue, Chain
from crossway.ports.chain import ChainAddresses


def open_chain(
    catalogue: Catalogue,
    name: str,
    profile: ChainProfile,
    environment: Mapping[str, str],
    ring: Keyring | None = None,
) -> EvmChain:
    """One chain of a profile; reads no node yet. `ring` shares keys between chains. Raises
    `ValueError` that names the invalid field."""
    ring = ring or Keyring(environment)
    signer = ring.relayer_signer(KEYS, name, profile)
    chain, params, at = catalogue.chains[name], load_chain_params(name), default_deployment()
    tokens, relayer = catalogue.by_chain[name], signer.address
    context = ChainContext(
        chain=chain,
        catalogue=catalogue,
        params=params,
        pool=connect_pool(chain, profile, environment, params),
        deployment=at,
        accounts=ChainAddresses(
            relayer, at.escrow, relayer, profile.treasury, True, REDIRECT_SECONDS
        ),
        signer=signer,
        limits=initial_limits(params),
        tokens=frozenset(token.address for token in tokens if not token.native),
        native_token=next((t.address for t in tokens if t.native and t.enabled), ""),
        native_deposits=native_deposits,
    )
    return EvmChain(context, profile.poll_seconds)


def connect_pool(
    chain: Chain, profile: ChainProfile, environment: Mapping[str, str], params: ChainParams
) -> RpcPool:
    """The pool of an EVM chain's nodes."""
    identity, batch_size = chain_identity(chain), params.batch_size
    return connect.connect_pool(chain.id, profile, environment, identity, batch_size)


def chain_identity(chain: Chain) -> ChainIdentity:
    """How to check a node's chain id."""
    return ChainIdentity(
        RpcRequest("eth_chainId"),
        str(chain.chain_id),
        lambda result: str(parse_quantity(result, "a chain id")),
    )
