"""Wallets that change, lie or replace what they sent, and pages that are loaded again."""

import re

import pytest
from playwright.sync_api import Browser, expect

from crossway.adapters.chains.words import address_word, number_word
from tests.browser.live_shop import (
    ARBITRUM_ID,
    BASE_ID,
    LiveShop,
    expect_paid,
    expect_state,
    new_wallet,
    paying,
)
from tests.chains.live import ARBITRUM, BASE
from tests.processes import wait_until


def test_another_account_or_chain_is_shown_before_anything_is_sent(
    chromium: Browser, shop: LiveShop
) -> None:
    intent, wallet = shop.ask("changing"), new_wallet(shop, "Changing")
    first, other = wallet.address, new_wallet(shop, "Changing again", dollars=77)
    with paying(chromium, shop.page(intent), wallet) as page:
        page.get_by_role("button", name="Changing").click()
        expect_state(page, "ready")
        # One that does not tell.
        wallet.key = other.key
        page.get_by_role("button", name="Pay ").click()
        expect_state(page, "changed")
        expect(page.locator(".wallets")).to_contain_text(other.address[:8])
        expect(page.locator(".wallets")).not_to_contain_text(first[:8])
        wallet.chain = ARBITRUM_ID
        page.get_by_role("button", name="Pay ").click()
        expect_state(page, "elsewhere")
        assert wallet.times("eth_sendTransaction") == 0
        # One that tells.
        wallet.chain, wallet.key = BASE_ID, new_wallet(shop, "Changing back").key
        page.evaluate("window.standIns.Changing.emit('chainChanged', '0x2105')")
        expect_state(page, "changed")
        expect(page.locator(".wallets")).to_contain_text(wallet.address[:8])
        page.get_by_role("button", name="Pay ").click()
        expect_paid(shop, page, intent)


def test_a_page_that_was_changed_sends_nothing(chromium: Browser, shop: LiveShop) -> None:
    intent, wallet = shop.ask("page"), new_wallet(shop, "Page")
    with paying(chromium, shop.page(intent), wallet) as page:
        page.get_by_role("button", name="Page").click()
        expect_state(page, "ready")
        page.evaluate("document.querySelector('.address').textContent = '0x' + '1'.repeat(40)")
        page.get_by_role("button", name="Pay ").click()
        expect_state(page, "mismatch")
    assert wallet.times("eth_sendTransaction") == 0


def test_what_a_wallet_says_pays_nothing(chromium: Browser, shop: LiveShop) -> None:
    intent, wallet = shop.ask("false"), new_wallet(shop, "False")
    name, before = "0x" + 64 * "a", shop.world.hands[BASE].height
    wallet.results = {"eth_sendTransaction": name, "eth_getTransactionReceipt": {"status": "0x1"}}
    with paying(chromium, shop.page(intent), wallet) as page:
        page.get_by_role("button", name="False").click()
        page.get_by_role("button", name="Pay ").click()
        expect_state(page, "included")
        base = shop.world.hands[BASE]
        wait_until("blocks pass", lambda: (page.title(), base.height > before + 5)[1])
        expect(page.get_by_role("heading", level=1)).to_have_text("Waiting for your payment")
        assert shop.world.now(intent).received_amount == 0
    wallet.results = {"eth_sendTransaction": "<img src=x onerror=alert(1)>"}
    with paying(chromium, shop.page(intent), wallet) as page:
        page.get_by_role("button", name="False").click()
        page.get_by_role("button", name="Pay ").click()
        expect_state(page, "sent")
        expect(page.locator("#wallet_pay")).not_to_contain_text("img")


def test_a_wallet_that_lies_about_its_chain_pays_nothing(chromium: Browser, shop: LiveShop) -> None:
    intent = shop.ask("pretending")
    wallet = new_wallet(shop, "Pretending", chain=ARBITRUM_ID, pretends=BASE_ID)
    with paying(chromium, shop.page(intent), wallet) as page:
        page.get_by_role("button", name="Pretending").click()
        page.get_by_role("button", name="Pay ").click()
        # There is no such contract, so that a transfer to it moves nothing.
        expect_state(page, "included")
        arbitrum = shop.world.hands[ARBITRUM]
        before = arbitrum.height
        wait_until("blocks pass", lambda: (page.title(), arbitrum.height > before + 5)[1])
        expect(page.get_by_role("heading", level=1)).to_have_text("Waiting for your payment")
    assert shop.world.now(intent).received_amount == 0
    assert arbitrum.balance(wallet.address) == 100 * 10**6


def test_a_page_that_is_loaded_again_does_not_ask_again(chromium: Browser, shop: LiveShop) -> None:
    intent, wallet = shop.ask("again"), new_wallet(shop, "Again")
    with paying(chromium, shop.page(intent), wallet) as page, shop.stopped() as base:
        page.get_by_role("button", name="Again").click()
        page.get_by_role("button", name="Pay ").click()
        expect_state(page, "sent")
        page.goto(shop.page(intent, "fr"))
        expect_state(page, "sent")
        expect(page.locator("#wallet_pay button")).to_have_count(0)
        link = page.locator("#wallet_pay a")
        there = re.compile(r"^https://basescan\.org/tx/0x[0-9a-f]{64}$")
        expect(link).to_have_attribute("href", there)
        base.rpc("evm_setIntervalMining", 1)
        expect(page.get_by_role("heading", level=1)).to_have_text("Payé")


@pytest.mark.parametrize("cancelled", [True, False], ids=["cancelled", "sped up"])
def test_a_replaced_transaction_is_said_and_one_that_was_sped_up_pays(
    chromium: Browser, shop: LiveShop, cancelled: bool
) -> None:
    name = f"Replacing{cancelled}"
    intent, wallet = shop.ask(name), new_wallet(shop, name)
    with paying(chromium, shop.page(intent), wallet) as page, shop.stopped() as base:
        page.get_by_role("button", name=name).click()
        page.get_by_role("button", name="Pay ").click()
        expect_state(page, "sent")
        looked = "eth_getTransactionByHash"
        wait_until("it is looked at", lambda: (page.title(), wallet.times(looked) > 1)[1])
        [sent] = [asked[0] for method, asked in wallet.asked if method == "eth_sendTransaction"]
        to = wallet.address if cancelled else sent["to"]
        data = b"" if cancelled else bytes.fromhex(sent["data"][2:])
        faster = base.signed(to, data, 0, wallet.key, price=10**11, nonce=0)
        base.rpc("eth_sendRawTransaction", faster)
        base.rpc("evm_setIntervalMining", 1)
        if cancelled:
            expect_state(page, "replaced")
            page.get_by_role("button", name="Start again").click()
            page.get_by_role("button", name="Pay ").click()
        expect_paid(shop, page, intent)


def test_a_transaction_that_fails_can_be_sent_again(chromium: Browser, shop: LiveShop) -> None:
    intent, wallet = shop.ask("failing"), new_wallet(shop, "Failing")
    with paying(chromium, shop.page(intent), wallet) as page:
        page.get_by_role("button", name="Failing").click()
        expect_state(page, "ready")
        # Spent elsewhere meanwhile.
        base = shop.world.hands[BASE]
        words = address_word("evm", base.wallet("elsewhere")), number_word(90 * 10**6)
        base.call_token(base.token, "transfer(address,uint256)", *words, key=wallet.key)
        page.get_by_role("button", name="Pay ").click()
        expect_state(page, "reverted")
        shop.mint(wallet.address, 90)
        page.get_by_role("button", name="Start again").click()
        page.get_by_role("button", name="Pay ").click()
        expect_paid(shop, page, intent)


def test_what_never_arrives_can_be_sent_again_after_a_while(
    chromium: Browser, shop: LiveShop
) -> None:
    intent, wallet = shop.ask("lost"), new_wallet(shop, "Losing")
    wallet.results = {"eth_sendTransaction": "0x" + 64 * "b"}
    with paying(chromium, shop.page(intent), wallet) as page:
        page.clock.install()
        page.get_by_role("button", name="Losing").click()
        page.get_by_role("button", name="Pay ").click()
        expect_state(page, "sent")
        expect(page.locator("#wallet_pay button")).to_have_count(0)
        page.clock.fast_forward(125_000)
        expect_state(page, "unseen")
        page.get_by_role("button", name="Start again").focus()
        looks = wallet.times("eth_getTransactionReceipt")
        wait_until(
            "it is looked at again",
            lambda: (page.clock.run_for(500), wallet.times("eth_getTransactionReceipt") > looks)[1],
        )
        # A keyboard stays where it is.
        expect(page.get_by_role("button", name="Start again")).to_be_focused()
        wallet.results.clear()
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Pay ").click()
        expect_paid(shop, page, intent)
