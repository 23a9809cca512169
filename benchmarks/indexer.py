"""Deposits among very many: transfers a processor second, requests a pass, and a start.

Transfers are read from a stand-in for a node in a process of its own, as its answers come over
HTTP, and compared with a million addresses of stored payments. Processor time is this process's;
a whole parse of the same answers is measured in the same run. Requests are those of a pass over one
chain: its head, and what came since, with a block between two passes and its native coin watched.
"""

import gc
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import orjson
from sqlalchemy import text

from benchmarks import worlds
from crossway.adapters.chains.evm.chain import EvmChain
from crossway.adapters.chains.evm.logs import LogQuery, transfers_request
from crossway.adapters.chains.rpc.client import RpcRequest
from crossway.adapters.chains.rpc.watch_cost import ExampleAddresses
from crossway.bootstrap import Service
from crossway.engine.watched_addresses import StoredAddressFilter, WatchedAddresses
from crossway.ports.address_filter import AddressFilter
from crossway.ports.chain import Cursor
from crossway.storage.tables import intents
from tests.chains.anvil import Anvil
from tests.chains.busy_node import CHAIN, BusyNode, block_hash, watched_address
from tests.conformance.networks import open_evm

ADDRESSES, RANGES, OPEN = 1_000_000, 60, (0, 1_000, 100_000)
GOAL_LOGS, GOAL_REQUESTS = 300_000, 4.0
_PER_BLOCK, _BLOCKS, _PASSES = 200, 50, 45
_PAGE_BYTES = 4_096
Row = tuple[str, str, str, bool]


def run(
    addresses: int = ADDRESSES, ranges: int = RANGES, open_intents: Sequence[int] = OPEN
) -> list[Row]:
    """(name, figure, goal, met)."""
    with worlds.service() as built, _node() as url:
        _store(built, addresses)
        watched = WatchedAddresses(built.services)
        rows = [_start(watched, addresses)]
        chain = open_evm(Anvil(CHAIN, url), url)
        try:
            found = StoredAddressFilter(built.services, CHAIN, watched)
            rows.append(_reading(chain, found, addresses, ranges))
        finally:
            chain.close()
    return rows + [_requests(count) for count in open_intents]


@contextmanager
def _node() -> Iterator[str]:
    """The URL of a stand-in for a node that is a process of its own."""
    command = [sys.executable, "-m", "tests.chains.busy_node", str(_PER_BLOCK)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def _store(built: Service, count: int) -> None:
    """So many payments, all like one, at the addresses that the stand-in pays."""
    model = worlds.payment(built, worlds.caller(built))
    own = {
        "address": f"printf('0x%040x', {int(watched_address(0), 16)} + n)",
        "destination_address": "printf('0x%040x', n)",
        "intent_hash": "printf('0x%064x', n)",
        "nonce": "CAST(n AS TEXT)",
    }
    names = [column.name for column in intents.c if column.name != "id"]
    values = ", ".join(own.get(name, name) for name in names)
    with built.store.writer.begin() as db:
        db.execute(
            text(
                f"WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers "
                f"WHERE n < {count - 1}) INSERT INTO intents ({', '.join(names)}) "
                f"SELECT {values} FROM numbers, intents WHERE intents.id = {model.id}"
            )
        )


def _start(watched: WatchedAddresses, count: int) -> Row:
    gc.collect()
    before, began = _resident_bytes(), time.process_time()
    watched.refresh()
    seconds, after = time.process_time() - began, _resident_bytes()
    figure = f"{seconds:.1f} s, {(after - before) / 2**20:.0f} MB; "
    began = time.process_time()
    for _ in range(100):
        watched.refresh()
    figure += f"then {(time.process_time() - began) * 10_000:.0f} µs a pass"
    met = seconds <= 5e-6 * count + 1 and watched.count(CHAIN) == count + 1
    return f"addresses of {count:,} payments into memory", figure, "<= 5 s a million", met


def _resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE_BYTES


def _reading(chain: EvmChain, watch: AddressFilter, addresses: int, ranges: int) -> Row:
    context = chain.context
    context.native_token, context.max_scan_blocks = "", _BLOCKS
    height, found = chain.heads().height - (ranges + 1) * _BLOCKS, 0
    # The first range fills caches.
    at = chain.scan(Cursor(height, block_hash(height)), watch).cursor
    before, began = _served(chain), time.process_time()
    for _ in range(ranges):
        scan = chain.scan(at, watch)
        at, found = scan.cursor, found + len(scan.incoming)
    seconds = time.process_time() - began
    rate = (_served(chain) - before) / seconds
    twice = ranges * _BLOCKS * _PER_BLOCK / seconds
    figure = (
        f"{rate:,.0f}, {rate / _parse_whole(chain, watch):.1f} x a whole parse; with the second "
        f"reading of each block {twice:,.0f}; {found} deposits"
    )
    name = f"transfers a processor second among {addresses:,} addresses"
    return name, figure, f">= {GOAL_LOGS:,}", rate >= GOAL_LOGS and found > 0


def _served(chain: EvmChain) -> int:
    """How many transfers the stand-in has answered with."""
    (count,) = chain.context.pool.first(lambda session: session.call(RpcRequest("served")))
    return int(count, 16)


def _parse_whole(chain: EvmChain, watch: AddressFilter) -> float:
    """Transfers a processor second where every answer is parsed and then filtered."""
    query, count = LogQuery(1, _BLOCKS, None), 0
    request = transfers_request(chain.context.tokens, query)
    began = time.process_time()
    for _ in range(10):
        content = chain.context.pool.first(lambda session: session.fetch(request))
        logs = orjson.loads(content)["result"]
        watch.find_watched({log["topics"][2][26:].encode() for log in logs})
        count += len(logs)
    return count / (time.process_time() - began)


def _requests(count: int) -> Row:
    """Requests of a pass over one chain with so many open payments."""
    node = BusyNode(_PER_BLOCK, patterns=20)
    chain = open_evm(Anvil(CHAIN, node.url), node.url)
    watch = ExampleAddresses([watched_address(number) for number in range(count)])
    try:
        head = chain.heads()
        at, most = Cursor(head.height, head.block_hash), 0
        # What is read at the start alone is no part of a usual pass.
        at = chain.scan(at, watch).cursor
        requests, calls = node.requests, node.methods.total()
        for _ in range(_PASSES):
            node.height += 1
            before = node.requests
            # Which reads the head, too.
            at = chain.scan(at, watch).cursor
            most = max(most, node.requests - before)
    finally:
        chain.close()
        node.close()
    mean = (node.requests - requests) / _PASSES
    calls = (node.methods.total() - calls) / _PASSES
    figure = f"{mean:.1f} on average, {most} at most, with {calls:.1f} calls"
    name = f"requests a pass and node, {count:,} open payments"
    return name, figure, f"<= {GOAL_REQUESTS:g}", mean <= GOAL_REQUESTS
