"""Take the pictures of README and docs: python scripts/screenshots.py http://localhost:8600

The dashboard must be running on the simulated network, best with a demo month (`crossway demo`);
Chromium must be installed. `--only NAME,NAME` takes some of them.
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
    "alarms": "alarms",
    "payments": "intents",
    "quotes": "quotes",
    "payment_links": "payment_links",
    "search": "search?q=4",
    "ramp_quotes": "ramp_quotes",
    "ramp_orders": "ramp_orders",
    "kyc": "kyc",
    "routes": "routes",
    "chains": "chains",
    "treasury": "treasury",
    "books": "books",
    "reconcile": "reconcile",
    "developers": "developers",
    "keys": "keys",
    "webhooks": "webhooks",
    "webhook": "webhook?id=1",
    "requests": "requests",
    "people": "people",
    "audit": "audit",
    "simulator": "simulator",
}
DARK = {"overview_dark": "", "payments_dark": "intents", "routes_dark": "routes"}
PHONE = {"overview_phone": "", "payments_phone": "intents"}
DESK_SIZE = {"width": 1280, "height": 860}
PHONE_SIZE = {"width": 390, "height": 844}
# Colours that a picture is brought down to, fewer and fewer until it is small enough.
COLOURS, MOST_BYTES = (256, 128, 64, 48, 32, 24, 16), 150_000


def main(url: str, only: set[str]) -> None:
    """One payment and one order from the form to their end, the story, then every page."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        page = _window(browser, DESK_SIZE, "light")
        told = {"intent payment": _payment, "ramp_order_new ramp_order": _order, "story": _story}
        for names, tell in told.items():
            if not only or only & set(names.split()):
                _tried(names, partial(tell, page, url))
        _every(page, url, PAGES, only)
        _every(_window(browser, DESK_SIZE, "dark"), url, DARK, only)
        _every(_window(browser, PHONE_SIZE, "light"), url, PHONE, only)
        browser.close()


def _window(browser: Browser, size: dict[str, int], scheme: str) -> Page:
    return browser.new_page(
        viewport={"width": size["width"], "height": size["height"]},
        color_scheme="dark" if scheme == "dark" else "light",
    )


def _every(page: Page, url: str, pages: dict[str, str], only: set[str]) -> None:
    for name, path in pages.items():
        if only and name not in only:
            continue
        page.goto(f"{url}/{path}")
        page.locator("[data-testid=stMainBlockContainer] h1").first.wait_for(timeout=60_000)
        # Keys are shown once, and never in a picture.
        page.wait_for_timeout(2_000)
        if (saved := page.get_by_role("button", name="I have saved them")).count():
            saved.click()
        _taken(page, name)


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
        # What was said about it has to go first: it lies over the form.
        page.wait_for_timeout(6_000)
    _taken(page, "ramp_order_new")
    page.get_by_role("button", name="Open an on-ramp order").click()
    page.get_by_role("link", name="Follow this order").click()
    page.get_by_role("button", name=re.compile("User pays")).click()
    page.get_by_text("Completed").first.wait_for(timeout=90_000)
    _taken(page, "ramp_order")


def _story(page: Page, url: str) -> None:
    page.goto(f"{url}/story")
    for label in ("Ask for a quote", "Next", "Make the payment", "Next", "Let the customer pay"):
        page.get_by_role("button", name=label).click()
        page.wait_for_timeout(3_000)
    page.get_by_role("button", name="Next").click()
    page.get_by_text("Relayer repaid").first.wait_for(timeout=90_000)
    _taken(page, "story")


def _tried(names: str, tell: Callable[[], None]) -> None:
    try:
        tell()
    except Exception as error:
        print(f"{names}: not taken, {str(error).splitlines()[0]}", file=sys.stderr)


def _taken(page: Page, name: str) -> None:
    page.locator("[data-testid=stMain]").evaluate("main => main.scrollTo(0, 0)")
    page.wait_for_timeout(2_500)
    page.wait_for_function("!document.querySelector('[data-testid=stSkeleton]')")
    _keep(page.screenshot(), name)


def _keep(drawn: bytes, name: str) -> None:
    """With few colours: a picture of a screen needs no more, and the repository stays small."""
    whole = Image.open(BytesIO(drawn)).convert("RGB")
    for colours in COLOURS:
        small = BytesIO()
        whole.quantize(colours, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(
            small, "PNG", optimize=True
        )
        if small.tell() <= MOST_BYTES:
            break
    (PICTURES / f"{name}.png").write_bytes(small.getvalue())


if __name__ == "__main__":
    if len(sys.argv) not in (2, 4) or (len(sys.argv) == 4 and sys.argv[2] != "--only"):
        sys.exit(__doc__)
    main(sys.argv[1].rstrip("/"), set(sys.argv[3].split(",")) if len(sys.argv) == 4 else set())
