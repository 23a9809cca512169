"""The main job on real chains: a payment created on the dashboard and paid by a plain wallet."""

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Site, new_browser_context
from tests.chains import anvil
from tests.chains.anvil import Anvil
from tests.chains.live import ARBITRUM, BASE, write_profile
from tests.conformance.networks import made_up
from tests.ports import free_port
from tests.processes import new_installation, wait_until

PASSWORD = "a password of tests"


@dataclass
class LiveSite:
    """A dashboard on two real chains that make a block a second."""

    site: Site
    anvils: dict[str, Anvil]


@pytest.fixture
def live(tmp_path: Path) -> Iterator[LiveSite]:
    with ExitStack() as stack:
        anvils = {c: stack.enter_context(anvil.running(c, 1)) for c in (BASE, ARBITRUM)}
        urls = {chain: [one.url] for chain, one in anvils.items()}
        profile, port = write_profile(tmp_path, urls, poll_seconds=0.3), free_port()
        url = f"http://127.0.0.1:{port}"
        database = f"sqlite:///{tmp_path / 'crossway.db'}"
        installation = stack.enter_context(new_installation(database, tmp_path))
        installation.start(
            "site",
            "crossway",
            "serve",
            "--port",
            str(port),
            NETWORK="live",
            PROFILE=str(profile),
            DASHBOARD_PASSWORD=PASSWORD,
        )
        wait_until("it answers", lambda: installation.responds("site", f"{url}/api/healthz"))
        keys = json.loads((tmp_path / "first_keys.json").read_text())
        yield LiveSite(Site(url, keys["test"], tmp_path), anvils)


def signed_in(page: Page, live: LiveSite) -> None:
    page.goto(live.site.url)
    field = page.locator("input[type=password]").first
    field.fill(PASSWORD)
    field.press("Enter")
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()


def test_a_payment_on_real_chains_is_created_paid_and_watched(
    live: LiveSite, chromium: Browser
) -> None:
    context = new_browser_context(chromium)
    page = context.new_page()
    signed_in(page, live)
    expect(page.get_by_text("Live – real money")).to_be_visible()
    expect(page.get_by_role("link", name=re.compile("Simulator"))).to_have_count(0)

    page.get_by_role("link", name="New payment").first.click()
    page.get_by_role("textbox", name="Recipient address").fill(made_up("a recipient"))
    page.get_by_role("textbox", name="Refund address").fill(made_up("a payer"))
    page.get_by_role("textbox", name="Refund address").press("Tab")
    page.get_by_role("button", name=re.compile("^Create a payment of")).click()
    expect(page.get_by_text(re.compile(r"Payment #\d+ is ready"))).to_be_visible()
    number = re.search(r"Payment #(\d+) is ready", page.content())
    assert number is not None
    intent = live.site.read("/intents?limit=1")["intents"][0]
    units = int(intent["total_amount_in_asset_token"])
    page.get_by_role("link", name=re.compile("View this payment")).click()
    expect(page.get_by_role("heading", name=re.compile("Payment #"))).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^Deposit "))).to_have_count(0)

    live.anvils[ARBITRUM].send(intent["intent_address"], units)
    expect(page.get_by_text("Completed").locator("visible=true").first).to_be_visible()
    assert live.anvils[BASE].balance(made_up("a recipient")) == 25_000_000
    explorers = page.locator('a[href*="basescan.org/tx/0x"], a[href*="arbiscan.io/tx/0x"]')
    assert explorers.count() >= 2

    page.get_by_role("link", name="Chains", exact=True).click()
    expect(page.get_by_text("All 2 chains healthy.")).to_be_visible()
    page.get_by_role("link", name="Treasury", exact=True).click()
    expect(page.get_by_text(re.compile("Balances unavailable"))).to_have_count(0)
    context.close()
