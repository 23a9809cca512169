"""Paying with a wallet in the browser on the payer's page: EVM chains, on anvil."""

from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.live_shop import (
    ARBITRUM_ID,
    BASE_ID,
    LiveShop,
    expect_paid,
    expect_state,
    new_wallet,
    paying,
)
from tests.browser.payer_pages import expect_layout_and_accessibility
from tests.browser.wallets import REFUSED, UNKNOWN_CHAIN
from tests.chains.live import BASE


def test_a_wallet_pays_exactly_what_the_page_asks_for(chromium: Browser, shop: LiveShop) -> None:
    intent, wallet = shop.ask("exact"), new_wallet(shop, "Exact")
    with paying(chromium, shop.page(intent), wallet) as page:
        page.get_by_role("button", name="Exact").click()
        expect_state(page, "ready")
        expect(page.locator(".told")).to_contain_text("100")
        expect_layout_and_accessibility(page)
        page.get_by_role("button", name="Pay ").click()
        expect_paid(shop, page, intent)
        expect(page.locator("#wallet_pay")).to_have_count(0)
    [sent] = [params[0] for method, params in wallet.asked if method == "eth_sendTransaction"]
    assert sent["to"].lower() == intent.terms.token_in.lower()
    assert int(sent["data"][74:], 16) == intent.terms.deposit_amount
    assert sent["data"][34:74] == intent.address[2:].lower()
    left = shop.world.hands[BASE].balance(wallet.address)
    assert left == 100 * 10**6 - intent.terms.deposit_amount


def test_what_the_payer_refuses_can_be_asked_again(chromium: Browser, shop: LiveShop) -> None:
    intent, wallet = shop.ask("refused"), new_wallet(shop, "Refusing")
    wallet.errors = {"eth_requestAccounts": REFUSED, "eth_sendTransaction": REFUSED}
    with paying(chromium, shop.page(intent), wallet) as page:
        page.get_by_role("button", name="Refusing").click()
        expect_state(page, "rejected")
        del wallet.errors["eth_requestAccounts"]
        page.get_by_role("button", name="Try again").click()
        page.get_by_role("button", name="Pay ").click()
        expect_state(page, "rejected")
        expect(page.locator(".told")).to_contain_text("Nothing was sent")
        expect_layout_and_accessibility(page)
        assert wallet.times("eth_sendTransaction") == 1
        wallet.errors.clear()
        page.get_by_role("button", name="Try again").click()
        expect_paid(shop, page, intent)


NESTED = {"code": -32603, "data": {"originalError": UNKNOWN_CHAIN}}
IN_WORDS = {"code": -32603, "message": "Unrecognized chain ID. Try wallet_addEthereumChain first."}


@pytest.mark.parametrize("error", [UNKNOWN_CHAIN, NESTED, IN_WORDS], ids=["4902", "in it", "words"])
def test_a_wallet_on_another_chain_is_told_of_this_one(
    chromium: Browser, shop: LiveShop, error: dict[str, Any], request: pytest.FixtureRequest
) -> None:
    name = f"Elsewhere {request.node.callspec.id}"
    wallet = new_wallet(shop, name, chain=ARBITRUM_ID, unknown={BASE_ID}, unknown_error=error)
    intent = shop.ask(name)
    with paying(chromium, shop.page(intent), wallet) as page:
        page.get_by_role("button", name=wallet.name).click()
        expect_state(page, "elsewhere")
        assert wallet.times("wallet_switchEthereumChain") == 0
        page.get_by_role("button", name="Change to ").click()
        expect_state(page, "ready")
        assert (wallet.chain, wallet.times("wallet_addEthereumChain")) == (BASE_ID, 1)
        page.get_by_role("button", name="Pay ").click()
        expect_paid(shop, page, intent)


def test_a_wallet_that_only_says_it_has_switched_is_not_asked_to_pay(
    chromium: Browser, shop: LiveShop
) -> None:
    intent = shop.ask("lying")
    wallet = new_wallet(shop, "Lying", chain=ARBITRUM_ID, lies=True)
    with paying(chromium, shop.page(intent), wallet) as page:
        page.get_by_role("button", name="Lying").click()
        page.get_by_role("button", name="Change to ").click()
        expect_state(page, "wrong_chain")
        assert wallet.times("eth_sendTransaction") == 0


def test_too_small_a_balance_is_said_before_anything_is_sent(
    chromium: Browser, shop: LiveShop
) -> None:
    intent, wallet = shop.ask("poor"), new_wallet(shop, "Poor", dollars=3)
    with paying(chromium, shop.page(intent), wallet) as page:
        page.get_by_role("button", name="Poor").click()
        expect_state(page, "low")
        expect(page.locator(".told")).to_contain_text("You have \u20683\u00a0USDC")
        expect(page.get_by_role("button", name="Pay ")).to_have_count(0)
        shop.mint(wallet.address, 100)
        page.get_by_role("button", name="Try again").click()
        expect_state(page, "ready")


def test_a_wallet_without_coins_for_the_fee_says_so(chromium: Browser, shop: LiveShop) -> None:
    intent, wallet = shop.ask("no coins"), new_wallet(shop, "Coinless")
    shop.world.hands[BASE].rpc("anvil_setBalance", wallet.address, "0x0")
    with paying(chromium, shop.page(intent), wallet) as page:
        page.get_by_role("button", name="Coinless").click()
        page.get_by_role("button", name="Pay ").click()
        expect_state(page, "no_gas")
        expect(page.locator(".told")).to_contain_text("ETH")


def test_a_locked_wallet_is_asked_to_be_unlocked(chromium: Browser, shop: LiveShop) -> None:
    intent, wallet = shop.ask("locked"), new_wallet(shop, "Locked", locked=True)
    with paying(chromium, shop.page(intent), wallet) as page:
        page.get_by_role("button", name="Locked").click()
        expect_state(page, "locked")
        # Others never answer while they are locked.
        wallet.silent = {"eth_requestAccounts"}
        page.get_by_role("button", name="Try again").click()
        expect_state(page, "silent")
        wallet.silent, wallet.locked = set(), False
        page.get_by_role("button", name="Another wallet").click()
        page.get_by_role("button", name="Locked").click()
        expect_state(page, "ready")
        wallet.errors = {"eth_sendTransaction": {"code": -32002, "message": "pending"}}
        page.get_by_role("button", name="Pay ").click()
        expect_state(page, "busy")


def test_of_two_wallets_the_chosen_one_pays(chromium: Browser, shop: LiveShop) -> None:
    intent = shop.ask("two")
    hostile = "<img src=https://evil.example/x>"
    first = new_wallet(shop, hostile, icon="https://evil.example/icon.png")
    second = new_wallet(shop, "Second")
    with paying(chromium, shop.page(intent), first, second) as page:
        expect(page.locator(".wallet")).to_have_text(["<" + hostile, "Second"])
        expect(page.locator(".wallet img")).to_have_count(1)
        page.get_by_role("button", name="Second").click()
        page.get_by_role("button", name="Pay ").click()
        expect_paid(shop, page, intent)
    assert first.asked == []


def test_a_wallet_that_does_not_announce_itself_is_found_alone(
    chromium: Browser, shop: LiveShop
) -> None:
    intent, old = shop.ask("old"), new_wallet(shop, "Old", announced=False)
    with paying(chromium, shop.page(intent), old) as page:
        page.get_by_role("button", name="Wallet of this browser").click()
        expect_state(page, "ready")
    with paying(chromium, shop.page(intent), old, new_wallet(shop, "New")) as page:
        expect(page.locator(".wallet")).to_have_text(["New"])
        page.wait_for_timeout(500)
        expect(page.locator(".wallet")).to_have_text(["New"])


def test_coins_are_paid_as_coins_and_after_a_part_only_the_rest(
    chromium: Browser, shop: LiveShop
) -> None:
    coin = "0x" + 40 * "0"
    intent = shop.ask("coins", token_in=coin, amount_symbol="USDC")
    wallet, part = new_wallet(shop, "Coins"), 10**15
    shop.world.deposit(intent, part, coin)
    with paying(chromium, shop.page(intent), wallet) as page:
        expect(page.get_by_role("heading", level=1)).to_have_text("Partially paid")
        page.get_by_role("button", name="Coins").click()
        page.get_by_role("button", name="Pay ").click()
        expect_paid(shop, page, intent)
    [sent] = [params[0] for method, params in wallet.asked if method == "eth_sendTransaction"]
    assert sent["to"].lower() == intent.address.lower()
    assert int(sent["value"], 16) == intent.terms.deposit_amount - part
    assert "data" not in sent


def test_a_payment_is_possible_where_no_balance_can_be_read(
    chromium: Browser, shop: LiveShop
) -> None:
    intent, wallet = shop.ask("unread"), new_wallet(shop, "Unread")
    with paying(chromium, shop.page(intent), wallet, expected="status of 503") as page:
        page.route("**/balance*", lambda asked: asked.fulfill(status=503))
        page.get_by_role("button", name="Unread").click()
        expect_state(page, "unread")
        page.get_by_role("button", name="Pay ").click()
        expect_paid(shop, page, intent)
