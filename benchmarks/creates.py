"""Payment intents over HTTP: what one create costs the server, alone and in batches.

The server is the API process alone, without an engine, and its figures are processor time of that
process (user and system, of all its threads), because the machine is shared. The load comes from
another process over connections that are kept; every create has a key, a payer and a number of its
own. The slowest of a hundred includes the waits for the disk and for the load on the same
processors, so bare commits to the same disk stand beside it.

* Multi-source quotes are measured against `client-info`, the barest route behind a key, in turn
  with it: the ratio tells what quoting adds to a request.
"""

import asyncio
import json
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count
from pathlib import Path
from statistics import median, quantiles
from typing import Any
from urllib.parse import urlencode

from benchmarks.servers import API, Server, serving
from benchmarks.serving import ASKED, BARE
from benchmarks.worlds import DESTINATION
from crossway.catalogue import load_catalogue

CONNECTIONS, ROUNDS, ROUND_SECONDS = 32, 5, 3.0
BATCHES, BATCH_CONNECTIONS = 12, 2
QUOTES = 300
GOAL_CREATE_MS, GOAL_P99_MS, GOAL_BATCH_MS, GOAL_QUOTE_TIMES = 0.55, 60.0, 0.2, 3.0
_orders = count(1)
Row = tuple[str, str, str, bool]
Ask = Callable[[], bytes]


def run() -> list[Row]:
    """(name, figure, goal, met)."""
    with (
        tempfile.TemporaryDirectory(prefix="crossway-benchmark-") as place,
        serving(Path(place), API) as server,
    ):
        key = server.key()
        return [*_creates(server, key), _batches(server, key), _quotes(server, key)]


def _creates(server: Server, key: str) -> list[Row]:
    """The median of the rounds; each begins with bare commits, as the disk's speed varies."""
    work, waits, rates, commits = [], [], [], []
    asyncio.run(_load(server, lambda: _create(key), seconds=1.0))
    for _ in range(ROUNDS):
        commits.append(_bare_commit_ms(server.folder))
        worked, began = server.processor_seconds(), time.perf_counter()
        took = asyncio.run(_load(server, lambda: _create(key), seconds=ROUND_SECONDS))
        rates.append(len(took) / (time.perf_counter() - began))
        work.append((server.processor_seconds() - worked) / len(took) * 1000)
        waits.append(quantiles(took, n=100)[98] * 1000)
    least = f"least {min(work):.2f}"
    shown = f"{median(work):.2f} ms of a processor's work ({least}), {median(rates):.0f}/s"
    slowest = f"{median(waits):.0f} ms (of 100 bare commits {median(commits):.1f} ms)"
    return [
        (
            f"create with an Idempotency-Key, {CONNECTIONS} connections",
            shown,
            f"<= {GOAL_CREATE_MS:g} ms",
            median(work) <= GOAL_CREATE_MS,
        ),
        (
            "the slowest of 100 of them",
            slowest,
            f"<= {GOAL_P99_MS:g} ms on a quiet disk",
            median(waits) <= GOAL_P99_MS,
        ),
    ]


def _batches(server: Server, key: str) -> Row:
    """Batches of 500 with a key, after one that warms up."""
    size, work = 500, []
    for requests in (BATCH_CONNECTIONS, *[BATCHES // ROUNDS + 1] * ROUNDS):
        worked = server.processor_seconds()
        ask = lambda: _batch(key, size)  # noqa: E731
        asyncio.run(_load(server, ask, requests, connections=BATCH_CONNECTIONS))
        work.append((server.processor_seconds() - worked) / (requests * size) * 1000)
    each = median(work[1:])
    shown = f"{each:.3f} ms of a processor's work (least {min(work[1:]):.3f})"
    name = f"an intent of a batch of {size} with an Idempotency-Key"
    return name, shown, f"<= {GOAL_BATCH_MS:g} ms", each <= GOAL_BATCH_MS


def _quotes(server: Server, key: str) -> Row:
    usdc = load_catalogue().tokens[DESTINATION, "USDC"].address
    amounts = count(2_550)

    def quote() -> bytes:
        asked = {"destinationChain": DESTINATION, "amount": f"{next(amounts) / 100}"}
        return _get(f"/api/v1/quotes/multi-source?{urlencode(asked | {'tokenOut': usdc})}", key)

    asks: dict[str, Ask] = {"bare": lambda: _get(BARE, key), "quote": quote}
    work: dict[str, list[float]] = {name: [] for name in asks}
    for _ in range(ROUNDS + 1):
        for name, ask in asks.items():
            worked = server.processor_seconds()
            asyncio.run(_load(server, ask, QUOTES))
            work[name].append((server.processor_seconds() - worked) / QUOTES * 1000)
    # The first round fills caches.
    bare, quoted = (median(each[1:]) for each in work.values())
    shown = f"{quoted / bare:.1f} times ({quoted:.2f} ms to {bare:.2f} ms of a processor's work)"
    name = "multi-source quote over HTTP against client-info"
    return name, shown, f"<= {GOAL_QUOTE_TIMES:g} times", quoted / bare <= GOAL_QUOTE_TIMES


async def _load(
    server: Server,
    ask: Ask,
    requests: int = 10**9,
    seconds: float = 3600.0,
    connections: int = CONNECTIONS,
) -> list[float]:
    """Send so many requests, or for so long, over all connections; how long each took."""
    end, left, took = time.perf_counter() + seconds, iter(range(requests)), list[float]()
    each = (_connection(server.port, ask, end, left, took) for _ in range(connections))
    await asyncio.gather(*each)
    return took


async def _connection(
    port: int, ask: Ask, end: float, left: Iterator[int], took: list[float]
) -> None:
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


def _intent() -> dict[str, Any]:
    """Of another payer each time: what is known of an address is kept."""
    order = next(_orders)
    return {**ASKED, "refund_address": f"0x{10**40 + order:040x}", "metadata": {"order": order}}


def _create(key: str) -> bytes:
    return _post("/api/v1/intents", key, _intent())


def _batch(key: str, size: int) -> bytes:
    intents = [_intent() for _ in range(size)]
    return _post("/api/v1/intents/batch", key, {"mode": "each", "intents": intents})


def _get(path: str, key: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\n{_headers(key)}\r\n".encode()


def _post(path: str, key: str, content: dict[str, Any]) -> bytes:
    body = json.dumps(content).encode()
    head = (
        f"POST {path} HTTP/1.1\r\n{_headers(key)}Idempotency-Key: order-{next(_orders)}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def _headers(key: str) -> str:
    return f"Host: 127.0.0.1\r\nAuthorization: Bearer {key}\r\n"


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


if __name__ == "__main__":
    for name, figure, goal, met in run():
        print(f"{name}: {figure} (goal {goal}) {'met' if met else 'MISSED'}")
