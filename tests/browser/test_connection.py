"""Open pages while the service restarts, stalls or cannot be reached: they say so, and catch up."""

import json
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from tests.browser.conftest import Site, new_browser_context, wait_until_drawn
from tests.browser.site_api import create_base_intent, deposit, wait_for_status
from tests.browser.test_live_updates import collect_messages, collect_navigations
from tests.ports import free_port
from tests.processes import Installation, new_installation, wait_until

LOST = re.compile(r"Connection to Crossway lost at \d+:\d\d:\d\d.*state of then; reconnecting…")
HEADING = "[data-testid=stMainBlockContainer] h1"
# All that can be read, dialogs and open shadow roots included.
VISIBLE_TEXT = """() => {
  const read = (root) => [...root.querySelectorAll('*')].filter(one => one.shadowRoot)
    .map(one => one.shadowRoot.textContent + read(one.shadowRoot)).join(' ')
  return document.title + document.body.innerText + read(document)
}"""


@dataclass
class Service:
    """A service that is killed, stopped and started again on the same port."""

    installation: Installation
    port: int
    site: Site

    def start(self) -> None:
        self.installation.start(
            "site", "crossway", "serve", "--port", str(self.port), INVENTORY="true"
        )
        url = f"{self.site.url}/api/healthz"
        wait_until("it answers", lambda: self.installation.responds("site", url))

    def kill(self) -> None:
        self.installation.kill("site")

    @contextmanager
    def stalled(self) -> Iterator[None]:
        """The process stands still meanwhile, with all its connections open."""
        process = self.installation.running["site"]
        process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            process.send_signal(signal.SIGCONT)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder: Path = tmp_path_factory.mktemp("restarted")
    port = free_port()
    with new_installation(f"sqlite:///{folder / 'crossway.db'}", folder) as installation:
        service = Service(installation, port, Site(f"http://127.0.0.1:{port}", "", folder))
        service.start()
        key = json.loads((folder / "first_keys.json").read_text())["test"]
        service.site = Site(service.site.url, key, folder)
        yield service


@pytest.fixture
def context(chromium: Browser) -> Iterator[BrowserContext]:
    """Pages of one browser, each of which keeps a list of its WebSockets."""
    with new_browser_context(chromium) as context:
        context.add_init_script(_KEEP_SOCKETS)
        yield context


# `cut` closes all sockets, as a router that is started again; `forget` lets Streamlit's next
# connection not name its session, as if the service had dropped it after the two minutes in which
# a sleeping laptop may come back.
_KEEP_SOCKETS = """
const Real = window.WebSocket
window.sockets = []
window.WebSocket = class extends Real {
  constructor(url, protocols) {
    super(url, window.forgetful && protocols ? protocols.slice(0, 2) : protocols ?? [])
    window.sockets.push(this)
  }
}
window.cut = (forget) => {
  window.forgetful = forget
  for (const one of window.sockets.splice(0)) one.close()
}
"""


def open_page(context: BrowserContext, service: Service, path: str) -> Page:
    page = context.new_page()
    page.goto(f"{service.site.url}/{path}")
    page.locator(HEADING).first.wait_for()
    wait_until_drawn(page)
    return page


def banner(page: Page) -> Locator:
    return page.get_by_role("region", name="Connection")


def row_of(page: Page, intent: Any) -> Locator:
    return page.locator("tr", has=page.locator(f'a[href="intent?id={intent["number"]}"]'))


def assert_streamlit_is_not_named(page: Page) -> None:
    assert "streamlit" not in page.evaluate(VISIBLE_TEXT).lower()


def test_open_pages_catch_up_after_a_restart(service: Service, context: BrowserContext) -> None:
    """Each as an operator left it: a list, a payment, half a form, half a dialog."""
    site = service.site
    paid, other = create_base_intent(site), create_base_intent(site)
    overview = open_page(context, service, "")
    intents = open_page(context, service, "intents")
    intent = open_page(context, service, f"intent?id={paid['number']}")
    form = open_page(context, service, "new_intent")
    dialog = open_page(context, service, "chains")
    field = form.get_by_label(re.compile("^Recipient")).first
    field.fill("half an addr")
    dialog.get_by_role("button", name="Disable chain").click()
    dialog.get_by_role("dialog").wait_for()
    pages = [overview, intents, intent, form, dialog]
    went = [collect_navigations(page) for page in pages]
    service.kill()
    for page in pages:
        expect(banner(page)).to_contain_text(LOST)
        assert_streamlit_is_not_named(page)
    expect(dialog.get_by_role("button", name="Reload")).to_be_visible()
    service.start()
    deposit(site, paid)
    new = create_base_intent(site)
    wait_for_status(site, paid, "COMPLETED")
    expect(row_of(intents, paid)).to_contain_text("Completed")
    expect(row_of(intents, new)).to_be_visible()
    expect(row_of(intents, other)).to_contain_text("Pending")
    expect(overview.get_by_text(f"#{paid['number']} Deposit complete").first).to_be_visible()
    expect(intent.get_by_text("Completed").first).to_be_visible()
    expect(field).to_have_value("half an addr")
    for page in pages[:-1]:
        expect(banner(page)).to_have_count(0)
    expect(dialog.get_by_role("dialog")).to_have_count(0)
    expect(banner(dialog)).to_contain_text("The open dialog was closed")
    dialog.get_by_role("button", name="Close").click()
    expect(banner(dialog)).to_have_count(0)
    dialog.get_by_role("button", name="Disable chain").click()
    expect(dialog.get_by_role("dialog")).to_be_visible()
    assert went == [[]] * len(pages)


# Every text that the banner's live region is given: what a screen reader says.
_FOLLOW_BANNER = """() => {
  const region = [...document.querySelectorAll('[data-react-aria-top-layer]')]
    .map(one => one.shadowRoot?.querySelector('[aria-live]')).find(Boolean)
  window.told = []
  new MutationObserver(() => window.told.push(region.textContent))
    .observe(region, {childList: true, characterData: true, subtree: true})
}"""


def test_a_page_without_connection_says_so_once_and_its_ages_stand_still(
    service: Service, context: BrowserContext
) -> None:
    create_base_intent(service.site)
    page = open_page(context, service, "intents")
    went = collect_navigations(page)
    _, parts = collect_messages(page)
    age = page.locator("time[data-as=ago]").last
    expect(age).to_have_text(re.compile("ago"))
    top = page.locator("[data-testid=stApp]").bounding_box()
    page.evaluate(_FOLLOW_BANNER)
    with service.stalled():
        expect(banner(page)).to_contain_text(LOST)
        bar = banner(page).bounding_box()
        moved = page.locator("[data-testid=stApp]").bounding_box()
        assert top is not None
        assert bar is not None
        assert moved is not None
        assert moved["y"] == pytest.approx(bar["height"], abs=0.1)
        assert moved["y"] > top["y"] == 0
        # Each age is written once a second; what counts on would be another one two seconds later.
        page.wait_for_timeout(1_500)
        shown = age.inner_text()
        page.wait_for_timeout(2_500)
        assert age.inner_text() == shown
        assert page.evaluate("() => window.told.length") == 1
        assert_streamlit_is_not_named(page)
    expect(banner(page)).to_have_count(0)
    expect(age).not_to_have_text(shown)
    assert went == []
    assert parts == set(), "the session was kept: no run is asked for"


@pytest.mark.parametrize("forgotten", [False, True], ids=["kept session", "forgotten session"])
def test_a_page_whose_sockets_were_cut_catches_up_without_a_reload(
    service: Service, context: BrowserContext, forgotten: bool
) -> None:
    page = open_page(context, service, "intents")
    went = collect_navigations(page)
    context.set_offline(True)
    page.evaluate("forget => window.cut(forget)", forgotten)
    expect(banner(page)).to_contain_text(LOST)
    missed = create_base_intent(service.site)
    context.set_offline(False)
    expect(row_of(page, missed)).to_be_visible()
    expect(banner(page)).to_have_count(0)
    later = create_base_intent(service.site)
    expect(row_of(page, later)).to_be_visible()
    page.get_by_role("button", name="Add a filter").click()
    expect(page.get_by_role("listbox").or_(page.get_by_role("dialog")).first).to_be_visible()
    assert went == []


_REFUSED = """
const send = window.WebSocket.prototype.send
window.WebSocket.prototype.send = function (data) {
  const isTicket = this.url.endsWith('/live') && typeof data === 'string' && !data.startsWith('{')
  return send.call(this, isTicket ? 'a ticket of another process' : data)
}
"""


def test_a_page_that_is_refused_for_good_is_loaded_once_more_and_says_so(
    service: Service, context: BrowserContext
) -> None:
    context.add_init_script(_REFUSED)
    page = open_page(context, service, "chains")
    went = collect_navigations(page)
    expect(banner(page)).to_contain_text("does not accept this page's connection")
    assert len(went) == 1
    page.wait_for_timeout(8_000)
    assert len(went) == 1
    expect(page.locator(HEADING).first).to_have_text("Chains")
