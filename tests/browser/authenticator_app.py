"""An authenticator app that a test adds on the screen."""

import pyotp
from playwright.sync_api import Page, expect


def add_authenticator_app(page: Page) -> pyotp.TOTP:
    """Add an app on a page that offers it, and dismiss the recovery codes that come with it."""
    page.get_by_role("button", name="Set up an authenticator app").click()
    page.get_by_text("Enter it by hand instead").click()
    app = pyotp.TOTP(page.locator(".st-key-new_authenticator_box code").inner_text().strip())
    page.get_by_label("2. Enter the six digits").fill(app.now())
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Your recovery codes")).to_be_visible()
    page.get_by_role("button", name="I have saved them").click()
    return app
