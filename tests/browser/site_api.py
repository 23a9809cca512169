"""What tests do to a running site over its API: payments, deposits, faults and time."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

import httpx

from tests.browser.conftest import Site
from tests.harness import CATALOGUE
from tests.processes import wait_until

POLYGON, AVALANCHE = "POLYGON_MAINNET", "AVALANCHE_MAINNET"
BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
WALLET = "0x52908400098527886E0F7030069857D2E4169EE7"


def post(site: Site, path: str, **body: Any) -> Any:
    """The response of the API to a POST; an error fails the test."""
    headers = {"Authorization": f"Bearer {site.key}"}
    answer = httpx.post(f"{site.url}/api/v1{path}", headers=headers, json=body, timeout=30)
    assert answer.is_success, f"{path}: {answer.text}"
    return answer.json()


def create_intent(site: Site, back: str, amount: str = "25000000", **more: Any) -> Any:
    """A new payment with this refund address, by default from Polygon to Avalanche. `number` is its
    number on the dashboard."""
    ends = {"source_chain": POLYGON, "destination_chain": AVALANCHE} | more
    ends["tokenIn"] = CATALOGUE.tokens[ends["source_chain"], "USDC"].address
    intent = post(site, "/intents", amount=amount, recipient=back, refund_address=back, **ends)
    return intent | {"number": find_number(site, "intents", "address", intent["intent_address"])}


def create_inventory_intent(site: Site, back: str, amount: str = "25000000", **more: Any) -> Any:
    """As `create_intent`, in USDC for USDT, which no bridge carries: it is paid from inventory."""
    to = more.get("destination_chain", AVALANCHE)
    return create_intent(site, back, amount, tokenOut=CATALOGUE.tokens[to, "USDT"].address, **more)


def find_number(site: Site, table: str, column: str, value: str) -> int:
    """The number under which the dashboard knows a record."""
    with closing(sqlite3.connect(site.folder / "crossway.db", timeout=60)) as database:
        query = f"SELECT id FROM {table} WHERE {column} = ?"
        return int(database.execute(query, (value,)).fetchone()[0])


def create_base_intent(site: Site, **more: Any) -> Any:
    """A new payment from Base to Arbitrum."""
    return create_intent(site, WALLET, source_chain=BASE, destination_chain=ARBITRUM, **more)


def deposit(site: Site, intent: Any, amount: str = "exact", **more: Any) -> Any:
    """Deposit at the payment's address; returns the response with its `txHash`."""
    return post(site, "/sandbox/deposits", address=intent["intent_address"], amount=amount, **more)


def inject_faults(site: Site, chain: str = POLYGON, **how: Any) -> None:
    """Inject faults into a simulated chain."""
    post(site, f"/sandbox/chains/{chain}/faults", **how)


def advance_clock(site: Site, seconds: float) -> None:
    """Advance the clock of the service and of every chain."""
    post(site, "/sandbox/clock", advanceSeconds=seconds)


def wait_in_quick_time(
    site: Site, description: str, condition: Callable[[], object], seconds: float = 4
) -> None:
    """Wait for what takes blocks or seconds of the service, whose clock runs fast meanwhile: by so
    many seconds each time."""

    def holds_or_advance() -> bool:
        if condition():
            return True
        advance_clock(site, seconds)
        return False

    wait_until(description, holds_or_advance, every=0.4)


def wait_for_status(site: Site, intent: Any, status: str) -> None:
    """Wait in quick time until the payment has a status."""
    path = f"/intents/{intent['id']}"
    wait_in_quick_time(
        site, f"{path} is {status}", lambda: site.read(path)["intent_status"] == status
    )


def wait_until_repaid(site: Site, intent: Any) -> None:
    """Wait in quick time until the relayer has back what it paid out in advance."""
    path = f"/intents/{intent['id']}"
    wait_in_quick_time(
        site, f"{path} is repaid to the relayer", lambda: site.read(path)["relayer_claimed"]
    )


def complete_payment(site: Site) -> None:
    """A payment from Base to Arbitrum that is paid and completes."""
    intent = create_base_intent(site)
    deposit(site, intent)
    wait_for_status(site, intent, "COMPLETED")


def wallet(number: int) -> str:
    """An unused EVM address."""
    return f"0x{number:040x}"
