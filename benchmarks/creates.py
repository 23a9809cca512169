"""Payment intents over HTTP: what one create costs the server, alone and in batches.

The server is the API process alone, without an engine, and its figures are processor time of that
process (user and system, of all its threads), because the machine is shared. The load comes from
another process over connections that are kept; every create has a key and a body of its own. The
slowest of a hundred includes the waits for the disk and for the load on the same processors, so
bare commits to the same disk stand beside it.
"""

import asyncio
import json
import sqlite3
import tempfile
import time
from contextlib import closing
from itertools import count
from pathlib import Path
from statistics import median, quantiles
from urllib.parse import urlencode

from benchmarks.servers import API, Server, serving
from benchmarks.serving import ASKED, BARE
from benchmarks.worlds import DESTINATION
from crossway.catalogue import load_catalogue

CONNECTIONS, ROUNDS, ROUND_SECONDS = 32, 5, 3.0
GOAL_CREATE_MS, GOAL_P99_MS, GOAL_QUOTE_TIMES = 0.55, 60.0, 3.0
_orders = count(1)
Row = tuple[str, str, str, bool]


def run() -> list[Row]:
    """(name, figure, goal, met)."""
    with tempfile.TemporaryDirectory(prefix="crossway-benchmark-") as place:
        with serving(Path(place), API) as server:
            key = server.key()
            return [*_creates(server, key), _quotes(server, key)]


def _creates(server: Server, key: str) -> list[Row]:
    """The median of the rounds; each begins with bare commits, as the disk's speed varies."""
    work, waits, rates, commits = [], [], [], []
    asyncio.run(_load(server, lambda: _create(key), 1.0))
    for _ in range(ROUNDS):
        commits.append(_bare_commit_ms(server.folder))
        worked, began = server.processor_seconds(), time.perf_counter()
        took = asyncio.run(_load(server, lambda: _create(key), ROUND_SECONDS))
        rates.append(len(took) / (time.perf_counter() - began))
        work.append((server.processor_seconds() - worked) / len(took) * 1000)
        waits.append(quantiles(took, n=100)[98] * 1000)
    name = f"create with an Idempotency-Key, {CONNECTIONS} connections"
    shown = f"{median(work):.2f} ms of a processor's work, {median(rates):.0f}/s"
    slowest = f"{median(waits):.0f} ms (p99 of a bare commit {median(commits):.1f} ms)"
    return [
        (name, shown, f"<= {GOAL_CREATE_MS:g} ms", median(work) <= GOAL_CREATE_MS),
        (
            "the slowest of 100 of them",
            slowest,
            f"<= {GOAL_P99_MS:g} ms on a quiet disk",
            median(waits) <= GOAL_P99_MS,
        ),
    ]


def _quotes(server: Server, key: str) -> Row:
    """Multi-source quotes against the barest route behind a key, alternating."""
    usdc = load_catalogue().tokens[DESTINATION, "USDC"].address
    asked = {"destinationChain": DESTINATION, "amount": "25.5", "tokenOut": usdc}
    paths = {BARE: 600, f"/api/v1/quotes/multi-source?{urlencode(asked)}": 600}
    work: dict[str, list[float]] = {path: [] for path in paths}
    for _ in range(ROUNDS + 1):
        for path, requests in paths.items():
            worked = server.processor_seconds()
            asyncio.run(_load(server, lambda path=path: _get(path, key), requests=requests))
            work[path].append((server.processor_seconds() - worked) / requests * 1000)
    # The first round fills caches.
    bare, quote = (median(each[1:]) for each in work.values())
    shown = f"{quote / bare:.1f} times ({quote:.2f} ms to {bare:.2f} ms of a processor's work)"
    name = "multi-source quote over HTTP against client-info"
    return name, shown, f"<= {GOAL_QUOTE_TIMES:g} times", quote / bare <= GOAL_QUOTE_TIMES


async def _load(server, ask, seconds: float = 3600.0, requests: int = 10**9) -> list[float]:
    """Send requests over all connections for some time or so many; how long each took."""
    end, left, took = time.perf_counter() + seconds, iter(range(requests)), []
    each = (_connection(server.port, ask, end, left, took) for _ in range(CONNECTIONS))
    await asyncio.gather(*each)
    return took


async def _connection(port, ask, end, left, took) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while time.perf_counter() < end and next(left, None) is not None:
        began = time.perf_counter()
        writer.write(ask())
        head = await reader.readuntil(b"\r\n\r\n")
        length = head.lower().partition(b"content-length: ")[2].partition(b"\r")[0]
        body = await reader.readexactly(int(length))
        took.append(time.perf_counter() - began)
        if not head.startswith((b"HTTP/1.1 201", b"HTTP/1.1 200")):
            raise RuntimeError(body.decode())
    writer.close()


def _create(key: str) -> bytes:
    order = next(_orders)
    body = json.dumps(ASKED | {"metadata": {"order": order}}).encode()
    return _head("POST", "/api/v1/intents", key, f"Idempotency-Key: order-{order}", body)


def _get(path: str, key: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {key}\r\n\r\n".encode()


def _head(method: str, path: str, key: str, header: str, body: bytes) -> bytes:
    return (
        f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {key}\r\n{header}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode() + body


def _bare_commit_ms(folder: Path) -> float:
    """The slowest of a hundred commits of one row to the same disk, in milliseconds."""
    with closing(sqlite3.connect(folder / "bare.db", isolation_level=None)) as bare:
        bare.execute("PRAGMA journal_mode=WAL")
        bare.execute("PRAGMA synchronous=FULL")
        bare.execute("CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, body TEXT)")
        took = []
        for _ in range(200):
            began = time.perf_counter()
            bare.execute("INSERT INTO rows (body) VALUES (?)", ("x" * 100,))
            took.append(time.perf_counter() - began)
    return quantiles(took, n=100)[98] * 1000
