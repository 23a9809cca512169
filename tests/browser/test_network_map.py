"""The network map in a browser: no label overlaps another; payments move and can be opened."""

from itertools import combinations
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.components import draw_instead, overlap
from tests.browser.conftest import Opener, Site, set_look, wait_until_drawn

NAMES = (
    "Arbitrum One", "Avalanche C-Chain", "Base", "BNB Smart Chain", "Ethereum", "HyperEVM", "Lisk",
    "Monad", "OP Mainnet", "Polygon PoS", "Solana", "Starknet", "TRON", "Gnosis Chain", "Linea",
    "Scroll", "World Chain", "zkSync Era", "Unichain", "Mantle", "Sonic",
)  # fmt: skip
NOTES = {3: "Not responding", 5: "Disabled", 8: "3 h 12 min behind", 11: "Low gas", 17: "No gas"}
STATES = {3: "silent", 5: "off", 8: "slow", 11: "slow", 17: "slow"}
SIZES = [(1440, 900), (1024, 768), (768, 1024), (390, 844)]
_BOXES = """() => {
  const root = document.querySelector('#other').shadowRoot
  const box = (node) => {
    const {left, top, right, bottom} = node.getBoundingClientRect()
    return [left, top, right, bottom]
  }
  const stage = box(root.querySelector('.stage'))
  return {stage, chains: [...root.querySelectorAll('.chain')].map(chain => ({
    name: chain.querySelector('.name').textContent,
    texts: [...chain.querySelectorAll('text')].map(box),
    disc: box(chain.querySelector('.halo')),
    place: chain.getAttribute('transform'),
  }))}
}"""
_FLOWN = """() => [...document.querySelector('#other').shadowRoot.querySelector('.host')
  .crosswayMap.flown.values()].map(one => one.shown)"""
# The middle of a cubic curve.
_MIDDLE = """path => {
  const n = path.getAttribute('d').match(/[\\d.]+/g).map(Number)
  const box = path.ownerSVGElement.getBoundingClientRect()
  return [0, 1].map(at => (n[at] + 3 * n[at + 2] + 3 * n[at + 4] + n[at + 6]) / 8
    + [box.left, box.top][at])
}"""


def made_up(number: int) -> dict[str, Any]:
    """A map of this many chains, connections between them and faults."""
    chains = [
        {
            "id": f"C{at}", "name": name, "size": round(1 / (1 + at % 7), 2),
            "volume": f"{9_876_543 // (at + 1):,} USD", "payments": "12 payments",
            "state": STATES.get(at, "ok"), "note": NOTES.get(at, ""), "reason": "",
            "href": "chains",
        }
        for at, name in enumerate(NAMES[:number])
    ]  # fmt: skip
    links = [
        {
            "key": f"C{a}|C{b}|CCTP", "a": f"C{a}", "b": f"C{b}", "bridge": "CCTP", "name": "CCTP",
            "title": f"{NAMES[a]} – {NAMES[b]}", "state": "ok", "reason": "", "href": "routes",
            "width": 0.5, "ways": [],
        }
        for a, b in combinations(range(number), 2) if (a + b) % 5 == 0
    ]  # fmt: skip
    bridge = {"id": "CCTP", "name": "CCTP", "color": "blue", "dashes": [], "state": "ok"}
    return {
        "label": "Made up", "window": "24 hours", "amount": "1,000 USD", "summary": "Made up.",
        "chains": chains, "links": links, "flights": [],
        "bridges": [bridge | {"note": "model", "volume": "1 USD"}], "large": False,
    }  # fmt: skip


def under_way(**facts: Any) -> dict[str, Any]:
    """A payment on the first connection of a made-up map."""
    return {
        "id": "7", "link": "C0|C5|CCTP", "source": "C0", "begin": 0.5, "end": 0.5, "at": 0,
        "seconds": 1_000, "usd": 25, "held": "", "arrived": False, "title": "#7 Here → There",
        "amount": "25.00 USDC", "stage": "Sent over CCTP", "expected": "usually 1 min",
        "href": "intent?id=7",
    } | facts  # fmt: skip


def draw(page: Page, data: dict[str, Any]) -> None:
    draw_instead(page, "network_map", ".stage", data)


def faults(page: Page) -> list[str]:
    """Labels that overlap those or the disc of another chain, or leave the picture."""
    drawn = page.evaluate(_BOXES)
    stage, found = drawn["stage"], []
    for chain in drawn["chains"]:
        for box in chain["texts"]:
            inside = stage[0] <= box[0] and box[2] <= stage[2] and box[3] <= stage[3] + 1
            if not inside or box[1] < stage[1] - 1:
                found.append(f"{chain['name']} leaves the picture")
    for one, other in combinations(drawn["chains"], 2):
        pairs = [(a, b) for a in one["texts"] for b in (*other["texts"], other["disc"])]
        pairs += [(one["disc"], b) for b in (*other["texts"], other["disc"])]
        if any(overlap(a, b) for a, b in pairs):
            found.append(f"{one['name']} and {other['name']}")
    return found


@pytest.mark.parametrize("number", [13, 21])
def test_labels_never_overlap(opened: Opener, number: int) -> None:
    page, _ = opened("network_map")
    for size in SIZES:
        set_look(page, size, "light")
        wait_until_drawn(page)
        for scheme in ("light", "dark"):
            set_look(page, size, scheme)
            draw(page, made_up(number))
            assert faults(page) == [], f"{number} chains on {size}, {scheme}"
            draw(page, made_up(number) | {"large": True})
            assert faults(page) == [], f"{number} chains in large type on {size}, {scheme}"


def test_a_payment_moves_stands_still_where_it_is_held_up_and_opens(opened: Opener) -> None:
    page, _ = opened("network_map")
    now = page.evaluate("Date.now()")
    moving = under_way(begin=0.2, end=0.9, at=now, seconds=20)
    draw(page, made_up(13) | {"flights": [moving]})
    page.wait_for_function(f"() => ({_FLOWN})()[0] > 0.25")
    page.wait_for_function(f"() => ({_FLOWN})()[0] > 0.3")
    reason = "Circle has not attested it. It is asked again."
    draw(page, made_up(13) | {"flights": [under_way(held=reason)]})
    assert page.evaluate(_FLOWN) == [0.5]
    other = page.locator("#other")
    x, y = other.locator('[data-key="link C0|C5|CCTP"] .line').evaluate(_MIDDLE)
    page.mouse.move(x, y)
    expect(other.locator(".card")).to_contain_text("25.00 USDC · Sent over CCTP")
    expect(other.locator(".card")).to_contain_text(reason)
    page.mouse.click(x, y)
    page.wait_for_url("**/intent?id=7")


def test_reduced_motion_shows_payments_where_they_are_without_moving(opened: Opener) -> None:
    page, _ = opened("network_map")
    page.emulate_media(reduced_motion="reduce")
    try:
        begun = page.evaluate("Date.now()") - 10_000
        drawn = made_up(13) | {"flights": [under_way(begin=0, end=1, at=begun, seconds=100)]}
        draw(page, drawn)
        page.wait_for_function(f"() => ({_FLOWN})().length === 1")
        (first,) = page.evaluate(_FLOWN)
        assert 0.1 <= first < 0.5
    finally:
        page.emulate_media(reduced_motion="no-preference")


def test_chains_and_connections_are_reached_by_keyboard(opened: Opener, site: Site) -> None:
    page, _ = opened("network_map")
    own = page.locator(".stage")
    first = own.locator(".chain").first
    first.focus()
    page.keyboard.press("ArrowRight")
    second = own.locator(".chain").nth(1)
    expect(second).to_be_focused()
    expect(own.locator(".card")).to_contain_text("24 hours")
    page.keyboard.press("Shift+Tab")
    expect(own.locator(".link").first).to_be_focused()
    expect(own.locator(".card")).to_contain_text("Cost of 1,000 USD")
    page.keyboard.press("Tab")
    expect(second).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/chains?chain=*")
    assert page.url.startswith(f"{site.url}/chains")


def test_the_map_as_a_table(opened: Opener) -> None:
    page, _ = opened("network_map")
    page.get_by_role("button", name="As a table").click()
    table = page.get_by_role("table", name="Chains, 24 hours")
    expect(table.get_by_role("row")).to_have_count(14)
    expect(page.get_by_role("table", name="Connections")).to_contain_text("CCTP")
    table.get_by_role("link", name="Base").click()
    page.wait_for_url("**/chains?chain=BASE_MAINNET")
