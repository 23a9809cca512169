"""What strangers cost who try to stall the service, all at once: /healthz and memory meanwhile."""

import asyncio
import os
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from benchmarks.servers import Server, serving
from crossway.server.run import raise_file_limit

SECONDS: Final = 20.0
GOAL_MS, GOAL_MB = 200, 100
HALF_OPEN: Final = 1_100
_HOST: Final = "Host: localhost\r\n"
_UPGRADE: Final = (
    f"{_HOST}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
)


def run() -> Iterator[tuple[str, str, str, bool]]:
    """Measure before and during the attacks, in one run."""
    password = secrets.token_hex(8)
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder), DASHBOARD_PASSWORD=password) as server,
    ):
        quiet, before = asyncio.run(_probe(server.port)), server.memory_mb()
        with _attacked(server):
            during, memory = asyncio.run(_probe(server.port)), server.memory_mb()
        grown = memory - before
    yield (
        f"/healthz with {len(ATTACKS)} stalls at once, p99 (quiet {_p99(quiet):.0f} ms)",
        f"{_p99(during):.0f} ms",
        f"{GOAL_MS} ms",
        _p99(during) <= GOAL_MS,
    )
    yield "memory that they take", f"{grown:.0f} MB", f"{GOAL_MB} MB", grown <= GOAL_MB


def _p99(values: list[float]) -> float:
    return statistics.quantiles(values, n=100)[98]


async def _probe(port: int) -> list[float]:
    """Milliseconds of /healthz, each on a connection of its own, for `SECONDS`."""
    taken, end = [], time.monotonic() + SECONDS
    while time.monotonic() < end:
        began = time.perf_counter()
        answer = await _ask(port, f"GET /healthz HTTP/1.1\r\n{_HOST}\r\n")
        assert answer.startswith(b"HTTP/1.1 200"), answer
        taken.append((time.perf_counter() - began) * 1000)
        await asyncio.sleep(0.02)
    return taken


async def _ask(port: int, request: str, body: bytes = b"") -> bytes:
    """The beginning of the response to a request."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(request.encode() + body)
        return await reader.read(4096)
    finally:
        writer.close()


@contextmanager
def _attacked(server: Server) -> Iterator[None]:
    """Strangers in a process of their own, until the block ends."""
    command = [sys.executable, "-m", "benchmarks.stalls", str(server.port)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        process.stdout.readline()
        yield
    finally:
        process.kill()
        process.wait()


async def _hold(port: int, request: str, count: int) -> None:
    """Keep this many connections open that have sent this, and nothing else."""

    async def one() -> None:
        while True:
            with suppress(OSError):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(request.encode())
                while await reader.read(4096):
                    pass
                writer.close()
            await asyncio.sleep(0.1)

    await asyncio.gather(*(one() for _ in range(count)))


async def _repeat(port: int, request: Callable[[], tuple[str, bytes]], count: int) -> None:
    """Send requests without a pause, so many at a time."""

    async def one() -> None:
        while True:
            with suppress(OSError):
                await _ask(port, *request())
            await asyncio.sleep(0.01)

    await asyncio.gather(*(one() for _ in range(count)))


async def _do_not_read(port: int, path: str, count: int) -> None:
    """Ask for a file again and again without reading it."""
    request = f"GET {path} HTTP/1.1\r\n{_HOST}\r\n".encode() * 8

    async def one() -> None:
        while True:
            with suppress(OSError):
                _, writer = await asyncio.open_connection("127.0.0.1", port, limit=1)
                writer.write(request)
                await asyncio.sleep(5)
                writer.close()

    await asyncio.gather(*(one() for _ in range(count)))


def _upload() -> tuple[str, bytes]:
    head = f"PUT /_stcore/upload_file/{secrets.token_hex(8)}/x HTTP/1.1\r\n{_HOST}"
    return f"{head}Content-Length: 1000000\r\n\r\n", b"x" * 1_000_000


def _wrong_key() -> tuple[str, bytes]:
    key = f"Authorization: Bearer cr_test_{secrets.token_hex(16)}\r\n"
    return f"GET /api/v1/chains HTTP/1.1\r\n{_HOST}{key}\r\n", b""


def _socket(path: str, origin: str) -> Callable[[], tuple[str, bytes]]:
    return lambda: (f"GET {path} HTTP/1.1\r\n{_UPGRADE}{origin}\r\n", b"")


ATTACKS: Final[dict[str, Callable[[int], Awaitable[None]]]] = {
    "half-open": lambda p: _hold(p, f"GET / HTTP/1.1\r\n{_HOST}", HALF_OPEN),
    "silent bodies": lambda p: _hold(
        p, f"POST /api/v1/intents HTTP/1.1\r\n{_HOST}Content-Length: 60000\r\n\r\n{{", 200
    ),
    "sockets of other sites": lambda p: _repeat(
        p, _socket("/_stcore/stream", "Origin: https://attacker.example\r\n"), 20
    ),
    "sockets without a cookie": lambda p: _repeat(p, _socket("/_stcore/stream", ""), 20),
    "live sockets": lambda p: _repeat(p, _socket("/live", ""), 10),
    "uploads": lambda p: _repeat(p, _upload, 8),
    "wrong keys": lambda p: _repeat(p, _wrong_key, 10),
    "payers' pages": lambda p: _repeat(
        p, lambda: (f"GET /pay/l/{secrets.token_hex(8)} HTTP/1.1\r\n{_HOST}\r\n", b""), 10
    ),
    "nothing is read": lambda p: _do_not_read(p, "/api/docs/swagger-ui-bundle.js", 50),
}


async def _attack(port: int) -> None:
    tasks = [asyncio.ensure_future(attack(port)) for attack in ATTACKS.values()]
    await asyncio.sleep(3)
    print("attacking", flush=True)
    await asyncio.gather(*tasks)


if __name__ == "__main__":
    raise_file_limit()
    # Strangers have machines of their own; here they must not take the service's processor.
    os.nice(10)
    asyncio.run(_attack(int(sys.argv[1])))
