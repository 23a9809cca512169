"""Paying by one signature on the payer's page, by a wallet in the browser without gas, on anvil."""

import json
from collections.abc import Iterator

import pytest
from eth_account import Account
from playwright.sync_api import Browser, expect

from crossway.adapters.chains.words import address_word, number_word
from crossway.domain.intent import Intent
from tests.browser.live_shop import (
    BASE_ID,
    LiveShop,
    expect_paid,
    expect_state,
    new_wallet,
    open_shop,
    paying,
)
from tests.browser.payer_pages import expect_layout_and_accessibility
from tests.browser.wallets import REFUSED, EvmWallet
from tests.chains.anvil import CATALOGUE, RELAYER, RICH_KEY, running
from tests.chains.live import ARBITRUM, BASE
from tests.chains.permit2 import PERMIT2, put_permit2
from tests.chains.signing import cancel_data

SIGN = "eth_signTypedData_v4"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveShop]:
    """A shop whose dollars on Base move by a signature."""
    with running(BASE, 1) as base, running(ARBITRUM, 1) as arbitrum:
        base.sign_dollars()
        hands = {BASE: base, ARBITRUM: arbitrum}
        with open_shop(tmp_path_factory.mktemp("signing"), hands) as opened:
            yield opened


def coinless(shop: LiveShop, name: str) -> EvmWallet:
    """A wallet with dollars and nothing to pay gas with."""
    wallet = new_wallet(shop, name)
    shop.world.hands[BASE].rpc("anvil_setBalance", wallet.address, "0x0")
    return wallet


def left_of(shop: LiveShop, wallet: EvmWallet) -> int:
    return int(shop.world.hands[BASE].balance(wallet.address))


def after(intent: Intent) -> int:
    """What is left of a wallet's dollars when it has paid this."""
    return 100 * 10**6 - intent.terms.deposit_amount


def test_a_payer_without_gas_signs_and_has_paid(chromium: Browser, shop: LiveShop) -> None:
    intent, wallet = shop.ask("signs"), coinless(shop, "Signing")
    with paying(chromium, shop.page(intent), wallet) as page:
        page.get_by_role("button", name="Signing").click()
        expect_state(page, "signable")
        expect(page.locator(".told")).to_contain_text("we pay the network fee")
        expect_layout_and_accessibility(page)
        page.get_by_role("button", name="Sign to pay ").click()
        expect_paid(shop, page, intent)
    assert wallet.times("eth_sendTransaction") == 0
    assert left_of(shop, wallet) == after(intent)


def test_who_refuses_to_sign_can_send_or_sign_again(chromium: Browser, shop: LiveShop) -> None:
    intent, wallet = shop.ask("refuses"), new_wallet(shop, "Refusing")
    wallet.errors = {SIGN: REFUSED}
    with paying(chromium, shop.page(intent), wallet) as page:
        page.get_by_role("button", name="Refusing").click()
        page.get_by_role("button", name="Sign to pay ").click()
        expect_state(page, "rejected")
        page.get_by_role("button", name="Try again").click()
        expect_state(page, "signable")
        page.get_by_role("button", name="Pay ", exact=False).last.click()
        expect_paid(shop, page, intent)
    assert (wallet.times(SIGN), wallet.times("eth_sendTransaction")) == (1, 1)


def test_a_signature_of_somebody_else_is_not_taken(chromium: Browser, shop: LiveShop) -> None:
    intent, wallet = shop.ask("wrong"), coinless(shop, "Wrong")
    wallet.results = {SIGN: "0x" + "11" * 64 + "1b"}
    coins = shop.world.hands[BASE].coins(RELAYER)
    with paying(chromium, shop.page(intent), wallet, expected="422") as page:
        page.get_by_role("button", name="Wrong").click()
        page.get_by_role("button", name="Sign to pay ").click()
        expect_state(page, "sign_wrong")
        wallet.results.clear()
        page.get_by_role("button", name="Try again").click()
        expect_state(page, "signable")
        assert shop.world.hands[BASE].coins(RELAYER) == coins
        page.get_by_role("button", name="Sign to pay ").click()
        expect_paid(shop, page, intent)


def test_a_page_that_is_loaded_again_goes_on_with_what_was_signed(
    chromium: Browser, shop: LiveShop
) -> None:
    intent, wallet = shop.ask("again"), coinless(shop, "Again")
    with shop.stopped(), paying(chromium, shop.page(intent), wallet) as page:
        page.get_by_role("button", name="Again").click()
        page.get_by_role("button", name="Sign to pay ").click()
        expect_state(page, "signed")
        page.reload()
        expect_state(page, "signed")
        expect_layout_and_accessibility(page)
        assert wallet.times(SIGN) == 1
        shop.world.hands[BASE].rpc("evm_setIntervalMining", 1)
        expect_paid(shop, page, intent)
    assert left_of(shop, wallet) == after(intent)


def test_a_second_window_follows_what_was_signed_in_the_first(
    chromium: Browser, shop: LiveShop
) -> None:
    intent, one, other = shop.ask("windows"), coinless(shop, "One"), new_wallet(shop, "Other")
    with paying(chromium, shop.page(intent), other) as second:
        second.get_by_role("button", name="Other").click()
        expect_state(second, "signable")
        with shop.stopped(), paying(chromium, shop.page(intent), one) as first:
            first.get_by_role("button", name="One").click()
            first.get_by_role("button", name="Sign to pay ").click()
            expect_state(first, "signed")
            second.get_by_role("button", name="Sign to pay ").click()
            expect_state(second, "signed")
            assert other.times(SIGN) == 0
        expect_paid(shop, second, intent)
    assert (left_of(shop, one), left_of(shop, other)) == (after(intent), 100 * 10**6)


def test_a_signature_that_was_cancelled_is_told_and_a_transaction_pays(
    chromium: Browser, shop: LiveShop
) -> None:
    intent, wallet = shop.ask("cancels"), new_wallet(shop, "Cancelling")
    with shop.stopped() as base, paying(chromium, shop.page(intent), wallet) as page:
        page.get_by_role("button", name="Cancelling").click()
        page.get_by_role("button", name="Sign to pay ").click()
        expect_state(page, "signed")
        [(_, content)] = [params for method, params in wallet.asked if method == SIGN]
        data = cancel_data(Account.from_key(wallet.key), json.loads(content))
        base.rpc("eth_sendRawTransaction", base.signed(base.token, data, 0, RICH_KEY, price=10**11))
        base.rpc("evm_setIntervalMining", 1)
        expect_state(page, "sign_used")
        expect_layout_and_accessibility(page)
        page.get_by_role("button", name="Start again").click()
        # It made our transaction fail, so no further signature is taken from this account today.
        expect_state(page, "ready")
        page.get_by_role("button", name="Pay ").click()
        expect_paid(shop, page, intent)
    assert left_of(shop, wallet) == after(intent)


def test_permit2_pays_where_it_was_approved_before_and_says_what_that_takes(
    chromium: Browser, shop: LiveShop
) -> None:
    """By DAI, which takes no signatures itself."""
    base, dai = shop.world.hands[BASE], CATALOGUE.tokens[BASE, "DAI"].address
    base.put_token(dai)
    put_permit2(base)
    intent, wallet = shop.ask("permit", token_in=dai), new_wallet(shop, "Permitting")
    words = address_word("evm", wallet.address), number_word(100 * 10**18)
    base.call_token(dai, "mint(address,uint256)", *words)
    with paying(chromium, shop.page(intent), wallet) as page:
        page.get_by_role("button", name="Permitting").click()
        expect_state(page, "approvable")
        expect(page.locator(".told")).to_contain_text("costs gas")
        expect_layout_and_accessibility(page)
        everything = address_word("evm", PERMIT2), number_word(2**256 - 1)
        base.call_token(dai, "approve(address,uint256)", *everything, key=wallet.key)
        base.rpc("anvil_setBalance", wallet.address, "0x0")
        page.reload()
        expect_state(page, "signable")
        page.get_by_role("button", name="Sign to pay ").click()
        expect_paid(shop, page, intent)
    left = base.balance(wallet.address, dai)
    assert left == 100 * 10**18 - intent.terms.deposit_amount


def test_a_page_does_not_ask_to_sign_what_it_does_not_show(
    chromium: Browser, shop: LiveShop
) -> None:
    """Somebody who answers in the service's place."""
    intent, wallet = shop.ask("forged"), coinless(shop, "Careful")
    with paying(chromium, shop.page(intent), wallet) as page:
        page.get_by_role("button", name="Careful").click()
        expect_state(page, "signable")
        answer = (
            '{"typed": {"primaryType": "TransferWithAuthorization", "types": {}, "domain": '
            f'{{"chainId": {BASE_ID}, "verifyingContract": "{intent.terms.token_in}"}}, "message": '
            f'{{"from": "{wallet.address}", "to": "{RELAYER}", "value": '
            f'"{intent.terms.deposit_amount}"}}}}}}'
        )
        page.route("**/sign*", lambda route: route.fulfill(body=answer))
        page.get_by_role("button", name="Sign to pay ").click()
        expect_state(page, "mismatch")
    assert wallet.times(SIGN) == 0
