"""Take the pictures of README and docs: python scripts/screenshots.py http://localhost:8600

The dashboard must be running on the simulated network; Chromium must be installed.
"""

import re
import shutil
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"
PAGES = {
    "overview": "",
    "quotes": "quotes",
    "payments": "intents",
    "routes": "routes",
    "ramp_quotes": "ramp_quotes",
    "ramp_orders": "ramp_orders",
}
SIZE = {"width": 1280, "height": 860}


def main(url: str) -> None:
    """One payment from the form to its QR code and its end, then every page."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        page = browser.new_page(viewport=SIZE, color_scheme="light")
        _payment(page, url)
        _order(page, url)
        for name, path in PAGES.items():
            page.goto(f"{url}/{path}")
            page.wait_for_timeout(2_500)
            # Keys are shown once, and never in a picture.
            if (saved := page.get_by_role("button", name="I have saved them")).count():
                saved.click()
            _taken(page, name)
        browser.close()


def _payment(page: Page, url: str) -> None:
    page.goto(f"{url}/new_intent")
    page.get_by_role("button", name="Fill in example addresses").click()
    page.wait_for_timeout(1_500)
    page.get_by_role("button", name="Create a payment of").click()
    page.get_by_text("is ready").wait_for()
    _taken(page, "intent")
    page.get_by_role("link", name="Follow this payment").click()
    page.get_by_role("button", name=re.compile("^Deposit [0-9]")).click()
    page.get_by_text("Completed").first.wait_for(timeout=60_000)
    _taken(page, "payment")


def _order(page: Page, url: str) -> None:
    page.goto(f"{url}/ramp_order_new?start_provider=FONBNK")
    page.get_by_role("button", name="Fill in an example").click()
    page.wait_for_timeout(2_500)
    if (approve := page.get_by_role("button", name="Approve this check")).count():
        approve.click()
        page.wait_for_timeout(1_500)
    _taken(page, "ramp_order_new")
    page.get_by_role("button", name="Open an on-ramp order").click()
    page.get_by_role("link", name="Follow this order").click()
    page.get_by_role("button", name=re.compile("User pays")).click()
    page.get_by_text("Completed").first.wait_for(timeout=90_000)
    _taken(page, "ramp_order")


def _taken(page: Page, name: str) -> None:
    page.wait_for_timeout(2_500)
    page.screenshot(path=PICTURES / f"{name}.png")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1].rstrip("/"))
