"""The real server over HTTP: start, memory, and the cost of quotes and new intents.

Times on a shared machine say little, so two figures are ratios to something bare, measured in turn
with it in the same run:

* The multi-source quote against `client-info`, the barest route there is behind a key: it goes
  through the same server, gate, rate limit, log line, dependencies and thread pool, and answers a
  small object from memory. It is not an empty handler: the ratio tells what quoting adds to a
  request, and the milliseconds of both are shown.
* New intents a second, each a request of its own over 16 connections that are kept, against rows a
  second that one connection commits to a file on the same disk, one commit each, synchronous=FULL,
  before and after. The load comes from one process on the same processors; the engine runs as in
  production. Where a commit waits for a disk, this shows that commits are shared; where it does not
  (a disk that writes thousands of times a second), the processor is the limit, so its share is
  shown as well.
"""

import asyncio
import http.client
import json
import sqlite3
import tempfile
import time
from contextlib import closing
from itertools import count
from pathlib import Path
from statistics import median
from urllib.parse import urlencode

from benchmarks.servers import Server, serving
from benchmarks.worlds import DESTINATION, SOURCE
from crossway.catalogue import load_catalogue

STARTS = 3
GOAL_START_SECONDS = 4.0
GOAL_MEMORY_MB = 300.0
WARM_UP, REQUESTS = 100, 400
GOAL_QUOTE_TIMES = 8.0
CONNECTIONS, ROUNDS, ROUND_SECONDS, COMMIT_SECONDS = 16, 5, 4.0, 1.0
GOAL_INTENT_TIMES = 0.5
WALLET = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
BARE = "/api/v1/client/auth/client-info"
_orders = count(1)
Row = tuple[str, str, str, bool]


def run() -> list[Row]:
    """(name, figure, goal, met)."""
    with tempfile.TemporaryDirectory(prefix="crossway-benchmark-") as place:
        folders = [Path(place) / str(number) for number in range(STARTS)]
        for folder in folders:
            folder.mkdir()
        starts, work = [], []
        for folder in folders[1:]:
            with serving(folder) as server:
                starts.append(server.started_in)
                work.append(server.processor_seconds())
        with serving(folders[0]) as server:
            starts.append(server.started_in)
            work.append(server.processor_seconds())
            server.open_page()
            memory, key = server.memory_mb(), server.key()
            at_rest = _at_rest(starts, work, memory)
            return [*at_rest, _quotes(server, key), _intents(server, key)]


def _at_rest(starts: list[float], work: list[float], memory: float) -> list[Row]:
    began = median(starts)
    return [
        (
            "start on an empty folder to the first 200, median",
            f"{began:.1f} s ({median(work):.1f} s of a processor's work)",
            f"<= {GOAL_START_SECONDS:g} s",
            began <= GOAL_START_SECONDS,
        ),
        (
            "memory at rest after one page, RSS",
            f"{memory:.0f} MB",
            f"<= {GOAL_MEMORY_MB:g} MB",
            memory <= GOAL_MEMORY_MB,
        ),
    ]


def _quotes(server: Server, key: str) -> Row:
    """One connection, one request after the other, the two kinds alternating."""
    usdc = load_catalogue().tokens[DESTINATION, "USDC"].address
    params = {"destinationChain": DESTINATION, "amount": "25.5", "tokenOut": usdc}
    quote = f"/api/v1/quotes/multi-source?{urlencode(params)}"
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    took: dict[str, list[float]] = {BARE: [], quote: []}
    for number in range(WARM_UP + REQUESTS):
        for path, times in took.items():
            began = time.perf_counter()
            connection.request("GET", path, headers={"Authorization": f"Bearer {key}"})
            response = connection.getresponse()
            body = response.read()
            if number >= WARM_UP:
                times.append(time.perf_counter() - began)
            if response.status != 200:
                raise RuntimeError(body.decode())
    connection.close()
    bare_ms, quote_ms = (median(times) * 1000 for times in took.values())
    times = quote_ms / bare_ms
    shown = f"{times:.1f} times ({quote_ms:.2f} ms to {bare_ms:.2f} ms)"
    name = "multi-source quote over HTTP against client-info"
    return name, shown, f"<= {GOAL_QUOTE_TIMES:g} times", times <= GOAL_QUOTE_TIMES


def _intents(server: Server, key: str) -> Row:
    """Alternating, because the disk's speed varies; the median of each rate and of the ratio."""
    created, committed, work = [], [], []
    with closing(sqlite3.connect(server.folder / "bare.db", isolation_level=None)) as bare:
        bare.execute("PRAGMA journal_mode=WAL")
        bare.execute("PRAGMA synchronous=FULL")
        bare.execute("CREATE TABLE rows (id INTEGER PRIMARY KEY, at REAL, body TEXT)")
        asyncio.run(create_intents(server, key, 1.0))
        for _ in range(ROUNDS):
            before, worked = _commits(bare), server.processor_seconds()
            rate = asyncio.run(create_intents(server, key, ROUND_SECONDS))
            work.append((server.processor_seconds() - worked) / (rate * ROUND_SECONDS) * 1000)
            created.append(rate)
            committed.append((before + _commits(bare)) / 2)
    times = median(made / rows for made, rows in zip(created, committed, strict=True))
    shown = (
        f"{times:.2f} ({median(created):.0f}/s to {median(committed):.0f}/s; "
        f"{median(work):.1f} ms of a processor's work each)"
    )
    name = f"intents created over {CONNECTIONS} connections against bare commits"
    return name, shown, f">= {GOAL_INTENT_TIMES:g}", times >= GOAL_INTENT_TIMES


def _commits(bare: sqlite3.Connection) -> float:
    """Rows per second, each in its own commit."""
    made, began = 0, time.perf_counter()
    while (took := time.perf_counter() - began) < COMMIT_SECONDS:
        bare.execute("INSERT INTO rows (at, body) VALUES (?, ?)", (took, "x" * 100))
        made += 1
    return made / took


async def create_intents(server: Server, key: str, seconds: float) -> float:
    """Intents per second, each with a different body."""
    began = time.perf_counter()
    each = (_client(server, key, began + seconds) for _ in range(CONNECTIONS))
    created = sum(await asyncio.gather(*each))
    return created / (time.perf_counter() - began)


async def _client(server: Server, key: str, end: float) -> int:
    """The number of intents that one connection created."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    made = 0
    while time.perf_counter() < end:
        writer.write(_request(key))
        head = await reader.readuntil(b"\r\n\r\n")
        length = head.lower().partition(b"content-length: ")[2].partition(b"\r")[0]
        body = await reader.readexactly(int(length))
        if not head.startswith(b"HTTP/1.1 201"):
            raise RuntimeError(body.decode())
        made += 1
    writer.close()
    return made


def _request(key: str) -> bytes:
    body = json.dumps(ASKED | {"metadata": {"order": next(_orders)}}).encode()
    return (
        f"POST /api/v1/intents HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode() + body


ASKED = {
    "amount": "25000000",
    "tokenIn": load_catalogue().tokens[SOURCE, "USDC"].address,
    "source_chain": SOURCE,
    "destination_chain": DESTINATION,
    "recipient": WALLET,
    "refund_address": WALLET,
}


if __name__ == "__main__":
    for name, figure, goal, met in run():
        print(f"{name}: {figure} (goal {goal}) {'met' if met else 'MISSED'}")
