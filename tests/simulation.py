"""A simulated network in its own database, with a machine clock that tests advance."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache

from crossway.adapters.chains.simulated.blocks.clock import SimulatedClock
from crossway.adapters.chains.simulated.blocks.network import SimulatedNetwork
from crossway.adapters.chains.simulated.blocks.tables import METADATA
from crossway.adapters.chains.simulated.chain import SimulatedChain
from crossway.adapters.chains.simulated.sandbox import SimulatedSandbox
from crossway.adapters.simulated_bridges.reach import reach_of
from crossway.catalogue import load_catalogue, reference_prices
from crossway.domain.catalogue import Catalogue
from crossway.domain.deposits import address_key
from crossway.domain.outbound import OutboundTxKind
from crossway.domain.outbound_call import OutboundCall, Output
from crossway.ports.chain import SignedTx
from crossway.storage.store import connect
from tests.databases import fast

START = 1_795_000_000.0
BASE = "BASE_MAINNET"
FINALITY = 8


@dataclass
class ManualClock:
    """The machine's clock."""

    seconds: float = START

    def __call__(self) -> float:
        return self.seconds


@cache
def catalogue() -> Catalogue:
    """The catalogue with a finality that a test can wait for."""
    loaded = load_catalogue()
    chains = {
        chain.id: replace(chain, confirmations=replace(chain.confirmations, finalized=FINALITY))
        for chain in loaded.chains.values()
    }
    return Catalogue(chains, loaded.tokens, loaded.symbols)


class Simulation:
    """One process's view of a simulated network; several may share a database."""

    def __init__(self, url: str, machine: ManualClock | None = None) -> None:
        self.url = url
        self.machine = machine or ManualClock()
        self.writing, self.reading = connect(fast(url))
        METADATA.create_all(self.writing)
        self.clock = SimulatedClock(self.writing, self.reading, self.machine)
        prices = {symbol: price.pico_usd for symbol, price in reference_prices().items()}
        self.network = SimulatedNetwork(
            catalogue(), self.writing, self.reading, self.clock, prices, reach_of(catalogue())
        )
        self.sandbox = SimulatedSandbox(self.network)

    def chain(self, name: str = BASE) -> SimulatedChain:
        return SimulatedChain(self.network, name)

    def reopen(self) -> "Simulation":
        """Another process on the same database and the same machine."""
        return Simulation(self.url, self.machine)

    def pass_time(self, seconds: float = 1.0) -> None:
        self.machine.seconds += seconds

    def close(self) -> None:
        self.writing.dispose()
        self.reading.dispose()


class AddressWatch:
    """An address filter for these addresses, or for all."""

    def __init__(self, *addresses: str) -> None:
        self.addresses = addresses

    def filter_known(self, addresses: Collection[str]) -> set[str]:
        return set(addresses) & set(self.addresses) if self.addresses else set(addresses)

    def find_watched(self, keys: Collection[bytes]) -> set[bytes]:
        return set(keys) & {address_key(address) for address in self.addresses}

    def count(self) -> int:
        return len(self.addresses)

    def list_part(self, first: int, count: int) -> Sequence[str]:
        part = self.addresses[first : first + count]
        return [one.lower() if one.startswith("0x") else one for one in part]

    def list_all(self) -> Sequence[str]:
        return self.addresses

    def list_recent(self) -> Sequence[str]:
        return self.addresses


def dollars(chain: str = BASE) -> str:
    """The token address of USDC, or where that is disabled of USDT."""
    tokens = (catalogue().tokens[chain, symbol] for symbol in ("USDC", "USDT"))
    return next(token.address for token in tokens if token.enabled)


def wallet(chain: SimulatedChain, name: str = "a wallet") -> str:
    """A wallet address on this chain."""
    return chain.deposit_address(f"wallet {name}")


def payout(chain: SimulatedChain, to: str, units: int, marker: str | None = None) -> OutboundCall:
    """An outbound call by which the relayer pays a recipient."""
    token = dollars(chain.id)
    output = Output(chain.accounts.relayer, to, token, units)
    return OutboundCall(
        OutboundTxKind.FILL, chain.id, chain.accounts.relayer, "0x0", (output,), marker
    )


def sign(chain: SimulatedChain, *actions: OutboundCall, nonce: int | None = None) -> list[SignedTx]:
    first = chain.next_nonce(chain.accounts.relayer) if nonce is None else nonce
    return list(chain.sign([(a, first + n) for n, a in enumerate(actions)], chain.fee_units()))
