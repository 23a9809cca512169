"""Going from page to page by the navigation: how long it takes, what the console says, and what
axe-core finds on each page."""

import re
import time
from statistics import median, quantiles
from typing import Final

from playwright.sync_api import Error, Locator, Page

from benchmarks.operator_tasks.performing import Stage, chromium, open_overview, site_of, visit
from benchmarks.operator_tasks.person import Person
from tests.browser.test_every_page import (
    AXE,
    RUN_AXE,
    UPSTREAM,
    without_streamlit_findings,
)

CHANGES: Final = 40
GOAL_SECONDS: Final = 1.0
Row = tuple[str, str, str, bool]


def run(stage: Stage, changes: int = CHANGES) -> list[Row]:
    """(name, figure, goal, met), on a demo month; each page is opened once before."""
    console: list[str] = []
    with chromium() as browser, site_of(stage, demo=True) as site, visit(browser) as context:
        page = open_overview(context, site, console)
        names = _names(page)
        findings = [found for name in names for found in _look(page, name)]
        order = [names[number % len(names)] for number in range(changes)]
        taken = [_change(page, name) for name in order]
    titles, drawn = ([pair[n] for pair in taken] for n in (0, 1))
    slowest = sorted(zip(drawn, order, strict=True), reverse=True)[:3]
    most = ", ".join(f"{name or 'overview'} {seconds:.1f}" for seconds, name in slowest)
    quick = _p95(drawn) <= GOAL_SECONDS
    return [
        (f"s from a click to the page drawn, median (p95) of {changes}",
         f"{median(drawn):.2f} ({_p95(drawn):.2f}), most: {most}",
         f"p95 <= {GOAL_SECONDS:g}", quick),
        ("s from a click to its title, median (p95)",
         f"{median(titles):.2f} ({_p95(titles):.2f})", "none", True),
        (f"errors of the console on {len(names)} pages", _listed(console), "none", not console),
        ("serious findings of axe-core", _listed(findings), "none", not findings),
    ]  # fmt: skip


def _p95(seconds: list[float]) -> float:
    return quantiles(seconds, n=20)[18]


def _listed(texts: list[str]) -> str:
    return "; ".join([str(len(texts)), *sorted(set(texts))[:10]])


def _menu(page: Page) -> Locator:
    return page.locator("[data-testid=stSidebarNavLink]")


def _names(page: Page) -> list[str]:
    """The addresses in the navigation; the overview is the last. The presentation has no navigation
    that leads on."""
    hrefs = [link.get_attribute("href") or "" for link in _menu(page).all()]
    names = [re.sub(r"^.*/", "", href) for href in hrefs]
    return [*(name for name in names if name not in ("", "present")), ""]


def _change(page: Page, name: str) -> tuple[float, float]:
    """Seconds until the title of another page is shown, and until that page is drawn."""
    person = Person(page)
    person.wait_until_idle()
    before = person.heading("").first.inner_text()
    link = next(
        link
        for link in _menu(page).all()
        if re.sub(r"^.*/", "", link.get_attribute("href") or "") == name
    )
    began = time.perf_counter()
    link.click()
    page.wait_for_function(
        "before => [...document.querySelectorAll('[data-testid=stMainBlockContainer] h1')]"
        ".some(title => title.innerText !== before)",
        arg=before,
    )
    title = time.perf_counter() - began
    person.wait_until_idle()
    return title, time.perf_counter() - began


def _look(page: Page, name: str) -> list[str]:
    """Open a page and let axe-core look at it."""
    _change(page, name)
    if not AXE.exists():
        return ["axe-core is not installed: npm install"]
    try:
        if not page.evaluate("'axe' in window"):
            page.evaluate(AXE.read_text(encoding="utf-8"))
        found = without_streamlit_findings(page.evaluate(RUN_AXE, {}), UPSTREAM)
    except Error as error:
        return [f"{name or 'overview'}: {str(error).splitlines()[0]}"]
    return [f"{name or 'overview'}: {rule} {html[:80]}" for rule, _, html, _ in found]
