"""Open browsers: server cost, effect on the API, and latency of changes.

A real server and browsers that speak its protocol, a third of them each on the overview, the list
of payments and one payment, while payments are made and paid over the API; one real Chromium is
open on the list as well. Processor time is the server's own; API times are of a small question
asked all the while over one connection. What is seen late may also be this machine, which runs all
browsers besides.
"""

import asyncio
import json
import shutil
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from itertools import count, cycle, islice
from math import inf
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page, async_playwright

from benchmarks.browsers import Tab
from benchmarks.servers import Server, serving
from benchmarks.serving import _ASKED, BARE

BROWSERS = (0, 10, 50)
SECONDS, SETTLE_SECONDS, EVERY_SECONDS, PATIENCE_MS = 20.0, 5.0, 2.0, 8_000
MOST_REST_SECONDS = 60.0
GOAL_SEEN_SECONDS, GOAL_CORES, GOAL_API_TIMES = 1.0, 1.0, 3.0
Row = tuple[str, str, str, bool]
# The dashboard numbers the payments of a new installation from 1; ids of the API tell nothing.
_NUMBERS = count(1)


@dataclass(frozen=True, slots=True)
class Phase:
    """Measurements with a number of browsers: seconds, and processors in use."""

    cores: float
    quiet_cores: float
    api_seconds: list[float]
    arrival_seconds: list[float]
    chromium_seconds: list[float]
    missed: int


def run() -> list[Row]:
    """(name, figure, goal, met)."""
    with (
        tempfile.TemporaryDirectory(prefix="crossway-benchmark-") as folder,
        serving(Path(folder)) as server,
    ):
        server.open_page()
        return asyncio.run(_all(server, server.key()))


async def _all(server: Server, key: str) -> list[Row]:
    phases: dict[int, Phase] = {}
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = await browser.new_page()
        next(_NUMBERS)
        await _pay(server, key)
        for number in BROWSERS:
            phases[number] = await _phase(server, key, number, page if number else None)
        await browser.close()
    return [row for number, phase in phases.items() for row in _rows(number, phase, phases[0])]


def _rows(number: int, phase: Phase, alone: Phase) -> list[Row]:
    with_ = f"{number} browsers"
    api_tail, base = _tail(phase.api_seconds), _tail(alone.api_seconds)
    rows = [
        (f"processor, {with_}, quiet / one payment every {EVERY_SECONDS:g} s",
         f"{phase.quiet_cores:.0%} / {phase.cores:.0%}", f"<= {GOAL_CORES:.0%}",
         phase.cores <= GOAL_CORES),
        (f"API, {with_}, p50 / p95", f"{api_tail[0] * 1000:.1f} / {api_tail[1] * 1000:.1f} ms",
         f"<= {GOAL_API_TIMES:g} times without browsers", api_tail[1] <= base[1] * GOAL_API_TIMES),
    ]  # fmt: skip
    for label, times in (
        ("change to arrival", phase.arrival_seconds),
        ("change to Chromium", phase.chromium_seconds),
    ):
        if times:
            middle, late = _tail(times)
            rows.append(
                (f"{label}, {with_}, p50 / p95 of {len(times)}, {phase.missed} not in time",
                 f"{middle:.2f} / {late:.2f} s", f"<= {GOAL_SEEN_SECONDS:g} s",
                 late <= GOAL_SEEN_SECONDS and not phase.missed)
            )  # fmt: skip
    return rows


def _tail(times: list[float]) -> tuple[float, float]:
    if not times:
        return inf, inf  # Nothing was answered at all.
    return median(times), quantiles(times, n=20)[18] if len(times) > 1 else times[0]


async def _phase(server: Server, key: str, number: int, page: Page | None) -> Phase:
    kinds = (("overview", ""), ("intents", ""), ("intent", "id=1"))
    tabs = [Tab(server.port, name, query) for name, query in islice(cycle(kinds), number)]
    if page is not None:
        await page.goto(f"http://127.0.0.1:{server.port}/intents")
        await page.get_by_role("heading", name="Payments").wait_for()
    staying = [asyncio.create_task(tab.stay()) for tab in tabs]
    for tab in tabs:
        await asyncio.wait_for(tab.drawn.wait(), 120)
    await _rest(tabs)
    quiet = await _worked(server, asyncio.sleep(SECONDS / 2))
    requests: list[float] = []
    asking = asyncio.create_task(_ask(server, key, requests))
    committed_at: dict[str, float] = {}
    chromium_seconds: list[float] = []
    busy = await _worked(server, _shop(server, key, tabs, page, committed_at, chromium_seconds))
    asking.cancel()
    await asyncio.sleep(1.5)
    lists = [tab for tab in tabs if tab.page == "intents"]
    observed = [
        tab.arrived_at[text] - at
        for tab in lists
        for text, at in committed_at.items()
        if text in tab.arrived_at
    ]
    for task in staying:
        task.cancel()
    await asyncio.gather(*staying, return_exceptions=True)
    return Phase(
        busy,
        quiet,
        requests,
        observed,
        chromium_seconds,
        len(committed_at) * len(lists) - len(observed),
    )


async def _rest(tabs: list[Tab]) -> None:
    """Wait until earlier payments are reimbursed and no screen is being drawn."""
    still, previous, end = 0.0, -1, time.perf_counter() + MOST_REST_SECONDS
    while still < SETTLE_SECONDS and time.perf_counter() < end:
        current = sum(tab.runs for tab in tabs)
        still, previous = (still + 1 if current == previous else 0.0), current
        await asyncio.sleep(1)


async def _worked(server: Server, meanwhile: Any) -> float:
    """Processors in use while a task runs."""
    began, work = time.perf_counter(), server.processor_seconds()
    await meanwhile
    return (server.processor_seconds() - work) / (time.perf_counter() - began)


async def _shop(
    server: Server,
    key: str,
    tabs: list[Tab],
    page: Page | None,
    committed_at: dict[str, float],
    chromium_seconds: list[float],
) -> None:
    """Create and pay payments, and record when each change was committed."""
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        began = time.perf_counter()
        text = f"intent?id={next(_NUMBERS)}"
        for tab in tabs:
            tab.expected_texts.add(text)
        await _pay(server, key)
        committed_at[text] = time.perf_counter()
        if page is not None:
            with suppress(PlaywrightError):  # What never shows took at least so long.
                await page.locator(f'a[href="{text}"]').first.wait_for(timeout=PATIENCE_MS)
            chromium_seconds.append(time.perf_counter() - committed_at[text])
        await asyncio.sleep(max(0.0, EVERY_SECONDS - (time.perf_counter() - began)))


async def _pay(server: Server, key: str) -> None:
    """Create a payment that is paid soon after."""
    created = await _call(server, key, "POST", "/api/v1/intents", _ASKED)
    address = created["intent_address"]
    deposit = {"address": address, "amount": "exact"}
    asyncio.get_running_loop().call_later(
        0.3, lambda: _KEEP.add(asyncio.create_task(
            _call(server, key, "POST", "/api/v1/sandbox/deposits", deposit)))
    )  # fmt: skip


_KEEP: set[asyncio.Task[Any]] = set()


async def _ask(server: Server, key: str, durations: list[float]) -> None:
    """One small request after the other, twenty a second."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    request = f"GET {BARE} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {key}\r\n\r\n"
    while True:
        began = time.perf_counter()
        try:
            writer.write(request.encode())
            head = await reader.readuntil(b"\r\n\r\n")
            length = head.lower().partition(b"content-length: ")[2].partition(b"\r")[0]
            await reader.readexactly(int(length))
        finally:
            durations.append(time.perf_counter() - began)
        await asyncio.sleep(0.05)


async def _call(server: Server, key: str, method: str, path: str, body: Any = None) -> Any:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    payload = json.dumps(body).encode() if body is not None else b""
    writer.write(
        f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {key}\r\n"
        f"Connection: close\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(payload)}\r\n\r\n".encode()
        + payload
    )
    answer = await reader.read()
    writer.close()
    head, _, text = answer.partition(b"\r\n\r\n")
    if not head.split()[1].startswith(b"20"):
        raise RuntimeError(answer.decode())
    return json.loads(text)


if __name__ == "__main__":
    for name, figure, goal, met in run():
        print(f"{name}: {figure} (goal {goal}) {'met' if met else 'MISSED'}")
