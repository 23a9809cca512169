"""A simulated network in a database of its own, with a machine's clock that a test moves."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache

from crossway.adapters.chains.simulated.chain import SimulatedChain
from crossway.adapters.chains.simulated.clock import SandboxClock
from crossway.adapters.chains.simulated.network import Network
from crossway.adapters.chains.simulated.sandbox import SimulatedSandbox
from crossway.adapters.chains.simulated.tables import METADATA
from crossway.catalogue import load, reference_prices
from crossway.domain.actions import Action, Output
from crossway.domain.catalogue import Catalogue
from crossway.domain.transfers import Duty
from crossway.ports.chain import Signed
from crossway.storage.store import connect

START = 1_795_000_000.0
BASE = "BASE_MAINNET"
FINALITY = 8


@dataclass
class Machine:
    """The machine's clock."""

    seconds: float = START

    def __call__(self) -> float:
        return self.seconds


@cache
def catalogue() -> Catalogue:
    """The catalogue with a finality that a test can wait for."""
    loaded = load()
    chains = {
        chain.id: replace(chain, confirmations=replace(chain.confirmations, finalized=FINALITY))
        for chain in loaded.chains.values()
    }
    return Catalogue(chains, loaded.tokens, loaded.symbols)


class Simulation:
    """One process's view of a simulated network; several may share a database."""

    def __init__(self, url: str, machine: Machine | None = None) -> None:
        self.url = url
        self.machine = machine or Machine()
        self.writing, self.reading = connect(url)
        METADATA.create_all(self.writing)
        self.clock = SandboxClock(self.writing, self.reading, self.machine)
        prices = {symbol: price.pico_usd for symbol, price in reference_prices().items()}
        self.network = Network(catalogue(), self.writing, self.reading, self.clock, prices)
        self.sandbox = SimulatedSandbox(self.network)

    def chain(self, name: str = BASE) -> SimulatedChain:
        return SimulatedChain(self.network, name)

    def again(self) -> "Simulation":
        """Another process on the same database and the same machine."""
        return Simulation(self.url, self.machine)

    def wait(self, seconds: float = 1.0) -> None:
        self.machine.seconds += seconds

    def close(self) -> None:
        self.writing.dispose()
        self.reading.dispose()


class Addresses:
    """A watch on these addresses, or on all of them."""

    def __init__(self, *addresses: str) -> None:
        self.addresses = addresses

    def known(self, addresses: Collection[str]) -> set[str]:
        return set(addresses) & set(self.addresses) if self.addresses else set(addresses)

    def all(self) -> Sequence[str]:
        return self.addresses


def dollars(chain: str = BASE) -> str:
    """The token address of USDC, or where that is switched off of USDT."""
    tokens = (catalogue().tokens[chain, symbol] for symbol in ("USDC", "USDT"))
    return next(token.address for token in tokens if token.enabled)


def wallet(chain: SimulatedChain, name: str = "a wallet") -> str:
    """Somebody's address on this chain."""
    return chain.deposit_address(f"wallet {name}")


def payout(chain: SimulatedChain, to: str, units: int, marker: str | None = None) -> Action:
    """The relayer pays somebody."""
    token = dollars(chain.id)
    output = Output(chain.own.relayer, to, token, units)
    return Action(Duty.FILL, chain.id, chain.own.relayer, "0x0", (output,), marker)


def signed(chain: SimulatedChain, *actions: Action, nonce: int | None = None) -> list[Signed]:
    first = chain.next_nonce(chain.own.relayer) if nonce is None else nonce
    return list(chain.sign([(a, first + n) for n, a in enumerate(actions)], chain.fee_units()))
