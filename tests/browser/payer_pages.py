"""A phone's browser at a payer's page, and what every such page must look like."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from tests.browser.conftest import PHONE, new_browser_context

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"


@contextmanager
def phone_browser(chromium: Browser, url: str, **more: Any) -> Iterator[tuple[Page, list[str]]]:
    """A phone's page, with a list of its requests to other hosts and its errors."""
    context = new_browser_context(chromium, **({"size": PHONE, "locale": "en-GB"} | more))
    page, wrong = context.new_page(), []
    home = url.partition("/pay")[0]
    page.on("request", lambda asked: wrong.append(asked.url) if home not in asked.url else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(url)
    yield page, wrong
    assert context.cookies() == []
    context.close()


def expect_layout_and_accessibility(page: Page) -> None:
    """Check that nothing overflows horizontally and axe finds nothing."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    # The page's content security policy allows no script, so axe is evaluated outside of it.
    page.evaluate(AXE.read_text())
    result = page.evaluate("axe.run().then(r => r.violations.map(v => [v.id, v.nodes[0].html]))")
    assert result == []
