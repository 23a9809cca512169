"""The chart of quotes by time and fee in a browser: no name overlaps another name or a mark."""

from itertools import combinations
from typing import Any

from playwright.sync_api import expect

from tests.browser.components import draw_instead, overlap
from tests.browser.conftest import Opener, set_look, wait_until_drawn

_BOXES = """(part) => [...document.querySelector('#other').shadowRoot.querySelectorAll(part)]
  .map(node => { const {left, top, right, bottom} = node.getBoundingClientRect()
    return [left, top, right, bottom] })"""
_WORDS = """() => [...document.querySelector('#other').shadowRoot
  .querySelectorAll('svg > text.name, p')].map(node => node.textContent).join(' ')"""
NAMES = (
    "Arbitrum One", "Avalanche C-Chain", "Base", "BNB Smart Chain", "Ethereum", "HyperEVM", "Lisk",
    "Monad", "OP Mainnet", "Polygon PoS", "Solana", "Starknet", "TRON", "Gnosis Chain", "Linea",
    "Scroll", "World Chain", "zkSync Era", "Unichain", "Mantle",
)  # fmt: skip


def points() -> list[dict[str, Any]]:
    """Twenty options, most of which cost and take about the same."""
    return [
        {
            "name": name,
            "seconds": 8 + at % 5 if at % 4 else 60 * (at + 1),
            "fee_usd": 0.03 + 0.002 * (at % 6) if at % 7 else 0.9,
            "mark": {2: "cheapest", 9: "fastest"}.get(at, ""),
            "text": f"{name}, in words",
        }
        for at, name in enumerate(NAMES)
    ]


def test_names_on_the_quotes_chart_never_overlap_with_twenty_chains(opened: Opener) -> None:
    page, _ = opened("quotes")
    expect(page.locator("path.mark").first).to_be_visible()
    for size in ((1440, 900), (1024, 768), (390, 844)):
        set_look(page, size, "light")
        wait_until_drawn(page)
        draw_instead(page, "fee_time", "path.mark", {"points": points(), "label": "Made up"})
        names = page.evaluate(_BOXES, "svg > text.name")
        marks = page.evaluate(_BOXES, "svg[role=img] > path.mark")
        assert len(marks) == len(NAMES)
        assert [pair for pair in combinations(names, 2) if overlap(*pair)] == []
        assert [(a, b) for a in names for b in marks if overlap(a, b)] == []
        ticks = page.evaluate(_BOXES, "text.tick")
        assert [pair for pair in combinations(ticks, 2) if overlap(*pair)] == []
        # Every name can be read: beside its mark, or below the chart.
        drawn = page.evaluate(_WORDS)
        assert [name for name in NAMES if name not in drawn] == []
