"""The chains that keep the promises of the chain port, each with the hands that tests need."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Protocol

from crossway.adapters.chains.evm.chain import EvmChain
from crossway.adapters.chains.evm.opening import open_chain
from crossway.adapters.chains.live.profile import ChainProfile
from crossway.ports.chain import Chain
from crossway.ports.sandbox import Faults
from tests.chains import anvil
from tests.simulation import START, Simulation, catalogue, dollars, wallet


class Network(Protocol):
    """A chain to be tested, and the hands that a test needs around it."""

    chain: Chain
    token: str
    foreign_token: str

    def wallet(self, name: str) -> str: ...
    def pay(self, to: str, units: int, token: str | None = None) -> str: ...
    def mine(self, blocks: int = 1) -> None: ...
    def reorganise(self, depth: int) -> None: ...
    def expiry(self, seconds: float) -> datetime: ...


class SimulatedNetwork:
    """The simulated chain of a family."""

    def __init__(self, folder: Path, name: str) -> None:
        self.simulation = Simulation(f"sqlite:///{folder / 'network.db'}")
        self.chain = self.simulation.chain(name)
        self.token = dollars(name)
        tokens = self.simulation.network.facts[name].tokens.values()
        self.foreign_token = next(t.address for t in tokens if t.address != self.token)

    def wallet(self, name: str) -> str:
        return wallet(self.chain, name)

    def pay(self, to: str, units: int, token: str | None = None) -> str:
        return self.simulation.sandbox.deposit(
            self.chain.id, to, token or self.token, units
        ).tx_hash

    def mine(self, blocks: int = 1) -> None:
        self.simulation.wait(blocks * self.simulation.network.facts[self.chain.id].block_seconds)

    def reorganise(self, depth: int) -> None:
        self.simulation.sandbox.misbehave(self.chain.id, Faults(reorg_depth=depth))

    def expiry(self, seconds: float) -> datetime:
        return datetime.fromtimestamp(START, UTC) + timedelta(seconds=seconds)


class AnvilNetwork:
    """A real EVM chain on this machine."""

    def __init__(self, running: anvil.Anvil, token: str, foreign: str) -> None:
        self.anvil = running
        self.opened = open_evm(running)
        self.chain: Chain = self.opened
        self.token, self.foreign_token = token, foreign

    def wallet(self, name: str) -> str:
        return made_up(name)

    def pay(self, to: str, units: int, token: str | None = None) -> str:
        return self.anvil.pay(to, units, token or self.token)

    def mine(self, blocks: int = 1) -> None:
        self.anvil.mine(blocks)

    def reorganise(self, depth: int) -> None:
        self.anvil.reorganise(depth)

    def expiry(self, seconds: float) -> datetime:
        return anvil.in_seconds(self.anvil, seconds)


def made_up(name: str) -> str:
    """An address that belongs to a name."""
    return anvil.canonical("evm", "0x" + anvil.keccak256(name.encode())[-20:].hex())


def open_evm(running: anvil.Anvil, *urls: str, quorum: int = 1) -> EvmChain:
    """The chain as an operator's profile opens it; asks for its head every time."""
    profile = ChainProfile(
        rpc=list(urls) or [running.url], key="env:KEY", treasury=anvil.TREASURY,
        poll_seconds=0, quorum=quorum,
    )  # fmt: skip
    return open_chain(catalogue(), running.chain, profile, {"KEY": anvil.RELAYER_KEY})


Opener = Callable[[Path], AbstractContextManager[Network]]


@contextmanager
def simulated(name: str, folder: Path) -> Iterator[Network]:
    made = SimulatedNetwork(folder, name)
    yield made
    made.simulation.close()


_ANVILS: dict[str, anvil.Anvil] = {}
BASE = "BASE_MAINNET"
COIN = "0x" + "0" * 40
EUROS = anvil.CATALOGUE.tokens[BASE, "EURC"].address


@contextmanager
def on_anvil(kind: str, folder: Path) -> Iterator[Network]:
    """One anvil for the whole run, put back after each test."""
    running = _ANVILS["one"]
    before = running.rpc("evm_snapshot")
    token, euros = anvil.dollars(BASE), EUROS
    if kind == "silent":
        running.rpc("anvil_setCode", token, anvil.token_code("Silent"))
    asked_for, other = (COIN, token) if kind == "coin" else (token, euros)
    made = AnvilNetwork(running, asked_for, other)
    yield made
    made.opened.close()
    running.sent.clear()
    running.rpc("evm_revert", before)


@contextmanager
def anvils() -> Iterator[None]:
    """The anvil that the networks on it share."""
    with anvil.running(BASE) as running:
        running.put_token(EUROS)
        _ANVILS["one"] = running
        yield
    _ANVILS.clear()


NETWORKS: dict[str, Opener] = {
    "simulated evm": partial(simulated, "BASE_MAINNET"),
    "simulated solana": partial(simulated, "SOLANA_MAINNET"),
    "simulated starknet": partial(simulated, "STARKNET_MAINNET"),
    "simulated tron": partial(simulated, "TRON_MAINNET"),
    "anvil": partial(on_anvil, "plain"),
    "anvil token that answers nothing": partial(on_anvil, "silent"),
    "anvil native coin": partial(on_anvil, "coin"),
}
