"""Opening a Tron chain of a profile: its nodes, contracts, account and key."""

from collections.abc import Mapping

from crossway.adapters.chains.evm.chain_context import ChainContext
from crossway.adapters.chains.evm.contracts import REDIRECT_SECONDS
from crossway.adapters.chains.evm.logs import initial_limits
from crossway.adapters.chains.rpc.keys import Keyring
from crossway.adapters.chains.rpc.profile import ChainProfile
from crossway.adapters.chains.tron.address_format import to_base58, to_evm_address
from crossway.adapters.chains.tron.blocks import BlockReader
from crossway.adapters.chains.tron.chain import TronChain
from crossway.adapters.chains.tron.chain_params import load_chain_params
from crossway.adapters.chains.tron.contracts import deployment_from_profile
from crossway.adapters.chains.tron.native_deposits import ScannedNativeDeposits
from crossway.adapters.chains.tron.node import connect_pool
from crossway.adapters.chains.tron.signers import KEYS
from crossway.domain.catalogue import Catalogue
from crossway.ports.chain import ChainAddresses


def open_chain(
    catalogue: Catalogue,
    name: str,
    profile: ChainProfile,
    environment: Mapping[str, str],
    ring: Keyring | None = None,
) -> TronChain:
    """One chain of a profile; reads no node yet. `ring` shares keys between chains. Raises
    `ValueError` that names the invalid field."""
    ring = ring or Keyring(environment)
    signer = ring.relayer_signer(KEYS, name, profile)
    params, at = load_chain_params(), deployment_from_profile(name, profile.contracts)
    chain, tokens = catalogue.chains[name], catalogue.by_chain[name]
    blocks = BlockReader(to_evm_address(signer.address), params.blocks_per_request)
    accounts = _accounts(signer.address, to_base58(at.escrow), profile.treasury)
    relayer, treasury = to_evm_address(signer.address), to_evm_address(profile.treasury)
    native = [to_evm_address(t.address) for t in tokens if t.native and t.enabled]
    context = ChainContext(
        chain=chain,
        catalogue=catalogue,
        params=params.evm_params,
        pool=connect_pool(chain, profile, environment, params.batch_size),
        deployment=at,
        accounts=_accounts(relayer, at.escrow, treasury),
        signer=signer,
        limits=initial_limits(params.evm_params),
        tokens=frozenset(to_evm_address(t.address) for t in tokens if not t.native),
        native_token=native[0] if native else "",
        native_deposits=ScannedNativeDeposits(blocks),
        max_scan_blocks=params.max_scan_blocks,
    )
    return TronChain(context, accounts, params, blocks, profile.poll_seconds)


def _accounts(relayer: str, escrow: str, treasury: str) -> ChainAddresses:
    return ChainAddresses(relayer, escrow, relayer, treasury, True, REDIRECT_SECONDS)
