"""Opening a Tron chain of a profile: its nodes, contracts, account and key, put together."""

from collections.abc import Mapping

from crossway.adapters.chains.evm.contracts import REDIRECT_SECONDS, Deployment
from crossway.adapters.chains.evm.ground import Ground
from crossway.adapters.chains.evm.logs import limits_of
from crossway.adapters.chains.live.keys import Keyring
from crossway.adapters.chains.live.nodes import Nodes
from crossway.adapters.chains.live.profile import ChainProfile
from crossway.adapters.chains.tron.blocks import Blocks
from crossway.adapters.chains.tron.chain import TronChain
from crossway.adapters.chains.tron.coins import ScannedCoins
from crossway.adapters.chains.tron.contracts import deployment_of
from crossway.adapters.chains.tron.customs import Customs, customs
from crossway.adapters.chains.tron.forms import named, plain
from crossway.adapters.chains.tron.node import nodes_of
from crossway.adapters.chains.tron.signers import KEYS
from crossway.domain.catalogue import Catalogue
from crossway.ports.chain import ChainAddresses
from crossway.ports.signing import Signer


def open_chain(
    catalogue: Catalogue,
    name: str,
    profile: ChainProfile,
    environment: Mapping[str, str],
    ring: Keyring | None = None,
) -> TronChain:
    """One chain of a profile. Raises `ValueError` with a sentence for what is missing."""
    ring = ring or Keyring(environment)
    signer = ring.signer_for(f"chains.{name}.key", KEYS, profile.key, profile.key_password)
    allows, at = customs(), deployment_of(name, profile.contracts)
    nodes = nodes_of(catalogue.chains[name], profile, environment, allows.batch)
    blocks = Blocks(plain(signer.address), allows.page_blocks)
    own = ChainAddresses(
        signer.address, named(at.escrow), signer.address, profile.treasury, True, REDIRECT_SECONDS
    )
    ground = _ground(catalogue, name, allows, nodes, at, own, signer, blocks)
    return TronChain(ground, own, allows, blocks, profile.poll_seconds)


def _ground(
    catalogue: Catalogue,
    name: str,
    allows: Customs,
    nodes: Nodes,
    at: Deployment,
    own: ChainAddresses,
    signer: Signer,
    blocks: Blocks,
) -> Ground:
    tokens, traits = catalogue.by_chain[name], allows.traits
    relayer, treasury = plain(own.relayer), plain(own.treasury)
    return Ground(
        chain=catalogue.chains[name],
        catalogue=catalogue,
        traits=traits,
        nodes=nodes,
        at=at,
        own=ChainAddresses(relayer, at.escrow, relayer, treasury, True, REDIRECT_SECONDS),
        signer=signer,
        limits=limits_of(traits),
        tokens=frozenset(plain(t.address) for t in tokens if not t.native),
        native=next((plain(t.address) for t in tokens if t.native and t.enabled), ""),
        coins=ScannedCoins(blocks),
        reach=allows.scan_blocks,
    )
