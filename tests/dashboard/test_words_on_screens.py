"""What screens show are words: no identifiers of chains and bridges, no 18 decimals."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from crossway.dashboard.page_registry import PAGES
from crossway.domain.intent import State
from crossway.usecases.chains.kill_switches import set_kill_switch
from tests.dashboard.conftest import DashboardApp, _descendants

# Samples of code name chains as the API does.
PAGES_OF_WORDS = [page.name for page in PAGES if page.section and page.name != "developers"]
PAGES_OF_WORDS += ["intent"]
SHOWN = {"text", "sub", "title", "label", "note", "name"}
CODE = re.compile(r"\b[A-Z]+_(?:MAINNET|TESTNET)\b|\bRHINOFI\b|\d\.\d{13,}|\bunits of\b")


def shown_texts(part: Any, name: str = "") -> Iterator[str]:
    """The texts of a component's data that are drawn, not those that only appear on hover."""
    if isinstance(part, dict):
        for key, value in part.items():
            yield from shown_texts(value, key)
    elif isinstance(part, list):
        for value in part:
            yield from shown_texts(value, name)
    elif isinstance(part, str) and name in SHOWN:
        yield part


def drawn_texts(screen: DashboardApp) -> Iterator[str]:
    yield screen.text
    for element in _descendants(screen.at._tree):
        if element.type == "bidi_component":
            yield from shown_texts(json.loads(element.proto.json))


@pytest.mark.parametrize("name", PAGES_OF_WORDS)
def test_a_page_shows_no_codes(screen: DashboardApp, name: str) -> None:
    world = screen.world
    intent = world.create_intent("HYPEREVM_MAINNET", "BSC_MAINNET")
    world.deposit(intent)
    world.wait_for_state(intent, State.COMPLETED)
    set_kill_switch(world.services, world.operator, "chain:BASE_MAINNET", True, "node is down")
    screen.open(name, id=str(intent.id))
    assert [text for text in drawn_texts(screen) if CODE.search(text)] == []
