"""A running Crossway and a headless Chromium in front of it."""

import io
import json
import shutil
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import httpx
import pytest
import uvicorn
import zxingcpp
from PIL import Image
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Error,
    Locator,
    Page,
    TimeoutError,
    expect,
    sync_playwright,
)
from starlette.applications import Starlette

from crossway.dashboard.page_registry import PAGES
from tests.ports import free_port
from tests.processes import new_installation, wait_until

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # A container often has 64 MB of shared memory, too little for Chromium.
    "--disable-dev-shm-usage",
    # No page lives long enough to regain the processor time that these compilers take, an eighth.
    "--js-flags=--no-maglev --no-turbofan",
)
WIDE, PHONE = (1440, 900), (390, 844)
# Generous, for busy machines; benchmarks measure how fast things are.
TIMEOUT_MS = 90_000
expect.set_options(timeout=TIMEOUT_MS)


@dataclass(frozen=True)
class Site:
    """A running site: its URL, a test API key, and the folder with its database."""

    url: str
    key: str
    folder: Path

    def read(self, path: str) -> Any:
        """The response body of the API to a GET."""
        headers = {"Authorization": f"Bearer {self.key}"}
        answer = httpx.get(f"{self.url}/api/v1{path}", headers=headers, timeout=20)
        return answer.raise_for_status().json()


@contextmanager
def running_site(folder: Path) -> Iterator[Site]:
    """`crossway serve`, as `make run` starts it, on an empty folder, with payments out of
    inventory, of which alone an operator can be short."""
    port = free_port()
    with new_installation(f"sqlite:///{folder / 'crossway.db'}", folder) as installation:
        installation.start("site", "crossway", "serve", "--port", str(port), INVENTORY="true")
        url = f"http://127.0.0.1:{port}"
        wait_until("it answers", lambda: installation.responds("site", f"{url}/api/healthz"))
        keys = json.loads((folder / "first_keys.json").read_text())
        yield Site(url, keys["test"], folder)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The site that most browser tests share."""
    with running_site(tmp_path_factory.mktemp("site")) as running:
        yield running


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(CHROMIUM_FLAGS))
        yield browser
        browser.close()


def new_browser_context(
    chromium: Browser, size: tuple[int, int] = WIDE, **facts: Any
) -> BrowserContext:
    """A browser context of its own: nothing is shared with another."""
    width, height = size
    context = chromium.new_context(viewport={"width": width, "height": height}, **facts)
    context.set_default_timeout(TIMEOUT_MS)
    return context


# Called once a frame. Frames come late on a busy machine, so this waits longer there.
_STAYS_DRAWN = """() => {
  if (!window.drawn) {
    window.drawn = {frames: 0}
    new MutationObserver(() => { window.drawn.frames = 0 })
      .observe(document.body, {childList: true, subtree: true, characterData: true})
  }
  const app = document.querySelector('[data-testid=stApp]')
  const drawing = app?.dataset.testScriptState !== 'notRunning'
    || document.querySelector('[data-testid=stSkeleton]')
  window.drawn.frames = drawing ? 0 : window.drawn.frames + 1
  if (window.drawn.frames < 15) return false
  window.drawn.frames = 0
  return true
}"""


_MOTION_ENDS = "node => Promise.allSettled(node.getAnimations().map(one => one.finished))"


def wait_until_drawn(page: Page) -> None:
    """Wait until the page is drawn completely, as far as that is visible from outside: no script
    runs, nothing is missing, and nothing changes for 15 frames."""
    page.wait_for_function(_STAYS_DRAWN)


def navigate(page: Page, name: str) -> None:
    """Open another page by the navigation, without reloading; its section may be folded."""
    navigation = page.locator("[data-testid=stSidebarNav]")
    link = navigation.get_by_role("link", name=name).first
    section = next((one.section for one in PAGES if one.title == name), "")
    heading = navigation.locator("[data-testid=stNavSectionHeader]", has_text=section)
    folded = heading.locator("[aria-expanded=false]")

    def is_followed() -> bool:
        # What fits is decided anew on each page, so a section may fold under the pointer.
        if section and folded.count():
            folded.first.click()
        try:
            link.click(timeout=3_000)
        except TimeoutError:
            return False
        return True

    wait_until(f"the link to {name} is followed", is_followed)
    heading = page.locator("[data-testid=stMainBlockContainer] h1", has_text=name)
    expect(heading.first).to_be_visible()


def open_account_menu(page: Page, name: str) -> None:
    """Open the menu of the signed-in person, which holds their sign-in and the way out."""
    button = page.locator(".st-key-signed_in_as button").first
    expect(button).to_contain_text(name)
    wait_until_drawn(page)
    button.click()
    expect(page.get_by_role("button", name="Sign out", exact=True)).to_be_visible()


def open_palette(page: Page, text: str = "") -> Locator:
    """Open the palette by keyboard, and type a text; returns its field."""
    page.get_by_role("button", name="Search or jump to").wait_for()
    wait_until_drawn(page)
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="Jump to a page, payment or action")
    expect(field).to_be_focused()
    field.fill(text)
    return field


def open_expander(page: Page, name: str) -> None:
    """Open an expander once the page is drawn, as an earlier click may be undone; returns when it
    has stopped moving: a button in it that is scrolled to before would move away under a click."""
    wait_until_drawn(page)
    fold = page.locator("[data-testid=stExpander]", has_text=name).first
    fold.locator("summary").click()
    expect(fold.locator("details")).to_have_attribute("open", "")
    fold.locator("details").evaluate(_MOTION_ENDS)


def read_qr_codes(picture: bytes) -> list[str]:
    """The texts of the QR codes in a screenshot, as a camera reads them."""
    qr = zxingcpp.BarcodeFormat.QRCode
    return [code.text for code in zxingcpp.read_barcodes(Image.open(io.BytesIO(picture)), qr)]


@contextmanager
def serving(app: Starlette, port: int) -> Iterator[str]:
    """The URL of an application that runs in a thread of its own."""
    server = uvicorn.Server(uvicorn.Config(app, "127.0.0.1", port, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    wait_until("it serves", lambda: server.started)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(10)


@dataclass
class PageLog:
    """The URLs that a page requested, its script errors, and its console's warnings and errors."""

    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    console: list[str] = field(default_factory=list)

    def follow(self, page: Page) -> None:
        """Log requests and errors of this page from now on."""
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("crash", lambda _: self.errors.append("the page crashed"))
        page.on("console", lambda message: self.console.append(f"{message.type} {message.text}"))

    def clear(self) -> None:
        for part in (self.requests, self.errors, self.console):
            part.clear()


# The logs of all open pages, for the report of a failed test.
_PAGE_LOGS: WeakKeyDictionary[Page, PageLog] = WeakKeyDictionary()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add what the open pages show to the report of a failed test, and close them."""
    report = yield
    if report.when == "call" and report.failed and "opened" in getattr(item, "fixturenames", ()):
        for page, log in list(_PAGE_LOGS.items()):
            report.sections.append((f"Page {page.url}", _page_report(page, log)))
            page.close()
    return report


def _page_report(page: Page, log: PageLog) -> str:
    try:
        body = page.locator("body").inner_text(timeout=5_000)
        state = page.locator("[data-testid=stApp]").get_attribute(
            "data-test-script-state", timeout=5_000
        )
    except Error as error:
        body, state = f"No text: {error}", "unknown"
    console = "\n".join(log.errors + log.console[-20:])
    return f"Script state: {state}\n{body[:3_000]}\n--- console ---\n{console}"


Opener = Callable[..., tuple[Page, PageLog]]


@pytest.fixture(scope="session")
def warm_context(chromium: Browser) -> Iterator[BrowserContext]:
    """The browser context of all tests that are not about one. In a new one, Chromium loads and
    compiles Streamlit's scripts again, for three times the processor time of another visit."""
    with new_browser_context(chromium) as context:
        yield context


def warm_page(context: BrowserContext, size: tuple[int, int] = WIDE, scheme: str = "light") -> Page:
    """The page of the test before, unless that failed: its process has the scripts at hand. Size
    and colours are those asked for, whatever the test before has left."""
    if context.pages:
        page, *others = context.pages
        for other in others:
            # Behind another page, it would be drawn once a second.
            other.close()
        page.bring_to_front()
    else:
        page = context.new_page()
    set_look(page, size, scheme)
    page.mouse.move(0, 0)
    return page


def set_look(page: Page, size: tuple[int, int], scheme: str) -> None:
    """Give a page this size, and the colours of a system that is light or dark."""
    width, height = size
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")


@pytest.fixture
def opened(warm_context: BrowserContext, site: Site) -> Opener:
    """Opens a path of the dashboard, as a new session with empty storage, and waits until it is
    drawn."""

    def opening(
        path: str = "", size: tuple[int, int] = WIDE, scheme: str = "light"
    ) -> tuple[Page, PageLog]:
        page = warm_page(warm_context, size, scheme)
        if page not in _PAGE_LOGS:
            _PAGE_LOGS[page] = PageLog()
            _PAGE_LOGS[page].follow(page)
        if page.url.startswith("http://"):
            page.evaluate("localStorage.clear(), sessionStorage.clear()")
            # Until it is left, an earlier site's page may look for its server, which is gone.
            page.goto("about:blank")
        warm_context.clear_cookies()
        log = _PAGE_LOGS[page]
        log.clear()
        page.goto(f"{site.url}/{path}")
        page.locator("[data-testid=stMainBlockContainer] h1").first.wait_for()
        wait_until_drawn(page)
        return page, log

    return opening


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A shop on two EVM chains of this machine that make a block a second."""
    # Imported here: most browser tests need no chains.
    from tests.browser.live_shop import open_shop
    from tests.chains import anvil
    from tests.chains.live import ARBITRUM, BASE

    with anvil.running(BASE, 1) as base, anvil.running(ARBITRUM, 1) as arbitrum:
        chains = {BASE: base, ARBITRUM: arbitrum}
        with open_shop(tmp_path_factory.mktemp("shop"), chains) as opened:
            yield opened
