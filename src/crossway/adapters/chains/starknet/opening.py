"""Opening a Starknet chain of a profile: its nodes, contracts, account and key, put together."""

from collections.abc import Mapping

from crossway.adapters.chains.addresses import canonical
from crossway.adapters.chains.live import connections
from crossway.adapters.chains.live.keys import Keyring
from crossway.adapters.chains.live.nodes import Identity, Nodes
from crossway.adapters.chains.live.profile import ChainProfile
from crossway.adapters.chains.live.rpc import Question
from crossway.adapters.chains.starknet.chain import StarknetChain
from crossway.adapters.chains.starknet.contracts import REDIRECT_SECONDS, deployment
from crossway.adapters.chains.starknet.events import Layouts, limits_of
from crossway.adapters.chains.starknet.felts import text_of
from crossway.adapters.chains.starknet.ground import Ground
from crossway.adapters.chains.starknet.keys import KEYS, StarkSigner
from crossway.adapters.chains.starknet.traits import Traits, traits
from crossway.adapters.chains.starknet.wire import felt
from crossway.domain.catalogue import Catalogue, Chain
from crossway.ports.chain import ChainAddresses

_COIN = "STRK"


def open_chain(
    catalogue: Catalogue,
    name: str,
    profile: ChainProfile,
    environment: Mapping[str, str],
    ring: Keyring | None = None,
) -> StarknetChain:
    """One chain of a profile; a ring opens a key that several chains have only once. Raises
    `ValueError` with a sentence that names the field."""
    account = account_of(name, profile)
    ring = ring or Keyring(environment)
    signer = ring.signer_for(f"chains.{name}.key", KEYS, profile.key, profile.key_password)
    chain, customs = catalogue.chains[name], traits(name)
    nodes = nodes_of(chain, profile, environment, customs)
    ground = _ground(catalogue, chain, customs, nodes, account, signer, profile.treasury)
    return StarknetChain(ground, profile.poll_seconds)


def account_of(name: str, profile: ChainProfile) -> str:
    """The relayer's account. Raises `ValueError` with a sentence."""
    if not profile.account:
        raise ValueError(
            f"chains.{name}.account must be the address of the relayer's account: on Starknet an "
            "account is a contract, and no key tells its address"
        )
    try:
        right = canonical("starknet", profile.account)
    except ValueError as error:
        raise ValueError(f"chains.{name}.account {error}") from None
    if right != profile.account:
        raise ValueError(f"chains.{name}.account must be written {right}")
    return right


def nodes_of(
    chain: Chain, profile: ChainProfile, environment: Mapping[str, str], customs: Traits
) -> Nodes:
    """The nodes of a Starknet chain."""
    return connections.nodes_of(chain.id, profile, environment, identity(chain), customs.batch)


def identity(chain: Chain) -> Identity:
    """How a node of this chain says which chain it has."""
    return Identity(
        Question("starknet_chainId"),
        text_of(int(chain.chain_id, 16)),
        lambda said: text_of(felt(said, "a chain id")) or str(said)[:40],
    )


def _ground(
    catalogue: Catalogue,
    chain: Chain,
    customs: Traits,
    nodes: Nodes,
    account: str,
    signer: StarkSigner,
    treasury: str,
) -> Ground:
    at = deployment()
    return Ground(
        chain=chain,
        catalogue=catalogue,
        traits=customs,
        nodes=nodes,
        at=at,
        own=ChainAddresses(account, at.escrow, account, treasury, True, REDIRECT_SECONDS),
        signer=signer,
        limits=limits_of(customs),
        layouts=Layouts(),
        tokens=frozenset(t.address for t in catalogue.by_chain[chain.id]),
        coin=catalogue.tokens[chain.id, _COIN].address,
    )
