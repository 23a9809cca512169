"""The simulated network's cost per payment: deposit, start, fill, reimbursement, in batches.

python -m benchmarks.simulated_network [batch size] [batches] [database URL]
"""

import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Engine, create_engine, event

from crossway.adapters.chains.simulated.blocks.clock import SimulatedClock
from crossway.adapters.chains.simulated.blocks.network import SimulatedNetwork
from crossway.adapters.chains.simulated.blocks.tables import METADATA
from crossway.adapters.chains.simulated.chain import SimulatedChain
from crossway.adapters.chains.simulated.sandbox import SimulatedSandbox
from crossway.catalogue import load_catalogue, reference_prices
from crossway.domain.outbound import OutboundTxKind
from crossway.domain.outbound_call import OutboundCall, Output
from crossway.ports.chain import Cursor, IncludedTx
from crossway.ports.sandbox import Faults

SOURCE, DESTINATION = "BASE_MAINNET", "POLYGON_MAINNET"
UNITS, EXCESS = 10_000_000, 500_000
T = TypeVar("T")
spent: dict[str, float] = defaultdict(float)
worked: dict[str, float] = defaultdict(float)


class Everything:
    """A filter that matches all addresses."""

    def filter_known(self, addresses: Collection[str]) -> set[str]:
        return set(addresses)

    def list_recent(self) -> Sequence[str]:
        return self.list_all()

    def list_all(self) -> Sequence[str]:
        return ()


def timed(step: str, call: Callable[[], T]) -> T:
    """Run a step and add its time to the sum of its kind."""
    began, busy = time.perf_counter(), time.process_time()
    result = call()
    spent[step] += time.perf_counter() - began
    worked[step] += time.process_time() - busy
    return result


def engines(url: str) -> tuple[Engine, Engine]:
    """A writing and a reading database engine, configured as in the product."""
    if not url.startswith("sqlite"):
        return create_engine(url), create_engine(url)
    writing = create_engine(url, connect_args={"isolation_level": None})
    reading = create_engine(url)

    @event.listens_for(writing, "connect")
    def set_up(connection: object, _: object) -> None:
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=10000"):
            connection.execute(f"PRAGMA {pragma}")  # type: ignore[attr-defined]

    @event.listens_for(writing, "begin")
    def begin(connection: object) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")  # type: ignore[attr-defined]

    return writing, reading


class Run:
    """Two chains of a fresh network and the payments between them."""

    def __init__(self, url: str) -> None:
        writing, reading = engines(url)
        METADATA.create_all(writing)
        catalogue = load_catalogue()
        clock = SimulatedClock(writing, reading)
        prices = {symbol: price.pico_usd for symbol, price in reference_prices().items()}
        network = SimulatedNetwork(catalogue, writing, reading, clock, prices)
        self.sandbox = SimulatedSandbox(network)
        self.source = SimulatedChain(network, SOURCE)
        self.destination = SimulatedChain(network, DESTINATION)
        self.paid = catalogue.token(SOURCE, "USDC").address
        self.given = catalogue.token(DESTINATION, "USDC").address
        self.cursors: dict[str, Cursor | None] = {SOURCE: None, DESTINATION: None}
        self.sandbox.freeze(True)
        plenty = Faults(balances={"relayer": {"USDC": 10**18, "native": 10**30}})
        self.sandbox.inject_faults(SOURCE, plenty)
        self.sandbox.inject_faults(DESTINATION, plenty)
        self.scan()

    def scan(self) -> int:
        """Scan both chains to their heads; how many transfers there were."""
        count = 0
        for chain in (self.source, self.destination):
            while True:
                result = chain.scan(self.cursors[chain.id], Everything())
                self.cursors[chain.id] = result.cursor
                count += len(result.incoming)
                if not result.incoming:
                    break
                assert all(chain.verify_inclusion(result.incoming))
        return count

    def send(self, chain: SimulatedChain, name: str, actions: list[OutboundCall]) -> None:
        """Sign, broadcast, mine and check a batch."""
        nonce = chain.next_nonce(chain.accounts.relayer)
        numbered = [(action, nonce + number) for number, action in enumerate(actions)]
        fee = chain.fee_units()
        signed = timed(f"{name} sign", lambda: chain.sign(numbered, fee))
        assert not any(timed(f"{name} broadcast", lambda: chain.broadcast(signed)))
        self.sandbox.advance(1)
        timed(f"{name} mine", chain.heads)
        ids = [item.tx_id for item in signed]
        for _ in range(2):  # once to confirm, once at finality
            known = timed(f"{name} status", lambda: chain.status(ids))
            bad = [
                item for item in known.values() if not isinstance(item, IncludedTx) or item.reason
            ]
            assert not bad, bad[0]

    def batch(self, first: int, size: int) -> None:
        """Take a batch of payments from deposit to reimbursement."""
        keys = [f"0x{number:064x}" for number in range(first, first + size)]
        places = [self.source.deposit_address(key) for key in keys]
        recipients = [self.destination.deposit_address("to" + key) for key in keys]
        back = [self.source.deposit_address("back" + key) for key in keys]
        deposits = [(place, self.paid, UNITS + EXCESS) for place in places]
        timed("deposit", lambda: self.sandbox.deposit_each(SOURCE, deposits))
        assert timed("scan, still there", self.scan) == size
        own, other = self.source.accounts, self.destination.accounts
        starts = [
            OutboundCall(
                OutboundTxKind.START,
                SOURCE,
                own.relayer,
                key,
                (
                    Output(place, own.bridger, self.paid, UNITS),
                    Output(place, refund, self.paid, None, required=False),
                ),
                marker=f"start {key}",
            )
            for key, place, refund in zip(keys, places, back, strict=True)
        ]
        self.send(self.source, "start", starts)
        fills = [
            OutboundCall(
                OutboundTxKind.FILL,
                DESTINATION,
                other.relayer,
                key,
                (Output(other.relayer, to, self.given, UNITS - 100_000),),
                marker=f"fill {key}",
            )
            for key, to in zip(keys, recipients, strict=True)
        ]
        self.send(self.destination, "fill", fills)
        shares = ((own.relayer, UNITS - 70_000), (own.treasury, 50_000), (own.coordinator, 20_000))
        outputs = tuple(Output(own.bridger, to, self.paid, units) for to, units in shares)
        repaid = [
            OutboundCall(OutboundTxKind.REIMBURSE, SOURCE, own.relayer, key, outputs)
            for key in keys
        ]
        self.send(self.source, "reimburse", repaid)
        assert timed("scan, still there", self.scan) == 2 * size


def main() -> None:
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    batches = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    with tempfile.TemporaryDirectory() as folder:
        url = sys.argv[3] if len(sys.argv) > 3 else f"sqlite:///{Path(folder) / 'network.db'}"
        run = Run(url)
        best: dict[str, float] = {}
        for number in range(batches):
            before = dict(spent)
            run.batch(number * size, size)
            for step, seconds in spent.items():
                took = seconds - before.get(step, 0.0)
                best[step] = min(took, best.get(step, took))
    payments = size * batches
    print(f"µs a payment, of {payments}: by the clock, of the processor, and in the best batch")
    for step, seconds in spent.items():
        row = (seconds / payments, worked[step] / payments, best[step] / size)
        print(f"{step:20}", *(f"{figure * 1e6:8.1f}" for figure in row))
    sums = (sum(item.values()) for item in (spent, worked, best))
    row = tuple(
        total / count for total, count in zip(sums, (payments, payments, size), strict=True)
    )
    print(f"{'all':20}", *(f"{figure * 1e6:8.1f}" for figure in row))


if __name__ == "__main__":
    main()
