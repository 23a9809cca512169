"""Reruns of a page cause no layout shift."""

import pytest

from tests.browser.conftest import Opener, Site, wait_until_drawn
from tests.browser.site_api import create_base_intent

MOST_SHIFT = 0.05
_OBSERVE = """() => { window.shifted = 0; window.shiftedAt = performance.now()
  const add = list => list.getEntries().forEach(one => {
    window.shifted += one.value; window.shiftedAt = performance.now() })
  new PerformanceObserver(add)
    .observe({type: 'layout-shift', buffered: false}) }"""


@pytest.mark.parametrize("path", ["", "chains", "simulator"])
def test_a_rerun_shifts_no_content(opened: Opener, site: Site, path: str) -> None:
    # Until there is a payment, the overview is another page, which the first one replaces.
    create_base_intent(site)
    page, _ = opened(path)
    wait_until_drawn(page)
    page.evaluate(_OBSERVE)
    page.wait_for_function("() => performance.now() - window.shiftedAt > 3000")
    page.evaluate("window.shifted = 0")
    create_base_intent(site)
    page.wait_for_timeout(5_000)
    assert page.evaluate("window.shifted") < MOST_SHIFT
