"""Takes the pictures of README and docs: python scripts/screenshots.py http://localhost:8600

The dashboard must be running on the simulated network, best with a demo month (`crossway demo`),
and Chromium must be installed. `--only NAME,NAME` takes some of the pictures.
"""

import re
import shutil
import sys
from collections.abc import Callable
from functools import partial
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"
PAGES = {
    "overview": "",
    "alerts": "alerts",
    "payments": "intents",
    "quotes": "quotes",
    "payment_links": "payment_links",
    "merchants": "merchants",
    "search": "search?q=4",
    "ramp_quotes": "ramp_quotes",
    "ramp_orders": "ramp_orders",
    "kyc": "kyc",
    "network_map": "network_map?window=7+days",
    "pair": "pair?pair_from=Base&pair_to=Arbitrum+One&window=30+days",
    "routes": "routes",
    "chains": "chains",
    "analytics": "analytics?period=7d",
    "treasury": "treasury",
    "books": "books",
    "profit": "profit",
    "reconcile": "reconcile",
    "developers": "developers",
    "keys": "keys",
    "webhooks": "webhooks",
    "webhook": "webhook?id=1",
    "requests": "requests",
    "staff": "staff",
    "audit": "audit",
    "simulator": "simulator",
}
DARK = {
    "overview_dark": "",
    "payments_dark": "intents",
    "routes_dark": "routes",
    "network_map_dark": "network_map?window=7+days",
}
PHONE = {"overview_phone": "", "payments_phone": "intents"}
DESKTOP_SIZE = {"width": 1280, "height": 860}
PHONE_SIZE = {"width": 390, "height": 844}
# Numbers of colours to try, until the file is small enough.
COLOURS, MAX_BYTES = (256, 128, 64, 48, 32, 24, 16), 150_000


def main(url: str, only: set[str]) -> None:
    """One payment and one order from form to end, the guided tour, then every page."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        page = _new_page(browser, DESKTOP_SIZE, "light")
        flows = {
            "intent payment": _payment,
            "ramp_order_new ramp_order": _order,
            "guided_tour": _guided_tour,
            "present": _presentation,
        }
        for names, flow in flows.items():
            if not only or only & set(names.split()):
                _try(names, partial(flow, page, url))
        _take_pages(page, url, PAGES, only)
        _take_pages(_new_page(browser, DESKTOP_SIZE, "dark"), url, DARK, only)
        _take_pages(_new_page(browser, PHONE_SIZE, "light"), url, PHONE, only)
        browser.close()


def _new_page(browser: Browser, size: dict[str, int], scheme: str) -> Page:
    return browser.new_page(
        viewport={"width": size["width"], "height": size["height"]},
        color_scheme="dark" if scheme == "dark" else "light",
    )


def _take_pages(page: Page, url: str, pages: dict[str, str], only: set[str]) -> None:
    for name, path in pages.items():
        if only and name not in only:
            continue
        page.goto(f"{url}/{path}")
        page.locator("[data-testid=stMainBlockContainer] h1").first.wait_for(timeout=60_000)
        # The first API keys must never be in a picture.
        page.wait_for_timeout(2_000)
        if (saved := page.get_by_role("button", name="I have saved them")).count():
            saved.click()
        _take(page, name)


def _payment(page: Page, url: str) -> None:
    page.goto(f"{url}/new_intent")
    page.get_by_role("button", name="Use example addresses").click()
    page.wait_for_timeout(1_500)
    page.get_by_role("button", name="Create a payment of").click()
    page.get_by_text("is ready").wait_for()
    _take(page, "intent")
    page.get_by_role("link", name="View this payment").click()
    page.get_by_role("button", name=re.compile("^Deposit [0-9]")).click()
    page.get_by_text("Completed").first.wait_for(timeout=60_000)
    _take(page, "payment")


def _order(page: Page, url: str) -> None:
    page.goto(f"{url}/ramp_order_new?start_provider=FONBNK")
    page.get_by_role("button", name="Use example values").click()
    page.wait_for_timeout(2_500)
    if (approve := page.get_by_role("button", name="Approve this check")).count():
        approve.click()
        # The toast covers the form until it disappears.
        page.wait_for_timeout(6_000)
    _take(page, "ramp_order_new")
    page.get_by_role("button", name="Open an on-ramp order").click()
    page.get_by_role("link", name="View this order").click()
    page.get_by_role("button", name=re.compile("Customer pays")).click()
    page.get_by_text("Completed").first.wait_for(timeout=90_000)
    _take(page, "ramp_order")


def _guided_tour(page: Page, url: str) -> None:
    page.goto(f"{url}/guided_tour")
    for label in (
        "Ask for a quote",
        "Next",
        "Create the payment",
        "Next",
        "Simulate an overpayment",
    ):
        page.get_by_role("button", name=label).click()
        page.wait_for_timeout(3_000)
    page.get_by_role("button", name="Next").click()
    page.get_by_text("Recipient paid by CCTP").first.wait_for(timeout=90_000)
    _take(page, "guided_tour")


def _presentation(page: Page, url: str) -> None:
    page.goto(f"{url}/present")
    page.locator(".st-key-story h2").wait_for()
    page.keyboard.press("b")
    page.get_by_text("Not responding").locator("visible=true").first.wait_for(timeout=90_000)
    _take(page, "present")
    page.keyboard.press("b")
    page.get_by_text("Completed").first.wait_for(timeout=90_000)


def _try(names: str, flow: Callable[[], None]) -> None:
    try:
        flow()
    except Exception as error:
        print(f"{names}: not taken, {str(error).splitlines()[0]}", file=sys.stderr)


def _take(page: Page, name: str) -> None:
    page.locator("[data-testid=stMain]").evaluate("main => main.scrollTo(0, 0)")
    page.wait_for_timeout(2_500)
    page.wait_for_function("() => !document.querySelector('[data-testid=stSkeleton]')")
    save_picture(page.screenshot(), name)


def save_picture(screenshot: bytes, name: str) -> None:
    """Save with few colours: a screenshot needs no more, and the repository stays small."""
    image = Image.open(BytesIO(screenshot)).convert("RGB")
    for colours in COLOURS:
        small = BytesIO()
        image.quantize(colours, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(
            small, "PNG", optimize=True
        )
        if small.tell() <= MAX_BYTES:
            break
    (PICTURES / f"{name}.png").write_bytes(small.getvalue())


if __name__ == "__main__":
    if len(sys.argv) not in (2, 4) or (len(sys.argv) == 4 and sys.argv[2] != "--only"):
        sys.exit(__doc__)
    main(sys.argv[1].rstrip("/"), set(sys.argv[3].split(",")) if len(sys.argv) == 4 else set())
