"""Standing addresses: what a block and a deposit cost among a thousand of them and a million.

Processor time of this process. Blocks come over HTTP from a stand-in for a node that is a process
of its own; the two databases are read in turn, round by round. The way of a deposit is played on
the simulated network, from the transfer until its payment is complete; each stored address has had
a deposit before, which ended.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from statistics import median

from sqlalchemy import text

from benchmarks import worlds
from crossway.adapters.chains.evm.chain import EvmChain
from crossway.bootstrap import Service
from crossway.domain.clients import Principal
from crossway.domain.standing import StandingAddress
from crossway.engine.watched_addresses import StoredAddressFilter, WatchedAddresses
from crossway.ports.chain import Cursor
from crossway.storage.standing_tables import standing_addresses, standing_deposits
from crossway.usecases.simulator import chain_controls
from crossway.usecases.standing import addresses, deposits
from crossway.usecases.standing.request import StandingRequest
from tests.chains.anvil import Anvil
from tests.chains.busy_node import CHAIN, block_hash, watched_address
from tests.conformance.networks import open_evm

# More than one query names: of fewer, a scan asks a node for their transfers alone.
SIZES, ROUNDS = (1_000, 1_000_000), 9
GOAL_RATIO = 1.2
# Of a pass that watches the native coin, too: balances of 5,000 addresses at most.
GOAL_NATIVE_SECONDS = 0.05
GOAL_START_SECONDS = 5.0
_PER_BLOCK, _BLOCKS, _DEPOSITS, _MOST_PASSES = 200, 20, 20, 200
_FIRST_ROUND = 2
Row = tuple[str, str, str, bool]
Sizes = tuple[int, int]


def run(sizes: Sizes = SIZES, rounds: int = ROUNDS) -> list[Row]:
    """(name, figure, goal, met)."""
    with ExitStack() as opened:
        built = [opened.enter_context(worlds.service()) for _ in sizes]
        made = [_fill(one, size) for one, size in zip(built, sizes, strict=True)]
        url = opened.enter_context(_node())
        scanned = [_Scanned(opened, one, url) for one in built]
        blocks = _in_turn([one.scan for one in scanned], rounds)
        native = _in_turn([one.scan_native for one in scanned], rounds)
        ways = [_Deposits(one, *of_one).play for one, of_one in zip(built, made, strict=True)]
        deposit = _in_turn(ways, rounds)
    start = scanned[-1].start_seconds
    of_both = f"{sizes[0]:,} / {sizes[1]:,} standing addresses"
    return [
        _ratio(f"a block of {_PER_BLOCK} transfers, {of_both}", blocks, _BLOCKS),
        (
            f"{sizes[-1]:,} standing addresses into memory",
            f"{start:.1f} s",
            "<= 5 s a million",
            start <= GOAL_START_SECONDS,
        ),
        _ratio(f"the way of a deposit, {of_both}", deposit, _DEPOSITS),
        (
            f"a pass with the native coin, {of_both}",
            " / ".join(f"{seconds * 1e3:.1f} ms" for seconds in native),
            f"<= {GOAL_NATIVE_SECONDS * 1e3:.0f} ms",
            max(native) <= GOAL_NATIVE_SECONDS,
        ),
    ]


def _in_turn(measured: Sequence[Callable[[], float]], rounds: int) -> list[float]:
    """The median of each; the first rounds compile statements and fill caches."""
    seconds: list[list[float]] = [[] for _ in measured]
    for _ in range(_FIRST_ROUND + rounds):
        for of_one, measure in zip(seconds, measured, strict=True):
            of_one.append(measure())
    return [median(of_one[_FIRST_ROUND:]) for of_one in seconds]


def _ratio(name: str, seconds: list[float], count: int) -> Row:
    ratio = seconds[1] / seconds[0]
    each = " / ".join(f"{one / count * 1e6:,.0f} µs" for one in seconds)
    return name, f"{each}, ratio {ratio:.2f}", f"<= {GOAL_RATIO:g}", ratio <= GOAL_RATIO


@contextmanager
def _node() -> Iterator[str]:
    command = [sys.executable, "-m", "tests.chains.busy_node", str(_PER_BLOCK)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


class _Scanned:
    """One database's addresses, to which the blocks of the stand-in pay."""

    def __init__(self, opened: ExitStack, built: Service, url: str) -> None:
        self._built, self._watched = built, WatchedAddresses(built.services)
        began = time.process_time()
        self._watched.refresh()
        self.start_seconds = time.process_time() - began
        self._without_native, self._with_native = (open_evm(Anvil(CHAIN, url), url) for _ in "12")
        self._without_native.context.native_token = ""
        self._at: dict[int, Cursor] = {}
        for chain in (self._without_native, self._with_native):
            opened.callback(chain.close)
            height = chain.heads().height - 1_000
            self._at[id(chain)] = Cursor(height, block_hash(height))

    def scan(self) -> float:
        """The seconds of so many blocks, one pass for each, as the indexer makes them."""
        return sum(self._pass(self._without_native) for _ in range(_BLOCKS))

    def scan_native(self) -> float:
        """The seconds of a pass over a block whose native payments are watched, too."""
        return self._pass(self._with_native)

    def _pass(self, chain: EvmChain) -> float:
        chain.context.max_scan_blocks = 1
        began = time.process_time()
        watch = StoredAddressFilter(self._built.services, CHAIN, self._watched)
        self._at[id(chain)] = chain.scan(self._at[id(chain)], watch).cursor
        return time.process_time() - began


class _Deposits:
    """Deposits at one standing address among all."""

    def __init__(self, built: Service, who: Principal, address: StandingAddress) -> None:
        self._built, self._who, self._address = built, who, address

    def play(self) -> float:
        """The seconds of so many deposits, until nothing is left to do."""
        built, began = self._built, time.process_time()
        chain_controls.send_deposit(
            built.services, self._who, self._address.address, "50000000", None, None, _DEPOSITS
        )
        for _ in range(_MOST_PASSES):
            chain_controls.set_clock(built.services, self._who, 2.0)
            if not built.engine.tick() and self._are_forwarded():
                break
        seconds = time.process_time() - began
        assert self._are_forwarded()
        return seconds

    def _are_forwarded(self) -> bool:
        address = self._address.id
        found = deposits.list_deposits(self._built.services, self._who, 100, None, address)
        return {deposit.state.value for deposit in found[:_DEPOSITS]} == {"FORWARDED"}


def _fill(built: Service, count: int) -> tuple[Principal, StandingAddress]:
    """An address as a client makes it, and so many like it, each with a deposit that ended."""
    services, who = built.services, worlds.caller(built)
    request = StandingRequest(
        source_chain=worlds.SOURCE,
        destination_chain=worlds.DESTINATION,
        recipient=services.chains[worlds.DESTINATION].deposit_address("a recipient"),
        recovery_address=services.chains[worlds.SOURCE].deposit_address("a payer"),
    )
    address = addresses.create(services, who, request)
    own = {
        "name": "'sa_' || n",
        "address": f"printf('0x%040x', {int(watched_address(0), 16)} + n)",
        "standing_hash": "printf('0x%064x', n)",
    }
    names = [column.name for column in standing_addresses.c if column.name != "id"]
    values = ", ".join(own.get(name, name) for name in names)
    numbers = (
        f"WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers "
        f"WHERE n < {count - 1})"
    )
    with built.store.writer.begin() as db:
        db.execute(text(
            f"{numbers} INSERT INTO standing_addresses ({', '.join(names)}) SELECT {values} FROM "
            f"numbers, standing_addresses AS model WHERE model.id = {address.number}"
        ))  # fmt: skip
        db.execute(text(_ENDED_DEPOSITS), {"first": address.number})
    return who, address


_ENDED = {
    "number": "id", "client_id": "client_id", "mode": "mode", "chain": "source_chain",
    "tx_hash": "standing_hash", "tx_index": "0", "block_height": "1", "block_hash": "'0x'",
    "token": "token_out", "sender": "recipient", "to_address": "address", "amount": "'50000000'",
    "at": "0", "state": "CASE id % 3 WHEN 0 THEN 'KEPT' ELSE 'RETURNED' END", "intent_id": "NULL",
    "micro_usd": "0", "reason": "''", "next_at": "0", "created_at": "0", "updated_at": "0",
    "ready_height": "1",
}  # fmt: skip
_COLUMNS = [column.name for column in standing_deposits.c if column.name != "id"]
_ENDED_DEPOSITS = (
    f"INSERT INTO standing_deposits ({', '.join(_COLUMNS)}) "
    f"SELECT {', '.join(_ENDED[name] for name in _COLUMNS)} FROM standing_addresses "
    "WHERE id > :first"
)
