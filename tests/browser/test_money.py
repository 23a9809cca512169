"""Money pages in a browser: a route is disabled and enabled, the books are exported."""

import csv
import io
import json
import re
from collections import defaultdict

from playwright.sync_api import Page, expect

from tests.browser.conftest import Opener, Site
from tests.browser.site_api import complete_payment
from tests.processes import wait_until


def serving_bridges(site: Site) -> set[str]:
    """The bridges that currently quote Base to Polygon."""
    result = site.read("/router/supported-bridges/route?sourceChain=BASE&destinationChain=POLYGON")
    return {name for name in ("CCTP", "RHINOFI", "ACROSS") if name in json.dumps(result)}


def test_a_route_is_disabled_and_enabled_again(opened: Opener, site: Site) -> None:
    assert "CCTP" in serving_bridges(site)
    page, observed = opened("routes?corridor=CCTP:BASE_MAINNET:POLYGON_MAINNET")
    route_label = "CCTP from Base to Polygon PoS"
    expect(page.get_by_role("heading", name=route_label)).to_be_visible()
    page.get_by_role("button", name="Disable", exact=True).first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label(re.compile("^Reason")).fill("Slow since the upgrade")
    dialog.get_by_role("button", name="Disable").click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_text("Slow since the upgrade").first).to_be_visible()
    wait_until("it is not offered", lambda: "CCTP" not in serving_bridges(site))
    page.get_by_role("button", name="Enable", exact=True).first.click()
    page.get_by_role("dialog").get_by_role("button", name="Enable").click()
    expect(page.get_by_text("Nothing is disabled.")).to_be_visible()
    wait_until("it is offered again", lambda: "CCTP" in serving_bridges(site))
    assert observed.errors == []


def downloaded(page: Page, label: str) -> str:
    with page.expect_download() as waiting:
        page.get_by_role("button", name=label).click()
    return waiting.value.path().read_text(encoding="utf-8")


def test_the_books_are_exported_and_add_up(opened: Opener, site: Site) -> None:
    complete_payment(site)
    page, observed = opened("books")
    expect(page.get_by_text("The books balance")).to_be_visible()
    rows = list(csv.DictReader(io.StringIO(downloaded(page, "Export as CSV"))))
    sums: dict[tuple[str, str, str], int] = defaultdict(int)
    for row in rows:
        if row["kind"] == "posting":
            sums[row["debit"], row["chain"], row["token"]] += int(row["units"])
            sums[row["credit"], row["chain"], row["token"]] -= int(row["units"])
    closing = {
        (row["account"], row["chain"], row["token"]): int(row["units"])
        for row in rows
        if row["kind"] == "closing"
    }
    assert closing == {key: units for key, units in sums.items() if units}
    assert closing
    export = json.loads(downloaded(page, "Export as JSON"))
    assert len(export["postings"]) >= sum(row["kind"] == "posting" for row in rows)
    page.get_by_role("link", name=re.compile("Postings of Recipient")).first.click()
    expect(page.get_by_role("heading", name=re.compile("^Recipient: "))).to_be_visible()
    assert observed.errors == []
