"""Time to first paint of screens, against an empty Streamlit page in the same run."""

import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, sync_playwright

from benchmarks.servers import WAIT_SECONDS, serving

ROUNDS = 7
GOAL = 1.3
SCREENS = ("", "intents", "simulator")


def run(rounds: int = ROUNDS) -> list[tuple[str, str, str, bool]]:
    """(name, figure, goal, met); the pages alternate, each in a new window without a cache."""
    with (
        tempfile.TemporaryDirectory(prefix="crossway-benchmark-") as folder,
        serving(Path(folder)) as ours,
        _empty() as port,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        urls = {name or "overview": f"http://127.0.0.1:{ours.port}/{name}" for name in SCREENS}
        urls["empty"] = f"http://127.0.0.1:{port}/"
        taken: dict[str, list[float]] = {name: [] for name in urls}
        for url in urls.values():
            _paint(browser, url)  # the first one of all is of a cold server
        for _ in range(rounds):
            for name, url in urls.items():
                taken[name].append(_paint(browser, url))
        browser.close()
    empty = median(taken.pop("empty"))
    return [_row(name, median(seconds), empty) for name, seconds in taken.items()]


def _row(name: str, seconds: float, empty: float) -> tuple[str, str, str, bool]:
    ratio = seconds / empty
    figure = f"{seconds:.2f} s (x {ratio:.2f} of an empty page's {empty:.2f} s)"
    return f"first paint of {name}", figure, f"<= x {GOAL}", ratio <= GOAL


def _paint(browser: Browser, url: str) -> float:
    """Seconds until a title is shown."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    began = time.perf_counter()
    page.goto(url, wait_until="commit")
    page.locator("[data-testid=stMainBlockContainer] h1").first.wait_for(timeout=60_000)
    seconds = time.perf_counter() - began
    context.close()
    return seconds


@contextmanager
def _empty() -> Iterator[int]:
    """A Streamlit page with only a title."""
    with tempfile.TemporaryDirectory(prefix="crossway-benchmark-") as folder:
        script = Path(folder) / "empty.py"
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port: int = probe.getsockname()[1]
        script.write_text('import streamlit as st\n\nst.title("Empty")\n')
        process = subprocess.Popen(
            [sys.executable, "-m", "streamlit", "run", str(script), "--server.port", str(port),
             "--server.headless", "true", "--browser.gatherUsageStats", "false",
             "--server.fileWatcherType", "none"],
            cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            _answers(port)
            yield port
        finally:
            process.terminate()
            process.wait(10)


def _answers(port: int) -> None:
    end = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < end:
        with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/"):
            return
        time.sleep(0.1)
    raise TimeoutError("the empty page does not respond")
