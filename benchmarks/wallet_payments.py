"""From opening a payment's page to paid with a wallet that is ready, and what the page weighs."""

import gzip
import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median

import httpx
from playwright.sync_api import Browser, expect, sync_playwright

from crossway.payer.i18n import LANGUAGES
from tests.browser.conftest import CHROMIUM, CHROMIUM_FLAGS
from tests.browser.live_shop import LiveShop, expect_state, new_wallet, open_shop, paying
from tests.chains import anvil
from tests.chains.live import ARBITRUM, BASE

ROUNDS = 7
GOAL_SECONDS, GOAL_BYTES = 10, 40_000


def run(rounds: int = ROUNDS) -> list[tuple[str, str, str, bool]]:
    """(name, figure, goal, met): two chains of this machine with one-second blocks, and a wallet
    that confirms at once; each payment in a new browser window."""
    with _shop() as (shop, browser):
        taken = [_pay(shop, browser, number) for number in range(rounds)]
        sizes = [_weigh(shop.page(shop.ask(f"weight {code}"), code)) for code in LANGUAGES]
    middle, most = median(taken), max(taken)
    served, plain = max(served for served, _ in sizes), max(plain for _, plain in sizes)
    return [
        (
            "opened to paid with a wallet",
            f"{middle:.1f} s, at most {most:.1f} s of {rounds}",
            f"<= {GOAL_SECONDS} s",
            most <= GOAL_SECONDS,
        ),
        (
            "page with all that it loads, the heaviest language",
            f"{served / 1000:.1f} kB as served (gzip), {plain / 1000:.1f} kB unpacked",
            f"<= {GOAL_BYTES // 1000} kB served",
            served <= GOAL_BYTES,
        ),
    ]


@contextmanager
def _shop() -> Iterator[tuple[LiveShop, Browser]]:
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="crossway-benchmark-"))
        chains = {name: stack.enter_context(anvil.running(name, 1)) for name in (BASE, ARBITRUM)}
        shop = stack.enter_context(open_shop(Path(folder), chains))
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(CHROMIUM_FLAGS))
        yield shop, browser
        browser.close()


def _pay(shop: LiveShop, browser: Browser, number: int) -> float:
    """Seconds until the page says that it is paid."""
    intent, wallet = shop.ask(f"timed {number}"), new_wallet(shop, f"Timed{number}")
    url, began = shop.page(intent), time.perf_counter()
    with paying(browser, url, wallet) as page:
        page.get_by_role("button", name=wallet.name).click()
        expect_state(page, "ready")
        page.get_by_role("button", name="Pay ").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Paid")
        return time.perf_counter() - began


def _weigh(url: str) -> tuple[int, int]:
    """The bytes of a page, its style and its scripts, packed and not."""
    home = url.partition("/pay/")[0]
    page = httpx.get(url).content
    loaded = re.findall(r'(?:src|href)="(/pay/assets/[^"]+)"', page.decode())
    parts = [page, *(httpx.get(home + path).content for path in loaded)]
    return sum(len(gzip.compress(part)) for part in parts), sum(map(len, parts))
