"""Paying with a wallet in the browser on the payer's page: EVM chains, on anvil."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.words import address_word, number_word
from crossway.domain.intent import Intent
from tests.browser.conftest import new_browser_context
from tests.browser.live_shop import LiveShop, open_shop
from tests.browser.payer_pages import expect_layout_and_accessibility
from tests.browser.wallets import EvmWallet, install
from tests.chains import anvil
from tests.chains.anvil import CATALOGUE, Anvil
from tests.chains.live import ARBITRUM, BASE

BASE_ID, ARBITRUM_ID = (int(CATALOGUE.chains[chain].chain_id) for chain in (BASE, ARBITRUM))


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveShop]:
    with anvil.running(BASE, 1) as base, anvil.running(ARBITRUM, 1) as arbitrum:
        folder = tmp_path_factory.mktemp("shop")
        with open_shop(folder, {BASE: base, ARBITRUM: arbitrum}) as opened:
            yield opened


def new_wallet(shop: LiveShop, name: str, dollars: int = 100, **more: Any) -> EvmWallet:
    """A wallet with a key of its own that is on Base, with dollars and coins there."""
    hands = shop.world.hands
    chains: dict[int, Anvil] = {BASE_ID: hands[BASE], ARBITRUM_ID: hands[ARBITRUM]}
    wallet = EvmWallet(name, "0x" + keccak256(name.encode()).hex(), chains, BASE_ID)
    for name_of, value in more.items():
        setattr(wallet, name_of, value)
    for chain in chains.values():
        chain.rpc("anvil_setBalance", wallet.address, hex(10**18))
        words = address_word("evm", wallet.address), number_word(dollars * 10**6)
        chain.call_token(chain.token, "mint(address,uint256)", *words)
    return wallet


@contextmanager
def paying(chromium: Browser, url: str, *wallets: EvmWallet, **more: Any) -> Iterator[Page]:
    """A page with wallets, which asks no other host for anything and reports no error."""
    context = new_browser_context(chromium, **({"locale": "en-GB"} | more))
    install(context, *wallets)
    page, wrong = context.new_page(), list[str]()
    home = url.partition("/pay")[0]
    page.on("request", lambda asked: wrong.append(asked.url) if home not in asked.url else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda line: wrong.append(line.text) if line.type == "error" else None)
    page.goto(url)
    yield page
    assert wrong == []
    context.close()


def expect_state(page: Page, state: str) -> None:
    expect(page.locator(f".wallets[data-state={state}]")).to_be_visible()


def expect_paid(shop: LiveShop, page: Page, intent: Intent) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text("Paid")
    terms = intent.terms
    paid = shop.world.hands[terms.destination_chain].balance(terms.recipient)
    assert paid == terms.payout_amount


def test_a_wallet_pays_exactly_what_the_page_asks_for(chromium: Browser, shop: LiveShop) -> None:
    intent, wallet = shop.ask("exact", BASE, ARBITRUM), new_wallet(shop, "Exact")
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
