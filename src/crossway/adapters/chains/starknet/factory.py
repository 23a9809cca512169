"""Opening a Starknet chain of a profile: its nodes, contracts, account and key."""

from collections.abc import Mapping

from crossway.adapters.chains.addresses import canonical_address
from crossway.adapters.chains.rpc import connect
from crossway.adapters.chains.rpc.client import RpcRequest
from crossway.adapters.chains.rpc.keys import Keyring
from crossway.adapters.chains.rpc.pool import ChainIdentity, RpcPool
from crossway.adapters.chains.rpc.profile import ChainProfile
from crossway.adapters.chains.starknet.chain import StarknetChain
from crossway.adapters.chains.starknet.chain_context import ChainContext
from crossway.adapters.chains.starknet.chain_params import ChainParams, load_chain_params
from crossway.adapters.chains.starknet.contracts import REDIRECT_SECONDS, default_deployment
from crossway.adapters.chains.starknet.events import TransferLayouts, initial_limits
from crossway.adapters.chains.starknet.felts import decode_short_string
from crossway.adapters.chains.starknet.rpc_schemas import parse_felt
from crossway.adapters.chains.starknet.signers import KEYS
from crossway.domain.catalogue import Catalogue, Chain
from crossway.ports.chain import ChainAddresses

_FEE_TOKEN = "STRK"


def open_chain(
    catalogue: Catalogue,
    name: str,
    profile: ChainProfile,
    environment: Mapping[str, str],
    ring: Keyring | None = None,
) -> StarknetChain:
    """One chain of a profile; reads no node yet. `ring` shares keys between chains. Raises
    `ValueError` that names the invalid field."""
    account, ring = relayer_account(name, profile), ring or Keyring(environment)
    signer = ring.relayer_signer(KEYS, name, profile)
    chain, params, at = catalogue.chains[name], load_chain_params(name), default_deployment()
    context = ChainContext(
        chain=chain,
        catalogue=catalogue,
        params=params,
        pool=connect_pool(chain, profile, environment, params),
        deployment=at,
        accounts=ChainAddresses(
            account, at.escrow, account, profile.treasury, True, REDIRECT_SECONDS
        ),
        signer=signer,
        limits=initial_limits(params),
        layouts=TransferLayouts(),
        tokens=frozenset(token.address for token in catalogue.by_chain[chain.id]),
        fee_token=catalogue.tokens[chain.id, _FEE_TOKEN].address,
    )
    return StarknetChain(context, profile.poll_seconds)


def relayer_account(name: str, profile: ChainProfile) -> str:
    """The relayer's account. Raises `ValueError`."""
    if not profile.account:
        raise ValueError(
            f"chains.{name}.account must be the address of the relayer's account: on Starknet an "
            "account is a contract, and a key does not determine its address"
        )
    try:
        canonical = canonical_address("starknet", profile.account)
    except ValueError as error:
        raise ValueError(f"chains.{name}.account {error}") from None
    if canonical != profile.account:
        raise ValueError(f"chains.{name}.account must be written {canonical}")
    return canonical


def connect_pool(
    chain: Chain, profile: ChainProfile, environment: Mapping[str, str], params: ChainParams
) -> RpcPool:
    """The pool of a Starknet chain's nodes."""
    identity, batch_size = chain_identity(chain), params.batch_size
    return connect.connect_pool(chain.id, profile, environment, identity, batch_size)


def chain_identity(chain: Chain) -> ChainIdentity:
    """How to check a node's chain id."""
    return ChainIdentity(
        RpcRequest("starknet_chainId"),
        decode_short_string(int(chain.chain_id, 16)),
        lambda result: decode_short_string(parse_felt(result, "a chain id")) or str(result)[:40],
    )
