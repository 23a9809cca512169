"""Reruns of a page cause no layout shift."""

import httpx
import pytest

from tests.browser.conftest import Opener, Site, wait_until_drawn

MOST_SHIFT = 0.05
WALLET = "0x52908400098527886E0F7030069857D2E4169EE7"
_OBSERVE = """() => { window.shifted = 0; window.shiftedAt = performance.now()
  const add = list => list.getEntries().forEach(one => {
    window.shifted += one.value; window.shiftedAt = performance.now() })
  new PerformanceObserver(add)
    .observe({type: 'layout-shift', buffered: false}) }"""


@pytest.mark.parametrize("path", ["", "chains", "simulator"])
def test_a_rerun_shifts_no_content(opened: Opener, site: Site, path: str) -> None:
    page, _ = opened(path)
    wait_until_drawn(page)
    page.evaluate(_OBSERVE)
    page.wait_for_function("performance.now() - window.shiftedAt > 3000")
    page.evaluate("window.shifted = 0")
    headers = {"Authorization": f"Bearer {site.key}"}
    params = {
        "amount": "25000000",
        "source_chain": "BASE",
        "destination_chain": "ARBITRUM",
        "tokenIn": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        "recipient": WALLET,
        "refund_address": WALLET,
    }
    httpx.post(f"{site.url}/api/v1/intents", json=params, headers=headers, timeout=30)
    page.wait_for_timeout(5_000)
    assert page.evaluate("window.shifted") < MOST_SHIFT
