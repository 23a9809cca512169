"""A running Crossway and a headless Chromium in front of it."""

import io
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import zxingcpp
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.processes import free_port, new_installation, wait_until

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
WIDE, PHONE = (1440, 900), (390, 844)
# For whatever should happen, on a machine that does ten things at once. How soon it happens is
# for the benchmarks to say.
PATIENCE = 90_000
expect.set_options(timeout=PATIENCE)


@dataclass(frozen=True)
class Site:
    """Where it runs, and a test key for its API; the folder has its database."""

    url: str
    key: str
    folder: Path

    def read(self, path: str) -> Any:
        """What the API answers."""
        headers = {"Authorization": f"Bearer {self.key}"}
        answer = httpx.get(f"{self.url}/api/v1{path}", headers=headers, timeout=20)
        return answer.raise_for_status().json()


@contextmanager
def serving(folder: Path) -> Iterator[Site]:
    """`streamlit run app.py`, as `make run` starts it, on an empty folder."""
    port = free_port()
    with new_installation(f"sqlite:///{folder / 'crossway.db'}", folder) as installation:
        installation.start("site", "streamlit", "run", "app.py", "--server.port", str(port))
        url = f"http://127.0.0.1:{port}"
        wait_until("it answers", lambda: installation.answers("site", f"{url}/api/healthz"))
        keys = json.loads((folder / "first_keys.json").read_text())
        yield Site(url, keys["test"], folder)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The site that most tests of a browser share."""
    with serving(tmp_path_factory.mktemp("site")) as running:
        yield running


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
        yield browser
        browser.close()


def window(chromium: Browser, size: tuple[int, int] = WIDE, **facts: Any) -> BrowserContext:
    """A browser of one person: nothing is shared with another window."""
    width, height = size
    context = chromium.new_context(viewport={"width": width, "height": height}, **facts)
    context.set_default_timeout(PATIENCE)
    return context


def settled(page: Page) -> None:
    """Until the screen is drawn whole, as far as it can be told from outside."""
    app = page.locator("[data-testid=stApp]")
    expect(app).to_have_attribute("data-test-script-state", "notRunning")
    expect(page.locator("[data-testid=stSkeleton]")).to_have_count(0)
    page.wait_for_timeout(500)


def unfold(page: Page, name: str) -> None:
    """Open a fold. One that is opened while its screen is drawn may close again."""
    settled(page)
    fold = page.locator("[data-testid=stExpander]", has_text=name).first
    fold.locator("summary").click()
    expect(fold.locator("details")).to_have_attribute("open", "")


def codes_in(picture: bytes) -> list[str]:
    """What a phone's camera reads in a picture of a screen."""
    qr = zxingcpp.BarcodeFormat.QRCode
    return [code.text for code in zxingcpp.read_barcodes(Image.open(io.BytesIO(picture)), qr)]


@dataclass
class Seen:
    """What a browser asked for and what its console complained of."""

    requests: list[str]
    errors: list[str]


Opener = Callable[..., tuple[Page, Seen]]


@pytest.fixture
def opened(chromium: Browser, site: Site, request: pytest.FixtureRequest) -> Iterator[Opener]:
    """Opens a path of the dashboard in a window of its own, and waits until it is drawn."""
    contexts = []

    def opening(
        path: str = "", size: tuple[int, int] = WIDE, scheme: str = "light"
    ) -> tuple[Page, Seen]:
        context = window(chromium, size, color_scheme="dark" if scheme == "dark" else "light")
        contexts.append(context)
        page, seen = context.new_page(), Seen([], [])
        page.on("request", lambda asked: seen.requests.append(asked.url))
        page.on("pageerror", lambda error: seen.errors.append(str(error)))
        page.goto(f"{site.url}/{path}")
        page.locator("[data-testid=stMainBlockContainer] h1").first.wait_for()
        settled(page)
        return page, seen

    yield opening
    for context in contexts:
        context.close()
