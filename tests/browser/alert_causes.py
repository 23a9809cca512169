"""Causes of alerts in a running Crossway: payments, deposits, faults and time."""

from typing import Any

import httpx

from tests.browser.conftest import Site
from tests.harness import CATALOGUE

POLYGON, AVALANCHE = "POLYGON_MAINNET", "AVALANCHE_MAINNET"


def post(site: Site, path: str, **body: Any) -> Any:
    """The response of the API to a POST; an error fails the test."""
    headers = {"Authorization": f"Bearer {site.key}"}
    answer = httpx.post(f"{site.url}/api/v1{path}", headers=headers, json=body, timeout=30)
    assert answer.is_success, f"{path}: {answer.text}"
    return answer.json()


def create_intent(site: Site, back: str, amount: str = "25000000", **more: str) -> Any:
    """A new payment with this refund address, by default from Polygon to Avalanche."""
    ends = {"source_chain": POLYGON, "destination_chain": AVALANCHE} | more
    ends["tokenIn"] = CATALOGUE.tokens[ends["source_chain"], "USDC"].address
    return post(site, "/intents", amount=amount, recipient=back, refund_address=back, **ends)


def deposit(site: Site, intent: Any, amount: str = "exact", **more: Any) -> None:
    """Deposit at the payment's address."""
    post(site, "/sandbox/deposits", address=intent["intent_address"], amount=amount, **more)


def inject_faults(site: Site, chain: str = POLYGON, **how: Any) -> None:
    """Inject faults into a simulated chain."""
    post(site, f"/sandbox/chains/{chain}/faults", **how)


def advance_clock(site: Site, seconds: float) -> None:
    """Advance the clock of the service and of every chain."""
    post(site, "/sandbox/clock", advanceSeconds=seconds)


def wallet(number: int) -> str:
    """An unused EVM address."""
    return f"0x{number:040x}"
