"""Accessibility: axe-core finds nothing serious on any page in both themes; pages work by keyboard
and on a phone."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page

from crossway.dashboard.page_registry import PAGES
from tests.browser.conftest import PHONE, Site, new_browser_context, wait_until_drawn

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
# Findings in Streamlit's own markup, by rule and selector.
UPSTREAM = {
    # Navigation sections are between the list and its entries.
    "list": "stSidebarNavItems",
    "listitem": "stSidebarNav",
    # The sparkline of a metric has no text alternative.
    "svg-img-alt": "stMetric",
    # A diagram has no name while it is loading.
    "aria-label": "stMermaidChart",
}
LINKED = {"intent": "?id=1", "search": "?q=1", "webhook": "?id=1", "key": "?id=1"}
# A title, or a message where the link names no record.
DRAWN = "[data-testid=stMainBlockContainer] :is(h1, [data-testid=stAlert])"
NAMES = [screen.name for screen in PAGES]
pytestmark = [
    pytest.mark.timeout(900),
    pytest.mark.skipif(not AXE.exists(), reason="axe-core is not there: npm install"),
]
_RUN = """axe.run(document, {resultTypes: ['violations']}).then(found => found.violations
  .filter(one => ['serious', 'critical'].includes(one.impact))
  .flatMap(one => one.nodes.map(node => {
    const path = node.target.flat().at(-1)
    const at = document.querySelector(path)
    const inside = at ? [...Array(12)].reduce((all, _, n) => {
      const up = n ? all.at(-1)?.parentElement : at
      return up ? [...all, up] : all }, []).map(up => up.dataset.testid || '').join(' ') : ''
    return [one.id, inside, node.html.slice(0, 160), node.any[0]?.message || ''] })))"""


@pytest.fixture(scope="module")
def busy(site: Site) -> Site:
    """A site with an overpaid payment and a webhook."""
    headers = {"Authorization": f"Bearer {site.key}"}
    wallet = "0x52908400098527886E0F7030069857D2E4169EE7"
    params: dict[str, Any] = {
        "amount": "25000000", "source_chain": "BASE", "destination_chain": "ARBITRUM",
        "tokenIn": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        "recipient": wallet, "refund_address": wallet,
    }  # fmt: skip
    with httpx.Client(base_url=f"{site.url}/api/v1", headers=headers, timeout=30) as api:
        api.post("/webhooks", json={"url": "https://axe.demo.example/hook"}).raise_for_status()
        intent = api.post("/intents", json=params).raise_for_status().json()
        address = intent.get("intent_address") or intent["data"]["intent_address"]
        paid = {"address": address, "amount": "over"}
        api.post("/sandbox/deposits", json=paid).raise_for_status()
    return site


@pytest.fixture(scope="module", params=["light", "dark"])
def page(request: pytest.FixtureRequest, chromium: Browser) -> Iterator[Page]:
    """One browser context for all pages of a theme."""
    context = new_browser_context(chromium, color_scheme=request.param)
    yield context.new_page()
    context.close()


def open_page(page: Page, site: Site, name: str) -> None:
    path = "" if name == PAGES[0].name else name + LINKED.get(name, "")
    page.goto(f"{site.url}/{path}")
    page.locator(DRAWN).first.wait_for()
    wait_until_drawn(page)
    assert page.locator("[data-testid=stException]").count() == 0, name
    assert page.get_by_text("This part could not be loaded").count() == 0, name


def without_streamlit_findings(found: list[list[str]]) -> list[list[str]]:
    """The findings without those that Streamlit itself causes."""
    return [item for item in found if UPSTREAM.get(item[0], "nowhere") not in item[1]]


def test_axe_finds_no_serious_violation_on_any_page(page: Page, busy: Site) -> None:
    wrong: dict[str, list[list[str]]] = {}
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    for name in NAMES:
        open_page(page, busy, name)
        page.evaluate(AXE.read_text(encoding="utf-8"))
        if results := without_streamlit_findings(page.evaluate(_RUN)):
            wrong[name] = results[:3]
    assert not wrong, json.dumps(wrong, indent=1)
    assert [item for item in requests if not item.startswith((busy.url, "data:", "blob:"))] == []


def test_every_page_fits_a_phone(chromium: Browser, busy: Site) -> None:
    context = new_browser_context(chromium, PHONE)
    phone, wide = context.new_page(), []
    for name in NAMES:
        open_page(phone, busy, name)
        wider = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        if phone.evaluate(wider):
            wide.append(name)
    context.close()
    assert not wide, f"these are wider than the screen: {wide}"


def test_the_keyboard_reaches_the_search_the_rows_and_back(chromium: Browser, busy: Site) -> None:
    context = new_browser_context(chromium)
    keys = context.new_page()
    open_page(keys, busy, "intents")
    row = keys.locator(".st-key-intents a.open").first
    row.focus()
    outline = row.evaluate("node => getComputedStyle(node).outlineStyle")
    assert outline != "none", "where the focus is can be seen"
    keys.keyboard.press("Enter")
    keys.wait_for_url("**/intent?id=*")
    keys.locator("[data-testid=stMainBlockContainer] h1", has_text="Payment #").wait_for()
    keys.keyboard.press("/")
    keys.wait_for_function("document.activeElement?.tagName === 'INPUT'")
    context.close()
