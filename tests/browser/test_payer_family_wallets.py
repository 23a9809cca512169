"""Paying with a wallet of Solana, Tron or Starknet on the payer's page, on stand-ins of them."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from crossway.domain.intent import Intent
from tests.browser.family_wallets import FamilyWallet, SolanaWallet, StarknetWallet, TronWallet
from tests.browser.live_shop import LiveShop, expect_state, open_shop, paying
from tests.chains import families
from tests.chains.anvil import CATALOGUE
from tests.chains.families import EVM, SOLANA, STARKNET, TRON
from tests.processes import wait_until

KINDS: dict[str, type[FamilyWallet]] = {
    SOLANA: SolanaWallet,
    TRON: TronWallet,
    STARKNET: StarknetWallet,
}
NAMES = {SOLANA: "solana:mainnet", TRON: "0x2b6653dc", STARKNET: "0x534e5f4d41494e"}
OTHERS = {SOLANA: "solana:devnet", TRON: "0xcd8690dc", STARKNET: "0x534e5f5345504f4c4941"}
each_family = pytest.mark.parametrize("chain", KINDS)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveShop]:
    folder = tmp_path_factory.mktemp("families")
    with families.all_running() as hands, open_shop(folder, hands) as opened:
        yield opened


def new_wallet(shop: LiveShop, chain: str, name: str, dollars: int = 100) -> Any:
    """A wallet on a chain, with dollars there."""
    if chain not in shop.world.hands:
        pytest.skip(f"{chain} does not run on this machine")
    wallet = KINDS[chain](shop.world.hands[chain], name, NAMES[chain])
    wallet.fund(dollars * 10**6)
    return wallet


def expect_paid(shop: LiveShop, page: Page, intent: Intent) -> None:
    """Check that the payment ends well, while every chain makes blocks."""
    heading = page.get_by_role("heading", level=1)

    def is_paid() -> bool:
        for hands in shop.world.hands.values():
            hands.mine()
        return heading.inner_text() == "Paid"

    wait_until("it is paid", is_paid)
    terms = intent.terms
    assert shop.world.hands[EVM].balance(terms.recipient) == terms.payout_amount


@each_family
def test_a_wallet_pays_exactly_what_is_asked(chromium: Browser, shop: LiveShop, chain: str) -> None:
    wallet = new_wallet(shop, chain, "Exact")
    intent = shop.ask(f"exact {chain}", chain, EVM)
    question, error = wallet.declined
    wallet.errors = {question: error}
    with paying(chromium, shop.page(intent), wallet) as page:
        page.get_by_role("button", name="Exact").click()
        expect_state(page, "ready")
        page.get_by_role("button", name="Pay ").click()
        expect_state(page, "rejected")
        wallet.errors.clear()
        page.get_by_role("button", name="Try again").click()
        expect_state(page, "sent")
        explorer = CATALOGUE.chains[chain].explorer_tx.partition("{tx}")[0]
        assert str(page.locator("#wallet_pay a").get_attribute("href")).startswith(explorer)
        expect_paid(shop, page, intent)
    left = wallet.hands.balance(wallet.address)
    assert left == 100 * 10**6 - intent.terms.deposit_amount


@pytest.mark.parametrize(("chain", "symbol"), [(SOLANA, "SOL"), (TRON, "TRON")])
def test_native_coins_are_paid_as_coins(
    chromium: Browser, shop: LiveShop, chain: str, symbol: str
) -> None:
    wallet, coin = new_wallet(shop, chain, f"Coins of {symbol}"), CATALOGUE.tokens[chain, symbol]
    intent = shop.ask(f"coins {chain}", chain, EVM, token_in=coin.address)
    with paying(chromium, shop.page(intent), wallet) as page:
        page.get_by_role("button", name="Coins").click()
        page.get_by_role("button", name="Pay ").click()
        expect_paid(shop, page, intent)
    assert wallet.hands.balance(wallet.address) == 100 * 10**6


@each_family
def test_a_locked_wallet_and_one_with_too_little_say_so(
    chromium: Browser, shop: LiveShop, chain: str
) -> None:
    poor, locked = new_wallet(shop, chain, "Poor", 3), new_wallet(shop, chain, "Locked")
    locked.locked = True
    intent = shop.ask(f"poor {chain}", chain, EVM)
    with paying(chromium, shop.page(intent), poor, locked) as page:
        page.get_by_role("button", name="Locked").click()
        expect_state(page, "locked")
        page.get_by_role("button", name="Another wallet").click()
        page.get_by_role("button", name="Poor").click()
        expect_state(page, "low")


@each_family
def test_a_wallet_on_another_chain_pays_only_once_it_has_switched(
    chromium: Browser, shop: LiveShop, chain: str
) -> None:
    wallet = new_wallet(shop, chain, "Elsewhere")
    wallet.chain, wallet.lies = OTHERS[chain], True
    intent = shop.ask(f"elsewhere {chain}", chain, EVM)
    with paying(chromium, shop.page(intent), wallet) as page:
        page.get_by_role("button", name="Elsewhere").click()
        expect_state(page, "elsewhere")
        if chain == SOLANA:
            # The standard has no switching.
            expect(page.get_by_role("button", name="Change to ")).to_have_count(0)
            return
        page.get_by_role("button", name="Change to ").click()
        expect_state(page, "wrong_chain")
        wallet.lies = False
        page.get_by_role("button", name="Try again").click()
        page.get_by_role("button", name="Pay ").click()
        expect_state(page, "sent")


def test_a_link_lists_what_wallets_of_several_families_hold(
    chromium: Browser, shop: LiveShop
) -> None:
    first, second = new_wallet(shop, SOLANA, "First"), new_wallet(shop, TRON, "Second")
    link = shop.link(EVM, amount="25000000")
    with paying(chromium, f"{shop.url}/pay/l/{link.id}?lang=en", first, second) as page:
        page.get_by_role("button", name="First · Solana").click()
        usdc, usdt = f'[value="{SOLANA}:USDC"]', f'[value="{TRON}:USDT"]'
        expect(page.locator(f".held {usdc}")).to_have_count(1)
        expect(page.locator(f".held {usdt}")).to_have_count(0)
        page.get_by_role("button", name="Second · Tron").click()
        expect(page.locator(f".held {usdt}")).to_have_count(1)
        expect(page.locator(f".held {usdc}")).to_have_count(1)
        for choice, wallet in ((usdt, second), (usdc, first)):
            page.locator(f".held {choice}").check()
            expect(page.get_by_label("Your refund address")).to_have_value(wallet.address)
        page.get_by_role("button", name="Continue to payment").click()
        page.get_by_role("button", name="Pay ").click()
        expect_state(page, "sent")
    first.hands.mine()
    assert first.hands.balance(first.address) < 100 * 10**6
