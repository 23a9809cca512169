"""What somebody types is kept, however soon the page is left."""

from playwright.sync_api import expect

from tests.browser.conftest import Opener


def test_a_value_is_kept_when_a_link_is_followed_at_once(opened: Opener) -> None:
    page, observed = opened("ramp_quotes")
    for turn in range(4):
        email = f"grace-{turn}@example.com"
        field = page.get_by_role("textbox", name="Customer's e-mail (optional)")
        field.fill(email)
        page.get_by_role("link", name="Identity checks").first.click()
        expect(page.get_by_role("textbox", name="Customer's e-mail", exact=True)).to_have_value(
            email
        )
        page.get_by_role("link", name="Ramp quotes").first.click()
        expect(field).to_have_value(email)
    assert observed.errors == []
