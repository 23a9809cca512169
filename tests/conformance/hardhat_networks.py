"""The conformance tests' chain on a second implementation of EVM nodes."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from crossway.adapters.chains.evm.chain import EvmChain
from crossway.adapters.chains.evm.family import EvmFamily
from crossway.adapters.chains.rpc.profile import ChainProfile
from tests.chains import anvil, hardhat
from tests.conformance.networks import BASE, EUROS, AnvilNetwork, Network, Opener, settings
from tests.simulation import FINALITY

_HARDHATS: list[hardhat.Hardhat] = []


class HardhatNetwork(AnvilNetwork):
    """A second implementation of EVM nodes; it knows no final block, so the depth decides."""

    def __init__(self, running: hardhat.Hardhat) -> None:
        super().__init__(running, anvil.dollars(BASE), EUROS)
        self.opened.close()
        self.opened = open_hardhat(running)
        self.chain = self.opened


def open_hardhat(running: hardhat.Hardhat) -> EvmChain:
    """The chain with a depth of finality that tests can mine."""
    profile = ChainProfile(
        rpc=[running.url],
        key="env:KEY",
        treasury=anvil.TREASURY,
        poll_seconds=0,
        clock_seconds=1e9,
    )
    usual = settings(running.chain, profile, KEY=anvil.RELAYER_KEY)
    chain = usual.catalogue.chains[running.chain]
    shallow = replace(chain, confirmations=replace(chain.confirmations, finalized=FINALITY))
    chains = {**usual.catalogue.chains, chain.id: shallow}
    opened = EvmFamily().open_chain(
        replace(usual, catalogue=replace(usual.catalogue, chains=chains))
    )
    opened.chain.context.params = replace(opened.chain.context.params, finalized_tag=False)
    return opened.chain


@contextmanager
def on_hardhat(folder: Path) -> Iterator[Network]:
    """One node for the whole run, put back after each test."""
    running = _HARDHATS[0]
    before, height = running.rpc("evm_snapshot"), running.height
    created = HardhatNetwork(running)
    yield created
    created.opened.close()
    running.sent.clear()
    running.rpc("evm_revert", before)
    running.snapshots = {at: name for at, name in running.snapshots.items() if at < height}


@contextmanager
def hardhats() -> Iterator[None]:
    """The node that the networks on it share."""
    with hardhat.running(BASE) as running:
        running.put_token(EUROS)
        _HARDHATS.append(running)
        yield
    _HARDHATS.clear()


HARDHATS: dict[str, Opener] = {"hardhat with fees for L1": on_hardhat}
