"""Pages update live, and keep input, selections and open expanders."""

import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from streamlit.proto.BackMsg_pb2 import BackMsg

from tests.browser.conftest import (
    WIDE,
    Opener,
    Site,
    open_expander,
    open_palette,
    wait_until_drawn,
)
from tests.browser.site_api import create_base_intent, deposit, inject_faults, wait_for_status
from tests.processes import wait_until

WALLET = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"


def collect_navigations(page: Page) -> list[str]:
    """The navigations of the browser from now on; empty if nothing was reloaded."""
    went: list[str] = []
    page.on("framenavigated", lambda frame: went.append(frame.url))
    return went


def test_the_list_updates_while_somebody_types(opened: Opener, site: Site) -> None:
    for _ in range(20):
        create_base_intent(site)
    page, observed = opened("intents", WIDE)
    went = collect_navigations(page)
    first = create_base_intent(site)
    link = page.locator(f'a[href="intent?id={first["number"]}"]')
    expect(link).to_be_visible()
    page.get_by_role("button", name="Add a filter").click()
    page.get_by_role("combobox", name="Field").click()
    page.get_by_role("option", name="Metadata value", exact=True).click()
    field = page.get_by_placeholder("Exact value")
    field.click()
    page.keyboard.type("half an addr")
    page.mouse.move(1300, 700)
    page.mouse.wheel(0, 300)
    scrolled = "document.querySelector('[data-testid=stMain]').scrollTop"
    page.wait_for_function(f"() => {scrolled} > 0")
    page.wait_for_timeout(300)
    before = page.evaluate(scrolled)
    second = create_base_intent(site)
    deposit(site, second)
    wait_for_status(site, second, "COMPLETED")
    row = page.locator("tr", has=page.locator(f'a[href="intent?id={second["number"]}"]'))
    expect(row).to_contain_text("Completed")
    expect(field).to_have_value("half an addr")
    expect(field).to_be_focused()
    assert page.evaluate(scrolled) == before
    assert went == []
    assert observed.errors == []


def test_updates_keep_open_expanders_selections_and_input(opened: Opener, site: Site) -> None:
    intent = create_base_intent(site)
    page, observed = opened(f"intent?id={intent['number']}&tab=Raw", WIDE)
    went = collect_navigations(page)
    fold = page.locator("[data-testid=stExpander]", has_text=re.compile("Events"))
    open_expander(page, "Events")
    record = fold.locator("details")
    page.mouse.move(700, 500)
    page.mouse.wheel(0, 250)
    scrolled = "document.querySelector('[data-testid=stMain]').scrollTop"
    page.wait_for_function(f"() => {scrolled} > 0")
    field = open_palette(page, "half an ord")
    deposit(site, intent)
    wait_for_status(site, intent, "COMPLETED")
    expect(fold).to_contain_text(re.compile("completed", re.IGNORECASE))
    expect(record).to_have_attribute("open", "")
    expect(field).to_have_value("half an ord")
    expect(field).to_be_focused()
    assert page.evaluate(scrolled) > 0
    assert went == []
    assert observed.errors == []


def test_updates_keep_the_selected_row(opened: Opener, site: Site) -> None:
    chosen = create_base_intent(site)
    page, _ = opened("intents", WIDE)
    row = page.locator(f'a[href="intent?id={chosen["number"]}"]').first
    row.focus()
    for _ in range(3):
        fresh = create_base_intent(site)
        link = page.locator(f'a[href="intent?id={fresh["number"]}"]')
        expect(link.first).to_be_visible()
        expect(row).to_be_focused()
    deposit(site, chosen)
    wait_for_status(site, chosen, "COMPLETED")
    of = page.locator("tr", has=row)
    expect(of).to_contain_text("Completed")
    expect(row).to_be_focused()
    page.keyboard.press("Enter")
    heading = page.get_by_role("heading", name=f"Payment #{chosen['number']}")
    expect(heading).to_be_visible()


def test_no_requests_are_made_while_nothing_changes(opened: Opener, site: Site) -> None:
    create_base_intent(site)
    page, _ = opened("intents", WIDE)
    sent: list[float] = []

    def follow(socket: Any) -> None:
        socket.on("framesent", lambda _: sent.append(time.monotonic()))

    page.on("websocket", follow)
    page.reload()
    expect(page.locator('a[href^="intent?id="]').first).to_be_visible()
    # Wait until what earlier tests started has ended.
    for _ in range(10):
        number = len(sent)
        page.wait_for_timeout(4_000)
        if len(sent) - number <= 1:
            return
    raise AssertionError(f"asked {len(sent)} times while nothing changed")


def collect_messages(page: Page) -> tuple[list[str], set[str]]:
    """The push messages that the page receives and the fragments that it requests from now on."""
    messages: list[str] = []
    parts: set[str] = set()

    def sent(data: Any) -> None:
        if isinstance(data, bytes):
            parts.add(BackMsg.FromString(data).rerun_script.fragment_id)

    def follow(socket: Any) -> None:
        socket.on(
            "framereceived", lambda data: messages.append(data if isinstance(data, str) else "")
        )
        socket.on("framesent", sent)

    page.on("websocket", follow)
    return messages, parts


_AWAY = """window.away = true
Object.defineProperty(document, 'hidden', {configurable: true, get: () => window.away})"""
# The entry of the screen itself leads nowhere.
_BACK_AND_GONE = """window.away = false
document.dispatchEvent(new Event('visibilitychange'))
for (const name of ['reconcile', 'chains'])
  document.querySelector(`[data-testid=stSidebarNav] a[href$="/${name}"]`).click()"""


def test_a_late_update_of_the_page_before_does_not_clear_the_next(
    opened: Opener, site: Site
) -> None:
    page, observed = opened("keys", WIDE)
    messages, parts = collect_messages(page)
    page.goto(f"{site.url}/reconcile")
    heading = page.locator("[data-testid=stMainBlockContainer] h1")
    expect(heading.first).to_have_text("Reconcile")
    wait_until_drawn(page)
    page.evaluate(_AWAY)
    before = len([item for item in messages if '"counters"' in item])
    create_base_intent(site)

    def news() -> bool:
        page.wait_for_timeout(100)
        return len([item for item in messages if '"counters"' in item]) > before

    wait_until("it is told that something has changed", news)
    parts.clear()
    page.evaluate(_BACK_AND_GONE)
    expect(heading.first).to_have_text("Chains")
    wait_until_drawn(page)
    page.wait_for_timeout(1_000)
    expect(heading.first).to_have_text("Chains")
    assert parts - {""}, "the screen that was left asked for something"
    assert observed.errors == []


@pytest.fixture
def unreachable_chain(site: Site) -> Iterator[str]:
    """A chain that does not respond."""
    inject_faults(site, "OPTIMISM_MAINNET", outageSeconds=3600)
    yield "OPTIMISM_MAINNET"
    inject_faults(site, "OPTIMISM_MAINNET", outageSeconds=0)


def test_an_alert_appears_live_and_is_acknowledged_while_data_changes(
    opened: Opener, site: Site, request: pytest.FixtureRequest
) -> None:
    page, observed = opened("alerts", WIDE)
    strip = page.locator('[role="status"]').locator("visible=true").first
    expect(page.get_by_text("Anything that needs attention appears here")).to_be_visible()
    went = collect_navigations(page)
    request.getfixturevalue("unreachable_chain")
    expect(strip).to_contain_text("OP Mainnet does not answer")
    page.get_by_role("button", name="Acknowledge").click()
    dialog = page.get_by_role("dialog")
    note = dialog.get_by_label("Note")
    expect(note).to_be_visible()
    note.click()
    page.keyboard.type("calling ")
    deposit(site, create_base_intent(site))
    page.wait_for_timeout(3_000)
    page.keyboard.type("the node")
    expect(note).to_have_value("calling the node")
    dialog.get_by_role("button", name="Acknowledge").click()
    expect(page.get_by_text(re.compile("calling the node"))).to_be_visible()
    expect(strip).to_contain_text("No active alerts")
    assert went == []
    page.get_by_role("link", name="Overview").click()
    remedy = page.get_by_text("Check its node or disable the chain")
    expect(remedy.first).to_be_visible()
    assert observed.errors == []


def test_simultaneous_updates_of_a_page_are_all_drawn(
    opened: Opener, site: Site, request: pytest.FixtureRequest
) -> None:
    page, observed = opened("keys", WIDE)
    _, parts = collect_messages(page)
    page.goto(site.url)
    expect(page.get_by_text("Nothing needs your attention.")).to_be_visible()
    wait_until_drawn(page)
    parts.clear()
    request.getfixturevalue("unreachable_chain")
    expect(page.get_by_text("OP Mainnet does not answer").nth(1)).to_be_visible()
    page.wait_for_timeout(1_000)
    assert len(parts - {""}) >= 4, "numbers, states, money under way and what happened, too"
    assert observed.errors == []


def test_a_page_that_a_script_error_has_emptied_loads_again(opened: Opener) -> None:
    page, _ = opened("chains")
    page.evaluate("document.getElementById('root').replaceChildren()")
    heading = page.locator("[data-testid=stMainBlockContainer] h1")
    expect(heading.first).to_have_text("Chains")


# The click is not followed: the page is emptied first.
_EMPTIED_ON_THE_WAY = """() => {
  const link = document.querySelector('[data-testid=stSidebarNav] a[href$="/alerts"]')
  link.addEventListener('click', event => { event.preventDefault(); event.stopPropagation() })
  link.click()
  document.getElementById('root').replaceChildren()
}"""


def test_a_page_that_is_emptied_while_somebody_leaves_it_loads_the_next(opened: Opener) -> None:
    page, _ = opened("chains")
    page.evaluate(_EMPTIED_ON_THE_WAY)
    heading = page.locator("[data-testid=stMainBlockContainer] h1")
    expect(heading.first).to_have_text("Alerts")


def test_a_page_whose_app_element_has_another_name_is_not_reloaded(
    warm_context: BrowserContext, site: Site
) -> None:
    """Another version of Streamlit may give another name to the element by which an empty page is
    recognised; its pages must not be reloaded while somebody types."""
    page = warm_context.new_page()
    page.add_init_script(
        "new MutationObserver(() => document.querySelector('[data-testid=stApp]')"
        "?.setAttribute('data-testid', 'app')).observe(document, {childList: true, subtree: true})"
    )
    page.goto(f"{site.url}/chains")
    expect(page.locator("h1").first).to_have_text("Chains")
    page.wait_for_function("() => window.crosswayStream !== undefined")
    navigations = collect_navigations(page)
    page.wait_for_timeout(4_000)
    assert navigations == []
    assert page.locator("[data-testid=stApp]").count() == 0
    page.close()


# Joins a part of the page that is always out of date and asks for a real one. The stream looks at
# the parts when the page becomes visible.
_PROBE = """
let made
Object.defineProperty(window, 'crosswayStream', {
  get: () => made,
  set: (stream) => {
    const join = stream.join
    stream.join = (key, part) => {
      if (part.requestRerun) window.probe = () => join('probe', {...part, refreshMillis: -1,
        requestRerun: () => { window.asked = (window.asked ?? 0) + 1; part.requestRerun() }})
      return join(key, part)
    }
    made = stream
  }})
window.act = (order) => {
  const isOurs = (one) => one.textContent.includes('Disable chain')
  const click = () => [...document.querySelectorAll('button')].find(isOurs).click()
  const update = () => document.dispatchEvent(new Event('visibilitychange'))
  for (const step of order === 'click first' ? [click, update] : [update, click]) step()
}
"""


@pytest.mark.parametrize("order", ["update first", "click first"])
def test_a_click_at_the_moment_of_an_update_is_not_lost(
    warm_context: BrowserContext, site: Site, order: str
) -> None:
    """Both reach Streamlit before it sends, as they do on a busy machine."""
    page = warm_context.new_page()
    page.add_init_script(_PROBE)
    page.goto(f"{site.url}/chains")
    expect(page.get_by_role("button", name="Disable chain")).to_be_visible()
    wait_until_drawn(page)
    page.wait_for_function("() => window.probe !== undefined")
    page.evaluate("order => { window.probe(); window.act(order) }", order)
    expect(page.get_by_role("dialog")).to_be_visible()
    page.wait_for_function("() => window.asked > 0")
    page.close()
