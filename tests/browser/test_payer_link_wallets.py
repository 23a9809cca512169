"""Payment links in a browser with wallets: the payer picks among what they hold, and pays it."""

import re

from playwright.sync_api import Browser, Page, expect

from tests.browser.live_shop import LiveShop, expect_state, new_wallet, paying
from tests.browser.payer_pages import expect_layout_and_accessibility
from tests.browser.wallets import REFUSED, EvmWallet
from tests.chains.live import ARBITRUM, BASE


def held_options(page: Page) -> list[str]:
    """The values of the ways to pay that the wallet covers, once they are listed."""
    expect(page.locator(".held")).to_be_visible()
    return [str(one.get_attribute("value")) for one in page.locator(".held input").all()]


def choose(page: Page, wallet: EvmWallet) -> None:
    page.get_by_role("button", name=wallet.name).click()


def test_a_payer_picks_what_they_hold_and_pays_it_in_two_clicks_more(
    chromium: Browser, shop: LiveShop
) -> None:
    link, wallet = shop.link(ARBITRUM, amount="25000000"), new_wallet(shop, "Picking")
    with paying(chromium, f"{shop.url}/pay/l/{link.id}?lang=en", wallet) as page:
        expect_layout_and_accessibility(page)
        wallet.errors = {"eth_requestAccounts": REFUSED}
        choose(page, wallet)
        expect(page.get_by_role("status")).to_contain_text("You refused it")
        wallet.errors.clear()
        choose(page, wallet)
        options = held_options(page)
        # Coins are cheaper or dearer by what they may lose until they are sold.
        assert {f"{BASE}:USDC", f"{ARBITRUM}:USDC"} <= set(options)
        expect(page.get_by_role("status")).to_contain_text(f"{len(options)} ways to pay")
        costs = page.locator(".held .hint").all_inner_texts()
        assert all("in fees" in cost and "you have" in cost for cost in costs)
        fees = [float(re.findall(r"\$([0-9.]+)", cost)[0]) for cost in costs]
        assert fees == sorted(fees)
        expect(page.locator(".held input").first).to_be_checked()
        expect_layout_and_accessibility(page)
        page.locator(f'.held input[value="{BASE}:USDC"]').check()
        expect(page.get_by_label("Your refund address")).to_have_value(wallet.address)
        page.get_by_role("button", name="Continue to payment").click()
        # The wallet is still connected: one click pays.
        page.get_by_role("button", name="Pay ").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Paid")
    assert wallet.times("eth_requestAccounts") == 2
    uses = shop.uses(link)
    assert [one.terms.refund_address for one in uses] == [wallet.address]
    assert (uses[0].terms.source_chain, uses[0].terms.token_in) == (
        BASE,
        shop.world.hands[BASE].token,
    )
    assert shop.world.hands[BASE].balance(wallet.address) == 10**8 - uses[0].terms.deposit_amount


def test_a_wallet_with_nothing_leaves_the_page_as_it_was(chromium: Browser, shop: LiveShop) -> None:
    link, wallet = shop.link(ARBITRUM, amount="25000000"), new_wallet(shop, "Empty", dollars=1)
    for chain in (BASE, ARBITRUM):
        shop.world.hands[chain].rpc("anvil_setBalance", wallet.address, "0x0")
    facts = {"size": (320, 700), "color_scheme": "dark"}
    url = f"{shop.url}/pay/l/{link.id}?lang=ar"
    with paying(chromium, url, wallet, **facts) as page:
        chosen = page.locator("input[name=method]:checked").get_attribute("value")
        choose(page, wallet)
        assert held_options(page) == []
        expect(page.locator(".told")).to_contain_text("لا تكفي")
        expect(page.locator("input[name=method]:checked")).to_have_attribute("value", chosen or "")
        expect(page.locator("#refund")).to_have_value("")
        expect_layout_and_accessibility(page)


def test_an_address_that_the_payer_has_written_is_kept(chromium: Browser, shop: LiveShop) -> None:
    link, wallet = shop.link(ARBITRUM, amount="25000000"), new_wallet(shop, "Writing")
    mine = shop.world.hands[BASE].wallet("a cold wallet")
    with paying(chromium, f"{shop.url}/pay/l/{link.id}?lang=en", wallet) as page:
        page.get_by_label("Your refund address").fill(mine)
        choose(page, wallet)
        expect(page.locator(".held input").first).to_be_checked()
        expect(page.get_by_label("Your refund address")).to_have_value(mine)
        page.get_by_role("button", name="Continue to payment").click()
        # The cheapest way is on the chain that the payment goes to, where this wallet is not.
        expect_state(page, "elsewhere")
        expect(page.locator("dd", has_text=mine)).to_be_visible()
