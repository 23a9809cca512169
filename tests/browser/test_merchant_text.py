"""Text of merchants, payers, providers and nodes is text on an operator's page: never a link, a
picture, a formula or a colour."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from crossway.dashboard.page_registry import PAGES
from tests.browser.conftest import (
    PageLog,
    Site,
    new_browser_context,
    running_site,
    wait_until_drawn,
)

WALLET = "0x52908400098527886E0F7030069857D2E4169EE7"
# Fits into a title of 100 characters.
SHORT = "www.evil.example a@evil.example [l](//evil.example) ![i](//evil.example/i) :red[r] $x^2$"
LONG = (
    f"{SHORT} https://evil.example/x http&#58;//evil.example <https://evil.example> "
    '<a href="https://evil.example">h</a> <img src="//evil.example/i"> :material/home: **b** '
    "`c` # h ~~s~~ :violet-background[v] \\(y\\) mailto:a@evil.example xmpp:a@evil.example "
    "https&colon;//evil.example [r]: //evil.example"
)
# Columns that only another system or a colleague fills, set in the file itself.
PLANTED = (
    ("clients", "name"), ("orders", "failure_reason"), ("order_transitions", "note"),
    ("transitions", "note"), ("deposits", "note"), ("webhooks", "disabled_reason"),
    ("deliveries", "error"), ("delivery_attempts", "error"), ("delivery_attempts", "response"),
    ("request_log", "response_body"), ("notes", "text"),
)  # fmt: skip
ALERTS = ("node", "claim", "provider", "webhook", "engine", "nonce")
_ELEMENTS = (
    "img[src*=evil]",
    ".katex",
    "[data-testid=stMarkdown] del",
)
_LINKS = "a[href*=evil]:not([href^='#'])"
_OUR_PAGES = {f"/{page.name}" for page in PAGES}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site where every field that others fill holds such text."""
    with running_site(tmp_path_factory.mktemp("hostile")) as site:
        plant_by_api(site)
        plant_in_file(site)
        yield site


def plant_by_api(site: Site) -> None:
    headers = {"Authorization": f"Bearer {site.key}"}
    with httpx.Client(base_url=f"{site.url}/api/v1", headers=headers, timeout=30) as api:

        def post(path: str, body: dict[str, Any]) -> Any:
            return api.post(path, json=body).raise_for_status().json()

        post("/webhooks", {"url": "https://evil.demo.example/hook", "description": SHORT})
        link = {"title": SHORT, "description": LONG[:900], "reference": SHORT}
        link |= {"destination_chain": "ARBITRUM", "recipient": WALLET}
        made = post("/payment-links", link | {"metadata": {SHORT: SHORT}})
        payment = {
            "amount": "25000000", "source_chain": "BASE", "destination_chain": "ARBITRUM",
            "tokenIn": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "recipient": WALLET,
            "refund_address": WALLET, "metadata": {"reference": LONG, SHORT: LONG},
            "payment_link_id": made["id"],
        }  # fmt: skip
        address = post("/intents", payment)["intent_address"]
        post("/sandbox/deposits", {"address": address, "amount": "over"})
        who = {"provider": "FONBNK", "userEmail": "kim@example.com"}
        post("/sandbox/kyc", who | {"kycType": "basic", "status": "approved"})
        order = {
            "type": "on-ramp", "fiatCurrency": "KES", "countryCode": "KE", "cryptoAmount": 20,
            "destinationChain": "BASE_MAINNET", "recipientAddress": WALLET,
            "fields": {"network": "MPESA", "phone": "+254712345678"},
        }  # fmt: skip
        post("/ramp/orders", order | who)
        api.post("/intents", json={SHORT: SHORT, "amount": LONG})


def plant_in_file(site: Site) -> None:
    with closing(sqlite3.connect(site.folder / "crossway.db", timeout=60)) as db:
        for kind in ALERTS:
            row = (f"{kind}:9{kind}", kind, LONG, LONG, LONG)
            db.execute(
                "INSERT INTO alerts (key, kind, subject, message, since, last_seen_at, note) "
                "VALUES (?, ?, ?, ?, 4000000000000000, 4000000000000000, ?)",
                row,
            )
        db.execute(
            'INSERT INTO kill_switches (subject, reason, "by", at) VALUES '
            "('chain:CELO_MAINNET', ?, ?, 0)",
            (LONG, SHORT),
        )
        db.execute(
            "INSERT INTO notes (subject, at, author, text) VALUES ('intent:1', 0, ?, ?)",
            (SHORT, LONG),
        )
        db.execute(
            "INSERT INTO saved_views (screen, name, query, author, at, is_default) "
            "VALUES ('payments', ?, '', ?, 0, 0)",
            (SHORT, SHORT),
        )
        for table, column in PLANTED:
            db.execute(f"UPDATE {table} SET {column} = ?", (LONG,))
        db.commit()


@pytest.fixture(scope="module")
def context(chromium: Browser) -> Iterator[BrowserContext]:
    with new_browser_context(chromium) as opened:
        yield opened


def queries(site: Site) -> dict[str, str]:
    link = site.read("/payment-links")["payment_links"][0]
    numbered = ("intent", "webhook", "key", "ramp_order", "delivery", "request")
    return dict.fromkeys(numbered, "?id=1") | {
        "payment_link": f"?id={link['id']}",
        "client": f"?id={link['client_id']}",
        "search": "?q=www.evil.example",
    }


def leads_to_our_page(link: Locator) -> bool:
    """Whether a link, as the browser resolves it, opens a page of the dashboard: there the text may
    only be a value in its query, such as the subject of an alert."""
    href, here = urlsplit(link.evaluate("node => node.href")), urlsplit(link.page.url)
    return (href.scheme, href.netloc) == (here.scheme, here.netloc) and href.path in _OUR_PAGES


def expect_text_only(page: Page, log: PageLog, where: str) -> None:
    links = page.locator(_LINKS).all()
    foreign = [
        link.evaluate("node => node.outerHTML") for link in links if not leads_to_our_page(link)
    ]
    assert foreign == [], f"{where}: {_LINKS}"
    for element in _ELEMENTS:
        found = page.locator(element)
        shown = [found.nth(n).evaluate("node => node.outerHTML") for n in range(found.count())]
        assert shown == [], f"{where}: {element}"
    assert [url for url in log.requests if "evil" in str(urlsplit(url).hostname)] == [], where


def test_no_operator_page_makes_a_link_or_a_picture_of_it(
    context: BrowserContext, hostile: Site
) -> None:
    page, log, asked = context.new_page(), PageLog(), queries(hostile)
    log.follow(page)
    seen = set()
    for name in dict.fromkeys([*(registered.name for registered in PAGES[1:]), "", *asked]):
        page.goto(f"{hostile.url}/{name}{asked.get(name, '')}")
        wait_until_drawn(page)
        expect_text_only(page, log, name)
        if page.get_by_text("evil.example").count():
            seen.add(name)
    # The text is there, so that the absence of links means something.
    assert {
        "intent",
        "intents",
        "alerts",
        "client",
        "merchants",
        "payment_link",
        "ramp_order",
        "webhook",
    } <= seen


def test_every_view_of_a_payment_shows_it_as_text(context: BrowserContext, hostile: Site) -> None:
    page, log = context.new_page(), PageLog()
    log.follow(page)
    page.goto(f"{hostile.url}/intent?id=1")
    for view in ("Advanced", "Raw"):
        page.get_by_text(view, exact=True).first.click()
        expect(page.get_by_text("evil.example").first).to_be_attached()
        wait_until_drawn(page)
        expect_text_only(page, log, view)
