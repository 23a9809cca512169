"""What brings alarms about in a running Crossway, as its network and its payers would."""

from typing import Any

import httpx

from tests.browser.conftest import Site
from tests.harness import CATALOGUE

POLYGON, AVALANCHE = "POLYGON_MAINNET", "AVALANCHE_MAINNET"


def posted(site: Site, path: str, **body: Any) -> Any:
    """What the API answers to a POST; a refusal fails the test."""
    headers = {"Authorization": f"Bearer {site.key}"}
    answer = httpx.post(f"{site.url}/api/v1{path}", headers=headers, json=body, timeout=30)
    assert answer.is_success, f"{path}: {answer.text}"
    return answer.json()


def asked_for(site: Site, back: str, amount: str = "25000000", **more: str) -> Any:
    """A new payment whose money goes back to `back`; from Polygon to Avalanche, if not said."""
    ends = {"source_chain": POLYGON, "destination_chain": AVALANCHE} | more
    ends["tokenIn"] = CATALOGUE.tokens[ends["source_chain"], "USDC"].address
    return posted(site, "/intents", amount=amount, recipient=back, refund_address=back, **ends)


def pay(site: Site, intent: Any, amount: str = "exact", **more: Any) -> None:
    """A deposit at its address."""
    posted(site, "/sandbox/deposits", address=intent["intent_address"], amount=amount, **more)


def misbehave(site: Site, chain: str = POLYGON, **how: Any) -> None:
    """A fault of a simulated chain."""
    posted(site, f"/sandbox/chains/{chain}/faults", **how)


def later(site: Site, seconds: float) -> None:
    """The service and every chain are that much later."""
    posted(site, "/sandbox/clock", advanceSeconds=seconds)


def wallet(number: int) -> str:
    """An address of an EVM chain that is nobody's."""
    return f"0x{number:040x}"
