"""Every page, opened once: without errors, wide and narrow, light and dark, and axe-core finds
nothing serious. Pages work by keyboard."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from crossway.dashboard.page_registry import PAGES
from tests.browser.conftest import PHONE, WIDE, Opener, Site, set_look, wait_until_drawn

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
QUERIES = {
    "intent": "?id=1", "search": "?q=1", "webhook": "?id=1", "key": "?id=1", "ramp_order": "?id=1",
    "widget": "?reference=none",
}  # fmt: skip
# Streamlit keeps the colours of highlighted code when the system's change, until it is drawn again.
KEPT_COLOURS = {"color-contrast": "stCode"}
# The rules that may find something else in other colours.
COLOUR_RULES = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
RUN_AXE = """rules => axe.run(document, {resultTypes: ['violations'], ...rules})
  .then(found => found.violations
  .filter(one => ['serious', 'critical'].includes(one.impact))
  .flatMap(one => one.nodes.map(node => {
    const path = node.target.flat().at(-1)
    const at = document.querySelector(path)
    const inside = at ? [...Array(12)].reduce((all, _, n) => {
      const up = n ? all.at(-1)?.parentElement : at
      return up ? [...all, up] : all }, []).map(up => up.dataset.testid || '').join(' ') : ''
    return [one.id, inside, node.html.slice(0, 160), node.any[0]?.message || ''] })))"""
# The lightness of what is behind a page, from 0 to 1.
_BACKGROUND = """() => {
  const colour = getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor
  return Math.max(...colour.match(/\\d+/g).slice(0, 3).map(Number)) / 255
}"""
_WIDER = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


# Pages of records whose ids are random; `busy` makes one of each.
NAMED = {
    "invoice": "invoices",
    "subscription": "subscriptions",
    "standing_address": "standing-addresses",
}


@pytest.fixture(scope="module")
def busy(site: Site) -> Site:
    """A site with an overpaid payment, a webhook, a ramp order, an invoice, a subscription
    and a standing address."""
    headers = {"Authorization": f"Bearer {site.key}"}
    wallet = "0x52908400098527886E0F7030069857D2E4169EE7"
    payment: dict[str, Any] = {
        "amount": "25000000", "source_chain": "BASE", "destination_chain": "ARBITRUM",
        "tokenIn": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        "recipient": wallet, "refund_address": wallet,
    }  # fmt: skip
    who = {"provider": "FONBNK", "userEmail": "axe@example.com"}
    order = {
        "type": "on-ramp", "fiatCurrency": "KES", "countryCode": "KE", "cryptoAmount": 20,
        "destinationChain": "BASE_MAINNET", "recipientAddress": wallet,
        "fields": {"network": "MPESA", "phone": "+254712345678"},
    }  # fmt: skip
    with httpx.Client(base_url=f"{site.url}/api/v1", headers=headers, timeout=30) as api:

        def post(path: str, body: dict[str, Any]) -> Any:
            return api.post(path, json=body).raise_for_status().json()

        post("/webhooks", {"url": "https://axe.demo.example/hook"})
        address = post("/intents", payment)["intent_address"]
        post("/sandbox/deposits", {"address": address, "amount": "over"})
        post("/sandbox/kyc", who | {"kycType": "basic", "status": "approved"})
        post("/ramp/orders", order | who)
        due, lines = "2031-01-31", [{"description": "Hosting", "unit_amount": "5000000"}]
        content = {"destination_chain": "BASE", "recipient": wallet, "lines": lines}
        post("/invoices", content | {"due_date": due, "payer": {"name": "Ada"}})
        post("/subscriptions", content | {"interval": "month", "first_due_date": due})
        standing = {"source_chain": "BASE", "destination_chain": "ARBITRUM", "recipient": wallet}
        post("/standing-addresses", standing | {"recovery_address": wallet})
    return site


def query_of(name: str, site: Site) -> str:
    """The query of a page: the record's id, where ids are random."""
    if name not in NAMED:
        return QUERIES.get(name, "")
    [found] = site.read(f"/{NAMED[name]}")[NAMED[name].replace("-", "_")]
    return f"?id={found['id']}"


def without_streamlit_findings(found: list[list[str]], upstream: dict[str, str]) -> list[list[str]]:
    """The findings without those that Streamlit itself causes."""
    return [item for item in found if upstream.get(item[0], "nowhere") not in item[1]]


def expect_no_errors(page: Page) -> None:
    text = page.locator("body").inner_text()
    assert page.locator("[data-testid=stException]").count() == 0
    for failure in ("Traceback", "could not be loaded"):
        assert failure not in text
    assert "SIMULATED" in text


def looks(number: int) -> list[tuple[str, tuple[int, int]]]:
    """Colours and screen sizes in the order in which this page is looked at: one step from look to
    look, and half of the pages are opened on a phone in the dark."""
    all_looks = [("light", WIDE), ("light", PHONE), ("dark", PHONE), ("dark", WIDE)]
    return all_looks if number % 2 else [*all_looks[2:], *all_looks[:2]]


@pytest.mark.parametrize("number", range(len(PAGES)), ids=[page.name for page in PAGES])
def test_every_page_opens_fits_the_screen_and_is_accessible(
    opened: Opener, busy: Site, number: int
) -> None:
    name = PAGES[number].name
    path = "" if name == PAGES[0].name else name + query_of(name, busy)
    first_scheme, first_size = looks(number)[0]
    page, observed = opened(path, first_size, first_scheme)
    for scheme, size in looks(number):
        set_look(page, size, scheme)
        wait_until_drawn(page)
        expect_no_errors(page)
        shown = page.evaluate(_BACKGROUND)
        assert (shown < 0.5) == (scheme == "dark"), f"{scheme}: a background of {shown}"
        assert not page.evaluate(_WIDER), f"{scheme}: wider than a screen of {size[0]} pixels"
        if size == WIDE and AXE.exists():
            rules = COLOUR_RULES if page.evaluate("'axe' in window") else {}
            if not rules:
                page.evaluate(AXE.read_text(encoding="utf-8"))
            upstream = UPSTREAM if scheme == first_scheme else UPSTREAM | KEPT_COLOURS
            found = without_streamlit_findings(page.evaluate(RUN_AXE, rules), upstream)
            assert not found, f"{scheme}: {json.dumps(found[:3], indent=1)}"
    assert [u for u in observed.requests if not u.startswith((busy.url, "data:", "blob:"))] == []
    assert observed.errors == []
    assert [text for text in observed.console if "Content Security Policy" in text] == []


def test_axe_is_installed() -> None:
    if not AXE.exists():
        pytest.skip("pages were not checked for accessibility: npm install")


def test_an_unknown_payment_shows_a_message(opened: Opener) -> None:
    page, _ = opened("intent?id=99999999")
    expect(page.get_by_text("No payment found for").first).to_be_visible()


def test_the_keyboard_reaches_the_search_the_rows_and_back(opened: Opener, busy: Site) -> None:
    page, _ = opened("intents")
    row = page.locator(".st-key-intents a.open").first
    row.focus()
    outline = row.evaluate("node => getComputedStyle(node).outlineStyle")
    assert outline != "none", "where the focus is can be seen"
    page.keyboard.press("Enter")
    page.wait_for_url("**/intent?id=*")
    page.locator("[data-testid=stMainBlockContainer] h1", has_text="Payment #").wait_for()
    page.keyboard.press("/")
    expect(page.get_by_role("combobox", name="Jump to a page, payment or action")).to_be_focused()
