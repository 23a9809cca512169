"""An EVM chain, Tron, and a service on both, new for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chains import anvil
from tests.chains.service import Hands, RealWorld
from tests.chains.tron.node import TRON, Tron, running

BASE = "BASE_MAINNET"


@pytest.fixture
def tron() -> Iterator[Tron]:
    with running() as made:
        yield made


@pytest.fixture
def hands(tron: Tron) -> Iterator[dict[str, Hands]]:
    with anvil.running(BASE) as base:
        yield {BASE: base, TRON: tron}


@pytest.fixture
def world(tmp_path: Path, hands: dict[str, Hands]) -> Iterator[RealWorld[Hands]]:
    made = RealWorld(tmp_path, hands)
    yield made
    made.close()
