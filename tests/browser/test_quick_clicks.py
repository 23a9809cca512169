"""Whoever clicks twice in quick succession gets both, each once."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import WIDE, Opener, Site, wait_until_drawn
from tests.browser.site_api import post
from tests.processes import wait_until

# The second click comes behind Streamlit's timer that sends the first: while the first one's page
# is being drawn and has not reached its button.
_CLICK_BOTH = """([first, second, pause]) => {
  const click = name => [...document.querySelectorAll('button, [data-testid=stSidebarNav] a')]
    .find(one => one.textContent.trim().endsWith(name)).click()
  click(first)
  setTimeout(() => click(second), pause)
}"""


def seconds_ahead(site: Site) -> int:
    return round(post(site, "/sandbox/clock", frozen=False)["aheadSeconds"])


@pytest.mark.parametrize("pause_ms", [0, 20, 150])
@pytest.mark.parametrize(
    ("second", "heading", "seconds"),
    [("Forward 10 min", "Simulator", 660), ("Books", "Books", 60)],
)
def test_a_click_is_carried_out_though_another_follows(
    opened: Opener, site: Site, second: str, heading: str, seconds: int, pause_ms: int
) -> None:
    page, observed = opened("simulator", WIDE)
    expect(page.get_by_role("button", name="Forward 1 min")).to_be_visible()
    wait_until_drawn(page)
    before = seconds_ahead(site)
    page.evaluate(_CLICK_BOTH, ["Forward 1 min", second, pause_ms])
    expect(page.get_by_text("The clock was moved forward").first).to_be_visible()
    expect(page.locator("h1", has_text=heading).first).to_be_visible()
    wait_until("all that was clicked happened", lambda: seconds_ahead(site) - before == seconds)
    wait_until_drawn(page)
    assert seconds_ahead(site) - before == seconds
    assert observed.errors == []
