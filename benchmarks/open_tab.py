"""A tab that stays open: for eight hours of changes, and over restarts of the service.

Payments are made as fast as the service goes, and what the tab grows by is reckoned up to eight
hours at a payment every ten seconds, by the messages that such a payment causes. What the service
holds for the tab is seen while all its parts are drawn again and again though nothing changes:
payments take memory, too.
"""

import json
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import linear_regression, median
from typing import Any

import httpx
from playwright.sync_api import Browser, Page, WebSocket, sync_playwright

from benchmarks.servers import Server, free_port, serving

Row = tuple[str, str, str, bool]
SECONDS_PER_PAYMENT, PAYMENTS = 10.0, 2_880
SLOW_PAYMENTS, WARM_UP_PAYMENTS, SAMPLES = 4, 60, 12
PLAYED_SECONDS, REDRAWS, RESTARTS, RESTART_SECONDS = 240.0, 2_000, 5, 5.0
PAGES = ("", "intents")
# What may be added in eight hours and still be called flat.
HEAP_MB, NODES, SERVER_MB = 5.0, 500.0, 20.0
WALLET = "0x52908400098527886E0F7030069857D2E4169EE7"
BASE_USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
_COLLECT_PARTS = """
let made
window.parts = new Map()
window.drawnParts = 0
Object.defineProperty(window, 'crosswayStream', {
  get: () => made,
  set: (stream) => {
    const join = stream.join
    stream.join = (key, part) => {
      if (part.requestRerun) { window.parts.set(key, part.requestRerun); window.drawnParts += 1 }
      return join(key, part)
    }
    made = stream
  }})
"""
_IS_WELL = """() => !document.documentElement.classList.contains('crossway-lost') &&
  document.querySelector('[data-testid=stApp]').dataset.testScriptState === 'notRunning'"""
_IS_LOST = "() => document.documentElement.classList.contains('crossway-lost')"


@dataclass
class _Tab:
    """An open page, and how many messages about changes it has received."""

    page: Page
    messages: int = 0
    heard: list[int] = field(default_factory=list)
    heap_mb: list[float] = field(default_factory=list)
    nodes: list[float] = field(default_factory=list)

    def follow(self, opened: WebSocket) -> None:
        if opened.url.endswith("/live"):
            opened.on("framereceived", self._count)

    def _count(self, frame: str | bytes) -> None:
        self.messages += "kept" not in json.loads(frame)

    def sample(self) -> None:
        """Measure what the page holds, without garbage."""
        session = self.page.context.new_cdp_session(self.page)
        session.send("HeapProfiler.collectGarbage")
        self.heap_mb.append(session.send("Runtime.getHeapUsage")["usedSize"] / 1e6)
        self.nodes.append(float(session.send("Memory.getDOMCounters")["nodes"]))
        self.heard.append(self.messages)
        session.detach()

    def growth(self, of: list[float], per_payment: float) -> float:
        """What is added in eight hours, by the slope over the messages received."""
        return linear_regression(self.heard, of).slope * per_payment * PAYMENTS


def run() -> Iterator[Row]:
    """(name, figure, goal, met), each as soon as it is measured."""
    with (
        tempfile.TemporaryDirectory(prefix="crossway-benchmark-") as name,
        sync_playwright() as playwright,
    ):
        folder = Path(name)
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        port = free_port()
        with serving(folder, port=port) as server:
            for path in PAGES:
                yield from _stay_open(browser, server, path)
            yield _drawn_again(browser, server)
        yield _restarts(browser, folder, port)


def _open(browser: Browser, port: int, path: str) -> _Tab:
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    page.add_init_script(_COLLECT_PARTS)
    tab = _Tab(page)
    page.on("websocket", tab.follow)
    page.goto(f"http://127.0.0.1:{port}/{path}")
    page.wait_for_function("() => window.parts?.size > 0", timeout=60_000)
    return tab


def _payer(server: Server) -> Callable[[], None]:
    """Makes a payment and deposits at its address."""
    api = httpx.Client(
        base_url=f"http://127.0.0.1:{server.port}/api/v1",
        headers={"Authorization": f"Bearer {server.key()}"},
        timeout=60,
    )
    body = {"amount": "25000000", "tokenIn": BASE_USDC, "source_chain": "BASE_MAINNET",
            "destination_chain": "ARBITRUM_MAINNET", "recipient": WALLET,
            "refund_address": WALLET}  # fmt: skip

    def pay() -> None:
        made: Any = api.post("/intents", json=body).raise_for_status().json()
        deposit = {"address": made["intent_address"], "amount": "exact"}
        api.post("/sandbox/deposits", json=deposit).raise_for_status()

    return pay


def _stay_open(browser: Browser, server: Server, path: str) -> list[Row]:
    tab, pay = _open(browser, server.port, path), _payer(server)
    for _ in range(SLOW_PAYMENTS):
        pay()
        tab.page.wait_for_timeout(SECONDS_PER_PAYMENT * 1000)
    per_payment = tab.messages / SLOW_PAYMENTS
    for _ in range(WARM_UP_PAYMENTS):
        pay()
    for _ in range(SAMPLES):
        end = time.monotonic() + PLAYED_SECONDS / SAMPLES
        while time.monotonic() < end:
            pay()
            tab.page.wait_for_timeout(20)
        tab.sample()
    heap, nodes = (tab.growth(of, per_payment) for of in (tab.heap_mb, tab.nodes))
    hours = (tab.heard[-1] - tab.heard[0]) / per_payment * SECONDS_PER_PAYMENT / 3600
    played = f"of {tab.heap_mb[-1]:.1f}; {hours:.1f} h played, {per_payment:.0f} messages a payment"
    name = path or "overview"
    tab.page.context.close()
    return [
        (f"MB that {name} adds in 8 h", f"{heap:+.1f} {played}", f"<= {HEAP_MB:g}",
         heap <= HEAP_MB),
        (f"DOM nodes that {name} adds in 8 h", f"{nodes:+.0f} of {tab.nodes[-1]:.0f}",
         f"<= {NODES:g}", nodes <= NODES),
    ]  # fmt: skip


def _drawn_again(browser: Browser, server: Server) -> Row:
    """What the service adds for a tab whose parts are drawn again."""
    tab = _open(browser, server.port, "")
    drawn: list[int] = []
    memory: list[float] = []
    while not drawn or drawn[-1] < REDRAWS:
        drawn.append(int(tab.page.evaluate("() => window.drawnParts")))
        memory.append(server.memory_mb())
        for _ in range(10):
            tab.page.evaluate("() => { for (const ask of window.parts.values()) ask() }")
            tab.page.wait_for_timeout(300)
    half = len(drawn) // 2  # what is added at first is kept for all sessions
    added = linear_regression(drawn[half:], memory[half:]).slope * PAYMENTS
    tab.page.context.close()
    figure = f"{added:+.1f} of {memory[-1]:.0f}, by {drawn[-1] - drawn[half]} redraws"
    return ("MB that the service adds for a tab in 8 h", figure, f"<= {SERVER_MB:g}",
            added <= SERVER_MB)  # fmt: skip


def _restarts(browser: Browser, folder: Path, port: int) -> Row:
    taken: list[float] = []
    with serving(folder, killed=True, port=port):
        tab = _open(browser, port, "intents")
        tab.page.wait_for_timeout(3_000)
    for _ in range(RESTARTS):
        tab.page.wait_for_function(_IS_LOST, timeout=60_000)
        with serving(folder, killed=True, port=port):
            began = time.monotonic()
            tab.page.wait_for_function(_IS_WELL, timeout=60_000)
            taken.append(time.monotonic() - began)
            tab.page.wait_for_timeout(3_000)
    figure = f"{median(taken):.1f} ({', '.join(f'{seconds:.1f}' for seconds in sorted(taken))})"
    return ("seconds from the service's answer to the page up to date, median (all)", figure,
            f"<= {RESTART_SECONDS:g}", max(taken) <= RESTART_SECONDS)  # fmt: skip
