"""Takes the rows of pictures of docs/payers.md: python -m scripts.payer_pictures

A shop on chains of this machine and wallets that tests play; needs Chromium and `npm install`.
"""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright
from scripts.screenshots import save_picture

from crossway.usecases.billing import invoices, subscriptions
from crossway.usecases.billing.invoice_fields import ContentRequest
from crossway.usecases.billing.subscriptions import SubscriptionRequest
from tests.browser.conftest import CHROMIUM, CHROMIUM_FLAGS
from tests.browser.live_shop import (
    ARBITRUM_ID,
    BASE_ID,
    LiveShop,
    expect_state,
    new_wallet,
    open_shop,
    paying,
)
from tests.browser.wallets import REFUSED
from tests.chains import anvil
from tests.chains.live import ARBITRUM, BASE

SIZE, GAP = (390, 844), 16
ICON = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'%3E"
    "%3Crect width='8' height='8' fill='{}'/%3E%3C/svg%3E"
)


def main() -> None:
    """Paying, what can go wrong, picking on a payment link, papers, and signing."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(CHROMIUM_FLAGS))
        with _shop() as shop:
            save_row("payer_wallet", _payment(browser, shop))
            save_row("payer_wallet_problems", _problems(browser, shop))
            save_row("payer_link_wallet", _pick(browser, shop))
            save_row("payer_wrong_deposits", _wrong_deposits(browser, shop))
            save_row("payer_papers", _papers(browser, shop))
        with _shop(signed=True) as shop:
            save_row("payer_signing", _signing(browser, shop))
        browser.close()


@contextmanager
def _shop(signed: bool = False) -> Iterator[LiveShop]:
    """A shop on two chains, on one of which dollars move by a signature."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="crossway-pictures-"))
        chains = {name: stack.enter_context(anvil.running(name, 1)) for name in (BASE, ARBITRUM)}
        if signed:
            chains[BASE].sign_dollars()
        yield stack.enter_context(open_shop(Path(folder), chains))


def save_row(name: str, pictures: Sequence[bytes]) -> None:
    """Save pictures beside each other."""
    images = [Image.open(BytesIO(picture)).convert("RGB") for picture in pictures]
    width = sum(image.width for image in images) + GAP * (len(images) - 1)
    row = Image.new("RGB", (width, max(image.height for image in images)), "white")
    left = 0
    for image in images:
        row.paste(image, (left, 0))
        left += image.width + GAP
    whole = BytesIO()
    row.save(whole, "PNG")
    save_picture(whole.getvalue(), name)


def _look(page: Page, selector: str) -> bytes:
    """What a phone shows with this part near the top."""
    page.locator(selector).first.evaluate("part => scrollTo(0, part.offsetTop - 60)")
    # Buttons change their colours slowly, and the pointer stays on one.
    page.mouse.move(0, 0)
    return page.screenshot(animations="disabled")


def _payment(browser: Browser, shop: LiveShop) -> list[bytes]:
    intent = shop.ask("pictures")
    wallets = [
        new_wallet(shop, name, icon=ICON.format(colour))
        for name, colour in (("Blue wallet", "royalblue"), ("Green wallet", "seagreen"))
    ]
    with paying(browser, shop.page(intent), *wallets, size=SIZE) as page:
        expect(page.locator(".wallet")).to_have_count(2)
        taken = [_look(page, ".warn")]
        page.get_by_role("button", name="Blue wallet").click()
        expect_state(page, "ready")
        taken.append(_look(page, ".warn"))
        page.get_by_role("button", name="Pay ").click()
        expect_state(page, "sent")
        taken.append(_look(page, ".warn"))
        expect(page.get_by_role("heading", level=1)).to_have_text("Paid")
        return [*taken, _look(page, ".top")]


def _problems(browser: Browser, shop: LiveShop) -> list[bytes]:
    taken = []
    for lang, problem in (("en", "elsewhere"), ("fr", "rejected"), ("es", "low"), ("ar", "locked")):
        intent = shop.ask(f"pictures {problem}")
        wallet = new_wallet(shop, "Blue wallet", icon=ICON.format("royalblue"))
        wallet.chain = ARBITRUM_ID if problem == "elsewhere" else BASE_ID
        wallet.locked = problem == "locked"
        wallet.errors = {"eth_requestAccounts": REFUSED} if problem == "rejected" else {}
        if problem == "low":
            wallet.key = new_wallet(shop, "Empty wallet", dollars=3).key
        with paying(browser, shop.page(intent, lang), wallet, size=SIZE) as page:
            page.locator(".wallet").click()
            expect_state(page, problem)
            taken.append(_look(page, ".warn"))
    return taken


def _pick(browser: Browser, shop: LiveShop) -> list[bytes]:
    link = shop.link(ARBITRUM, amount="25000000", title="Coffee beans")
    wallet = new_wallet(shop, "Blue wallet", icon=ICON.format("royalblue"))
    with paying(browser, f"{shop.url}/pay/l/{link.id}?lang=en", wallet, size=SIZE) as page:
        expect(page.locator(".wallet")).to_have_count(1)
        taken = [_look(page, ".top")]
        page.locator(".wallet").click()
        page.locator(f'.held input[value="{BASE}:USDC"]').check()
        taken += [_look(page, ".top"), _look(page, "fieldset")]
        page.get_by_role("button", name="Continue to payment").click()
        expect_state(page, "ready")
        return [*taken, _look(page, ".warn")]


def _wrong_deposits(browser: Browser, shop: LiveShop) -> list[bytes]:
    """What is said of a deposit that is not as it should be, on narrow and usual phones."""
    intent, taken = shop.ask("wrong deposits"), []
    for lang, size in (("en", SIZE), ("de", (320, SIZE[1])), ("ar", SIZE)):
        with paying(browser, shop.page(intent, lang), size=size) as page:
            page.locator("#wrong summary").click()
            taken.append(_look(page, "#wrong"))
    return taken


def _papers(browser: Browser, shop: LiveShop) -> list[bytes]:
    """An invoice, part of it paid, a subscription, and a receipt."""
    world, to = shop.world, shop.world.hands[ARBITRUM].wallet("a shop")
    lines = [
        {"description": "Coffee beans", "quantity": 2, "unit_amount": "12500000", "tax_bps": 1_900},
        {"description": "Delivery", "unit_amount": "4900000", "tax_bps": 1_900},
    ]
    payer = {"name": "Ada Lovelace", "address": "12 St James's Square\nLondon"}
    content = ContentRequest(
        lines=lines, destination_chain=ARBITRUM, recipient=to, payer=payer, allow_parts=True
    )
    issued = invoices.create(world.services, world.caller, content, None)
    monthly = replace(content, title="Coffee of the month")
    added = subscriptions.create(
        world.services, world.caller, monthly, SubscriptionRequest(interval="month", lead_days=7)
    )
    wallet = new_wallet(shop, "Blue wallet", icon=ICON.format("royalblue"))
    invoice = f"{shop.url}/pay/i/{issued.invoice.name}?lang=en"
    with paying(browser, invoice, wallet, size=SIZE) as page:
        taken = [_look(page, ".top")]
        page.get_by_role("link", name="Pay ").click()
        page.locator("#amount").fill("20")
        page.get_by_role("button").last.click()
        page.locator(".wallet").click()
        page.locator(f'.held input[value="{BASE}:USDC"]').check()
        page.get_by_role("button", name="Continue to payment").click()
        expect_state(page, "ready")
        page.get_by_role("button", name="Pay ").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Paid")
        receipt = page.get_by_role("link", name="Receipt").get_attribute("href")
        page.goto(invoice)
        expect(page.locator(".stamp")).to_have_text("Partially paid")
        taken.append(_look(page, "table"))
        page.goto(f"{shop.url}/pay/s/{added.name}?lang=en")
        expect(page.locator(".hashes li")).to_have_count(1)
        taken.append(_look(page, ".top"))
        page.goto(f"{shop.url}{receipt}")
        return [*taken, _look(page, ".top")]


def _signing(browser: Browser, shop: LiveShop) -> list[bytes]:
    intent = shop.ask("signing")
    wallet = new_wallet(shop, "Blue wallet", icon=ICON.format("royalblue"))
    with paying(browser, shop.page(intent), wallet, size=SIZE) as page:
        page.locator(".wallet").click()
        expect_state(page, "signable")
        taken = [_look(page, ".warn")]
        page.get_by_role("button", name="Sign to pay ").click()
        expect_state(page, "signed")
        taken.append(_look(page, ".warn"))
        expect(page.get_by_role("heading", level=1)).to_have_text("Paid")
        return [*taken, _look(page, ".top")]


if __name__ == "__main__":
    main()
