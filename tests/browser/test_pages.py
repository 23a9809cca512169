"""Every page opens, wide and narrow, light and dark, without errors."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PHONE, WIDE, Opener, Site, wait_until_drawn

PAGES = ("", "intents", "intent?id=1", "new_intent", "quotes", "routes", "chains", "simulator")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["desk", "phone"])
def test_every_page_opens(opened: Opener, site: Site, size: tuple[int, int], scheme: str) -> None:
    for path in PAGES:
        page, observed = opened(path, size, scheme)
        wait_until_drawn(page)
        text = page.locator("body").inner_text()
        assert page.locator("[data-testid=stException]").count() == 0, path
        assert "Traceback" not in text, path
        assert "SIMULATED" in text, path
        wider = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        assert not page.evaluate(wider), f"{path} is wider than the screen"
        outside = [
            url for url in observed.requests if not url.startswith((site.url, "data:", "blob:"))
        ]
        assert outside == [], path
        assert observed.errors == [], path
        page.context.close()


def test_an_unknown_payment_shows_a_message(opened: Opener) -> None:
    page, _ = opened("intent?id=99999999")
    expect(page.get_by_text("No payment found for").first).to_be_visible()
