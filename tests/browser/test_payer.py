"""The payer's page in a browser: on a phone, in Arabic, on two devices, in a frame, without
JavaScript; axe finds nothing."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Error, Page, expect
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route

from crossway import bootstrap
from crossway.api.rate_limits import IpRateLimiter
from crossway.domain.clients import Mode, Principal, Scope
from crossway.domain.intent import Intent
from crossway.domain.payment_links import PaymentLink
from crossway.domain.roles import Role
from crossway.payer.app import create_pages
from crossway.ports.services import Services
from crossway.settings import Settings
from crossway.usecases.billing import subscriptions
from crossway.usecases.billing.invoice_fields import ContentRequest
from crossway.usecases.billing.subscriptions import SubscriptionRequest
from crossway.usecases.developers import clients
from crossway.usecases.payers import branding, links
from crossway.usecases.payers.link_fields import LinkRequest
from crossway.usecases.payments import checkout_urls
from crossway.usecases.payments.create_intent import create_intent
from crossway.usecases.payments.intent_request import CreateIntentRequest
from crossway.usecases.simulator import chain_controls
from tests.browser.conftest import Site, read_qr_codes, serving
from tests.browser.payer_pages import expect_layout_and_accessibility, phone_browser
from tests.ports import free_port
from tests.processes import PATIENCE_SECONDS, wait_until

BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
COUNT_LINES = """element => {
  const range = document.createRange()
  range.selectNodeContents(element)
  return new Set([...range.getClientRects()].map(part => part.top)).size
}"""


@dataclass
class Shop:
    """A merchant with payer pages; also plays the payer's wallet."""

    services: Services
    caller: Principal
    url: str

    def address(self, chain: str, name: str) -> str:
        return self.services.chains[chain].deposit_address(f"wallet {name}")

    def link(self) -> PaymentLink:
        request = LinkRequest(
            title="Coffee beans",
            destination_chain=ARBITRUM,
            recipient=self.address(ARBITRUM, "shop"),
            reference="A-1001",
        )
        return links.create(self.services, self.caller, request)

    def intent(self) -> Intent:
        token = self.services.catalogue.tokens[BASE, "USDC"].address
        request = CreateIntentRequest(
            amount="25000000",
            token_in=token,
            source_chain=BASE,
            destination_chain=ARBITRUM,
            recipient=self.address(ARBITRUM, "shop"),
            refund_address=self.address(BASE, "payer"),
        )
        return create_intent(self.services, self.caller, request)

    def page(self, intent: Intent) -> str:
        return checkout_urls.checkout_url(self.services, self.url, intent.id)

    def deposit(self, address: str, amount: str = "exact") -> None:
        chain_controls.send_deposit(self.services, self.caller, address, amount)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    """The payer pages with an engine, as `crossway api` serves them."""
    folder, port = tmp_path_factory.mktemp("shop"), free_port()
    settings: Any = {"data_dir": folder, "database_url": f"sqlite:///{folder / 'shop.db'}"}
    service = bootstrap.build(Settings(_env_file=None, **settings))
    services = service.services
    known_clients = clients.list_clients(services)
    operator = (
        Principal(known_clients[0], Mode.TEST, frozenset(Scope), role=Role.ADMIN)
        if known_clients
        else None
    )
    if operator is None:
        bare = clients.new_client(services, "Corner shop")
        services.store.write(lambda unit: unit.api_keys.add_client(bare))
        operator = Principal(bare, Mode.TEST, frozenset(Scope), role=Role.ADMIN)
    branding.update_branding(
        services, operator, operator.client.id, None, [f"http://localhost:{port}"]
    )
    mine = Principal(operator.client, Mode.TEST, frozenset(Scope))
    app = Starlette(
        routes=[Mount("/pay", create_pages(IpRateLimiter(), services)), Route("/shop", _shop_page)]
    )
    service.run_engine()
    with serving(app, port) as url:
        yield Shop(services, mine, url)
    service.close()


async def _shop_page(request: Request) -> Response:
    """A merchant's page that embeds the payer's page, and notes what it is told."""
    inside = request.query_params["inside"]
    script = inside.partition("/pay/")[0] + "/pay/embed.js"
    return HTMLResponse(
        f"<div id=place></div><script src='{script}'></script><script>"
        "window.told = []; addEventListener('message', () => { window.heard = true });"
        f"const checkout = crossway.embed('#place', '{inside}');"
        "for (const name of ['ready', 'change', 'paid', 'ended'])"
        "  checkout.addEventListener(name, e => told.push([name, e.detail.state]))</script>"
    )


def expect_amounts_on_one_line(page: Page) -> None:
    """Check that no amount of a token that can be chosen breaks inside its number or symbol."""
    amounts = page.locator(".choice bdi:visible")
    assert amounts.count() > 4
    for amount in amounts.all():
        assert amount.evaluate(COUNT_LINES) == 1, amount.inner_text()


def scan_qr_code(page: Page) -> str:
    """The text of the page's QR code."""
    code = page.locator(".pay .qr")

    def read() -> list[str]:
        try:
            code.scroll_into_view_if_needed()
            return read_qr_codes(code.screenshot())
        except Error:
            return []  # The page was drawn anew meanwhile.

    [text] = wait_until("the code is read", read)
    return text


def expect_receipt(page: Page) -> None:
    """Check the receipt behind the page's link, on the screen and on paper, and come back."""
    page.get_by_role("link", name="Show the receipt").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Receipt")
    expect_layout_and_accessibility(page)
    # Both deposits and the payment to the merchant.
    assert page.locator(".hashes li").count() == 3
    page.emulate_media(media="print")
    for hidden in (".tools", "footer", ".lang"):
        expect(page.locator(hidden).first).to_be_hidden()
    page.emulate_media(media="screen")
    page.get_by_role("link", name="Back to the payment").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Paid")


def test_a_payment_on_a_phone_from_a_payment_link_to_its_receipt(
    chromium: Browser, shop: Shop
) -> None:
    url = f"{shop.url}/pay/l/{shop.link().id}"
    with phone_browser(chromium, url) as (page, wrong):
        page.get_by_label("Amount in USDC").fill("25,50")
        expect_layout_and_accessibility(page)
        page.get_by_role("button", name="Continue").click()
        page.locator("summary", has_text="Base").click()
        expect_amounts_on_one_line(page)
        page.locator('input[value="BASE_MAINNET:USDC"]').check()
        page.get_by_label("Your refund address").fill(shop.address("SOLANA_MAINNET", "payer"))
        page.get_by_role("button", name="Continue to payment").click()
        expect(page.get_by_role("alert")).to_contain_text("not a valid address on that network")
        expect_layout_and_accessibility(page)
        page.get_by_label("Your refund address").fill(shop.address(BASE, "payer"))
        page.get_by_role("button", name="Continue to payment").dblclick()
        expect(page.get_by_role("heading", level=1)).to_have_text("Waiting for your payment")
        expect_layout_and_accessibility(page)
        address = page.locator("#copy_address").get_attribute("data-copy") or ""
        bare = page.locator("#copy_amount").get_attribute("data-copy") or ""
        assert f"address={address}" in scan_qr_code(page)
        assert page.locator("#wallet").get_attribute("href") == scan_qr_code(page)
        assert page.locator("[data-left]").inner_text().startswith(("59:", "1:00:"))
        page.locator("#copy_amount").focus()
        shop.deposit(address, "10000000")
        heading = page.get_by_role("heading", level=1)
        expect(heading).to_have_text("Partially paid")
        assert page.evaluate("document.activeElement.id") == "copy_amount"
        expect(page.get_by_role("status")).to_have_text("Partially paid")
        left = round((float(bare) - 10) * 1_000_000)
        assert f"uint256={left}" in scan_qr_code(page)
        shop.deposit(address, str(left))
        expect(heading).to_have_text("Paid")
        # Two deposits, the send over the bridge, and the payment.
        assert page.locator(".transactions li").count() == 4
        expect_receipt(page)
        expect(page.get_by_text("A-1001").first).to_be_visible()
        expect_layout_and_accessibility(page)
        assert wrong == []


def test_arabic_runs_from_right_to_left_and_resumes_on_another_device(
    chromium: Browser, shop: Shop
) -> None:
    intent = shop.intent()
    facts = {"size": (320, 700), "color_scheme": "dark", "locale": "ar"}
    with phone_browser(chromium, shop.page(intent), **facts) as (page, wrong):
        assert page.evaluate("getComputedStyle(document.body).direction") == "rtl"
        address, button = page.locator(".address"), page.locator("#copy_address")
        assert address.inner_text() == intent.address
        [text, copy] = [part.bounding_box() for part in (address, button)]
        assert text is not None
        assert copy is not None
        assert copy["x"] < text["x"]
        expect_layout_and_accessibility(page)
        phone = page.locator("#phone")
        phone.locator("summary").click()
        [code] = read_qr_codes(phone.screenshot())
        with phone_browser(chromium, code) as (other, elsewhere):
            heading = other.get_by_role("heading", level=1)
            expect(heading).to_have_text("Waiting for your payment")
            shop.deposit(intent.address)
            expect(heading).to_have_text("Paid")
            expect(page.get_by_role("heading", level=1)).to_have_text("تم الدفع")
            assert wrong == elsewhere == []


def test_an_allowed_shop_embeds_the_page_and_hears_of_a_test_payment(
    chromium: Browser, shop: Shop
) -> None:
    inside = shop.page(shop.intent())
    named = shop.url.replace("127.0.0.1", "localhost")
    with phone_browser(chromium, f"{named}/shop?inside={inside}") as (page, _):
        frame = page.frame_locator("iframe")
        heading = frame.get_by_role("heading", level=1)
        expect(heading).to_have_text("Waiting for your payment")
        page.wait_for_function("() => document.querySelector('iframe').clientHeight > 400")
        # What others say in its name is not passed on.
        forged = "{source: 'crossway', state: 'completed', ended: true, height: 1}"
        page.evaluate(f"postMessage({forged}, '*')")
        expect(frame.locator(".details")).to_have_count(0)
        frame.get_by_role("button", name="Send too little").click()
        expect(heading).to_have_text("Partially paid")
        frame.get_by_role("button", name="Send the exact amount").click()
        expect(heading).to_have_text("Paid")
        page.wait_for_function("() => told.some(([name]) => name === 'ended')")
        told = page.evaluate("told")
        assert told[:2] == [["ready", "waiting"], ["change", "waiting"]]
        assert ["change", "short"] in told
        assert told[-3:] == [["change", "completed"], ["paid", "completed"], ["ended", "completed"]]
        assert page.evaluate("document.querySelector('iframe').clientHeight") > 300


def test_another_site_neither_shows_the_page_nor_hears_of_it(chromium: Browser, shop: Shop) -> None:
    inside = shop.page(shop.intent()).replace("127.0.0.1", "localhost")
    refused: list[str] = []
    with phone_browser(chromium, "about:blank") as (page, _):
        page.on("console", lambda line: refused.append(line.text))
        page.goto(f"{shop.url}/shop?inside={inside}")
        wait_until("the frame is refused", lambda: any("frame-ancestors" in r for r in refused))
        assert page.frame_locator("iframe").get_by_role("heading", level=1).count() == 0
        assert page.evaluate("[window.told.length, window.heard]") == [0, None]


def test_a_payment_works_and_prints_without_javascript(chromium: Browser, shop: Shop) -> None:
    url = f"{shop.url}/pay/l/{shop.link().id}?amount=12&lang=es"
    with phone_browser(chromium, url, java_script_enabled=False) as (page, wrong):
        # The cheapest one, which is chosen at first.
        chain = str(page.locator("input[name=method]:checked").input_value()).partition(":")[0]
        page.get_by_label("Su dirección de reembolso").fill(shop.address(chain, "payer"))
        page.get_by_role("button", name="Continuar al pago").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Esperando su pago")
        assert page.locator(".amount").inner_text().startswith("12,")
        address = page.locator(".address").inner_text()
        assert address.lower() in scan_qr_code(page).lower()
        shop.deposit(address)
        for _ in range(90):
            page.reload()
            if page.get_by_role("heading", level=1).inner_text() == "Pagado":
                break
            page.wait_for_timeout(1_000)
        expect(page.get_by_role("heading", level=1)).to_have_text("Pagado")
        assert wrong == []
    with phone_browser(chromium, shop.page(shop.intent())) as (page, _):
        page.emulate_media(media="print")
        for shown in (".amount", ".address", ".qr", ".until", ".simulated"):
            expect(page.locator(shown).first).to_be_visible()
        for hidden in (".tools", ".copy", "footer", ".lang", ".wrong", ".try"):
            expect(page.locator(hidden).first).to_be_hidden()


def test_a_page_that_cannot_be_updated_says_so_and_catches_up(
    chromium: Browser, shop: Shop
) -> None:
    intent = shop.intent()
    with phone_browser(chromium, f"{shop.page(intent)}?lang=fr") as (page, _):
        heading, notice = page.get_by_role("heading", level=1), page.get_by_role("alert")
        expect(notice).to_have_count(0)
        page.context.set_offline(True)
        expect(notice).to_have_text(re.compile(r"actualisée depuis \d\d:\d\d:\d\d"))
        expect_layout_and_accessibility(page)
        shop.deposit(intent.address)
        page.context.set_offline(False)
        expect(notice).to_have_count(0)
        expect(heading).to_have_text("Payé")


def test_an_invoice_is_read_paid_and_printed_on_a_phone(chromium: Browser, shop: Shop) -> None:
    lines = [{"description": "Hosting", "unit_amount": "12000000", "tax_bps": 1_900}]
    content = ContentRequest(
        lines=lines, destination_chain=ARBITRUM, recipient=shop.address(ARBITRUM, "shop")
    )
    monthly = SubscriptionRequest(interval="month")
    made = subscriptions.create(shop.services, shop.caller, content, monthly)
    facts = {"size": (320, 700), "locale": "ar", "color_scheme": "dark"}
    with phone_browser(chromium, f"{shop.url}/pay/s/{made.name}", **facts) as (page, wrong):
        # The page learns by itself of the first invoice.
        expect(page.locator(".hashes li")).to_have_count(1, timeout=PATIENCE_SECONDS * 1_000)
        expect_layout_and_accessibility(page)
        page.locator(".hashes a").click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("TEST-INV-")
        expect_layout_and_accessibility(page)
        page.emulate_media(media="print")
        expect(page.locator("table")).to_be_visible()
        for hidden in (".tools .button", "footer", ".lang"):
            expect(page.locator(hidden).first).to_be_hidden()
        page.emulate_media(media="screen")
        with page.expect_download() as download:
            page.get_by_role("link", name="أضف إلى تقويمك").click()
        assert download.value.suggested_filename == "due.ics"
        page.get_by_role("link", name=re.compile("ادفع")).click()
        expect(page.locator("#refund")).to_be_visible()
        assert wrong == []


def test_a_page_stays_below_its_size_limit(shop: Shop) -> None:
    with httpx.Client(headers={"accept-encoding": "gzip"}) as http:
        page = http.get(shop.page(shop.intent()))
        weight = int(page.headers["content-length"])
        for name in ("pay.css", "pay.js"):
            weight += int(http.get(f"{shop.url}/pay/assets/{name}").headers["content-length"])
    assert weight < 20_000


def test_the_single_process_also_serves_payer_pages(site: Site) -> None:
    answer = httpx.get(f"{site.url}/pay/nothing", headers={"accept-language": "fr"})
    assert answer.status_code == 404
    assert "Page introuvable" in answer.text
