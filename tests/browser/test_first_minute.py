"""The first view of a newcomer. Where it leads to is in `test_operator_tasks` and `test_story`."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import PHONE, WIDE, Site, new_browser_context, running_site

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
