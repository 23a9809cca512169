"""A shop on real chains of this machine, whose payers' pages are open to a browser."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect
from starlette.applications import Starlette
from starlette.routing import Mount

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.words import address_word, number_word
from crossway.api.rate_limits import IpRateLimiter
from crossway.domain.intent import Intent
from crossway.domain.payment_links import PaymentLink
from crossway.payer.app import create_pages
from crossway.usecases.payers import links
from crossway.usecases.payers.link_fields import LinkRequest
from crossway.usecases.payments.checkout_urls import checkout_url
from tests.browser.conftest import new_browser_context, serving
from tests.browser.wallets import EvmWallet, install
from tests.chains.anvil import CATALOGUE, Anvil
from tests.chains.live import ARBITRUM, BASE
from tests.chains.service import Hands, RealWorld, profile_of
from tests.ports import free_port

BASE_ID, ARBITRUM_ID = (int(CATALOGUE.chains[chain].chain_id) for chain in (BASE, ARBITRUM))


@dataclass
class LiveShop:
    """The shop, with the chains' hands by name."""

    world: RealWorld[Any]
    url: str

    def ask(self, name: str, source: str = BASE, to: str = ARBITRUM, **more: Any) -> Intent:
        """A new payment of 25 dollars."""
        return self.world.ask(name, source, to, **more)

    def mint(self, address: str, dollars: int, chain: str = BASE) -> None:
        """Dollars on an EVM chain out of nowhere."""
        words = address_word("evm", address), number_word(dollars * 10**6)
        hands = self.world.hands[chain]
        hands.call_token(hands.token, "mint(address,uint256)", *words)

    @contextmanager
    def stopped(self, chain: str = BASE) -> Iterator[Anvil]:
        """An EVM chain that makes no blocks meanwhile."""
        hands: Anvil = self.world.hands[chain]
        hands.rpc("evm_setIntervalMining", 0)
        yield hands
        hands.rpc("evm_setIntervalMining", 1)

    def page(self, intent: Intent, lang: str = "en") -> str:
        return f"{checkout_url(self.world.services, self.url, intent.id)}?lang={lang}"

    def link(self, to: str, **more: Any) -> PaymentLink:
        """A link for payments in dollars to this chain."""
        hands = self.world.hands[to]
        facts = {"title": "Coffee", "destination_chain": to, "token_out": hands.token}
        request = LinkRequest(**(facts | {"recipient": hands.wallet("a shop")} | more))
        return links.create(self.world.services, self.world.caller, request)

    def uses(self, link: PaymentLink) -> list[Intent]:
        """The payments that were made by a link, the newest first."""
        found = links.list_uses(self.world.services, self.world.caller, link.id, 100)
        return [intent for _, intent in found]


@contextmanager
def open_shop(folder: Path, hands: Mapping[str, Hands]) -> Iterator[LiveShop]:
    """A shop with an engine, as `crossway serve` runs it on these chains."""
    profile = profile_of(folder, hands.values(), poll_seconds=0.3)
    world = RealWorld(folder, hands, profile)
    try:
        world.service.run_engine()
        pages = create_pages(IpRateLimiter(), world.services)
        with serving(Starlette(routes=[Mount("/pay", pages)]), free_port()) as url:
            yield LiveShop(world, url)
    finally:
        world.close()


def new_wallet(shop: LiveShop, name: str, dollars: int = 100, **more: Any) -> EvmWallet:
    """A wallet with a key of its own that is on Base, with dollars and coins there."""
    hands = shop.world.hands
    chains: dict[int, Anvil] = {BASE_ID: hands[BASE], ARBITRUM_ID: hands[ARBITRUM]}
    wallet = EvmWallet(name, "0x" + keccak256(name.encode()).hex(), chains, BASE_ID)
    for fact, value in more.items():
        setattr(wallet, fact, value)
    for chain in (BASE, ARBITRUM):
        hands[chain].rpc("anvil_setBalance", wallet.address, hex(10**18))
        shop.mint(wallet.address, dollars, chain)
    return wallet


@contextmanager
def paying(
    chromium: Browser, url: str, *wallets: Any, expected: str = "", **more: Any
) -> Iterator[Page]:
    """A page with wallets, which asks no other host for anything and reports no error but those
    with the `expected` words."""
    context = new_browser_context(chromium, **({"locale": "en-GB"} | more))
    install(context, *wallets)
    page, wrong = context.new_page(), list[str]()
    home = url.partition("/pay")[0]
    page.on("request", lambda asked: wrong.append(asked.url) if home not in asked.url else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda line: wrong.append(line.text) if line.type == "error" else None)
    page.goto(url)
    try:
        yield page
    except AssertionError:
        # What pytest shows of a failed test.
        print(page.locator("body").inner_text(), wrong, *(one.asked for one in wallets), sep="\n")
        raise
    assert [line for line in wrong if not expected or expected not in line] == []
    context.close()


def expect_state(page: Page, state: str) -> None:
    expect(page.locator(f".wallets[data-state={state}]")).to_be_visible()


def expect_paid(shop: LiveShop, page: Page, intent: Intent) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text("Paid")
    terms = intent.terms
    paid = shop.world.hands[terms.destination_chain].balance(terms.recipient)
    assert paid == terms.payout_amount
