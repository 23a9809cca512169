"""Everything is found from the header and the sidebar, by keyboard as well."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from crossway.dashboard.page_registry import PAGES
from tests.browser.conftest import PHONE, WIDE, Opener, Site, open_palette, wait_until_drawn
from tests.browser.site_api import (
    advance_clock,
    create_base_intent,
    deposit,
    wait_for_status,
)
from tests.browser.test_every_page import AXE

LAPTOP = (1366, 768)
_OVERFLOW = """() => { const list = document.querySelector('[data-testid=stSidebarNav]')
  return list.scrollHeight - list.clientHeight }"""
# Streamlit's sidebar puts sections between the list and its entries.
_SERIOUS = """() => axe.run(document, {
    resultTypes: ['violations'], rules: {list: {enabled: false}, listitem: {enabled: false}}
  }).then(found => found.violations.filter(one => ['serious', 'critical'].includes(one.impact))
  .flatMap(one => one.nodes.map(node => one.id + ' ' + JSON.stringify(node.target))))"""
_CUT = """() => {
  const header = document.querySelector('.st-key-header')
  const parts = [...header.querySelectorAll('button, [data-testid=stBadge]')]
  const shown = parts.map(one => one.getBoundingClientRect()).filter(box => box.width > 0)
  const outside = shown.filter(box => box.left < 0 || box.right > innerWidth)
  const over = shown.filter((one, n) => shown.some((two, m) => n < m && one.left < two.right - 1
    && two.left < one.right - 1 && one.top < two.bottom - 1 && two.top < one.bottom - 1))
  const rows = new Set(shown.map(box => Math.round((box.top + box.bottom) / 24)))
  return {outside: outside.length, over: over.length, rows: rows.size}
}"""


def heading(page: Page, name: str) -> Locator:
    """The part of a section's heading that the keyboard reaches."""
    section = page.locator("[data-testid=stNavSectionHeader]", has_text=name)
    return section.get_by_role("button")


def expect_title(page: Page, title: str) -> None:
    title_shown = page.locator("[data-testid=stMainBlockContainer] h1", has_text=title)
    expect(title_shown.first).to_be_visible()


def test_every_page_is_reached_without_scrolling_the_sidebar(opened: Opener) -> None:
    page, _ = opened("", WIDE)
    links = page.locator("[data-testid=stSidebarNavLink]")
    listed = [one for one in PAGES if one.section]
    expect(links).to_have_count(len(listed))
    assert page.evaluate(_OVERFLOW) <= 0
    expect(links.last).to_be_in_viewport(ratio=1)


def test_sections_fold_where_pages_do_not_fit_but_never_that_of_the_page(opened: Opener) -> None:
    page, _ = opened("keys", LAPTOP)
    expect(heading(page, "Developers")).to_have_attribute("aria-expanded", "true")
    page.wait_for_function(f"() => ({_OVERFLOW})() <= 0")
    folded = [
        one for one in heading(page, "").all() if one.get_attribute("aria-expanded") == "false"
    ]
    assert folded
    expect(page.locator("[data-testid=stSidebarNav] [aria-current=page]")).to_have_text(
        "keyAPI keys"
    )


def test_a_section_folds_by_keyboard_and_the_browser_remembers_it(opened: Opener) -> None:
    page, _ = opened("")
    network = heading(page, "Network")
    network.focus()
    page.keyboard.press("Enter")
    expect(network).to_have_attribute("aria-expanded", "false")
    expect(page.get_by_role("link", name="Chains", exact=True)).to_have_count(0)
    page.reload()
    wait_until_drawn(page)
    expect(network).to_have_attribute("aria-expanded", "false")
    open_palette(page, "chains").press("Enter")
    expect_title(page, "Chains")
    expect(network).to_have_attribute("aria-expanded", "true")
    network.focus()
    page.keyboard.press(" ")
    expect(network).to_have_attribute("aria-expanded", "false")


def test_the_palette_opens_pages_payments_and_actions(opened: Opener, site: Site) -> None:
    intent = create_base_intent(site)
    sent = deposit(site, intent)
    wait_for_status(site, intent, "COMPLETED")
    page, log = opened("")
    open_palette(page, "kyc").press("Enter")
    expect_title(page, "Identity checks")
    open_palette(page, sent["txHash"]).press("Enter")
    expect_title(page, f"Payment #{intent['number']}")
    open_palette(page, "acknowledge").press("Enter")
    expect(
        page.get_by_role("dialog").get_by_text(re.compile("acknowledge", re.IGNORECASE)).first
    ).to_be_visible()
    page.keyboard.press("Escape")
    open_palette(page, "switch to live").press("Enter")
    expect(page.locator(".st-key-environment")).to_contain_text("Live mode")
    assert log.errors == []


def test_esc_returns_the_focus_to_the_button_of_the_palette(opened: Opener) -> None:
    page, _ = opened("")
    button = page.get_by_role("button", name="Search or jump to")
    button.click()
    field = page.get_by_role("combobox", name="Jump to a page, payment or action")
    expect(field).to_be_focused()
    page.keyboard.press("ArrowDown")
    chosen = field.get_attribute("aria-activedescendant")
    option = page.get_by_role("option", selected=True)
    assert option.get_attribute("id") == chosen
    page.keyboard.press("Escape")
    expect(field).to_be_hidden()
    expect(button).to_be_focused()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_the_open_palette(opened: Opener, scheme: str) -> None:
    if not AXE.exists():
        pytest.skip("the palette was not checked for accessibility: npm install")
    page, _ = opened("", WIDE, scheme)
    open_palette(page, "pay")
    page.evaluate(Path(AXE).read_text(encoding="utf-8"))
    assert json.dumps(page.evaluate(_SERIOUS)) == "[]"


@pytest.mark.parametrize("size", [WIDE, PHONE])
def test_the_header_is_neither_cut_nor_overlapping(
    opened: Opener, site: Site, size: tuple[int, int]
) -> None:
    # The longest badges: of both modes, and of a clock that is hours ahead.
    advance_clock(site, 3_720)
    page, _ = opened("chains", size)
    page.get_by_role("button", name="Search or jump to").wait_for()
    wait_until_drawn(page)
    shown = page.evaluate(_CUT)
    assert (shown["outside"], shown["over"]) == (0, 0)
    if size == WIDE:
        assert shown["rows"] == 1
