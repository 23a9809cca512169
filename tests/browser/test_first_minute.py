"""The first minute of a newcomer: from an empty installation to a paid test payment."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import PHONE, WIDE, Site, new_browser_context, running_site
from tests.browser.site_api import wait_in_quick_time

OFFERS = ("Watch the guided story", "Fill with a demo month", "Take a test payment")


@pytest.fixture(scope="module")
def empty_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site of its own: others have payments."""
    with running_site(tmp_path_factory.mktemp("empty")) as running:
        yield running


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["desk", "phone"])
def test_the_first_view_offers_three_ways_to_begin(
    chromium: Browser, empty_site: Site, size: tuple[int, int]
) -> None:
    with new_browser_context(chromium, size) as context:
        page = context.new_page()
        page.goto(empty_site.url)
        for name in OFFERS:
            button = page.get_by_role("button", name=name)
            expect(button).to_be_in_viewport(ratio=1)


def test_from_an_empty_installation_to_a_paid_payment_in_two_clicks(
    chromium: Browser, empty_site: Site
) -> None:
    with new_browser_context(chromium) as context:
        page = context.new_page()
        page.goto(empty_site.url)
        page.get_by_role("button", name="Take a test payment").click()
        pay = page.get_by_role("button", name="Pay it (simulated)")
        expect(pay).to_be_in_viewport(ratio=1)
        expect(page.locator("img[alt*=QR]").first).to_be_visible()
        pay.click()
        paid = page.get_by_text("Recipient paid").locator("visible=true").first
        wait_in_quick_time(empty_site, "the recipient is paid", paid.is_visible)
        expect(page.get_by_text("Completed").locator("visible=true").first).to_be_visible()
    (payment,) = empty_site.read("/intents?limit=2")["intents"]
    assert payment["intent_status"] == "COMPLETED"
