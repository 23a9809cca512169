"""Two real chains and a service on them, new for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chains.anvil import Anvil
from tests.chains.live import LiveWorld, two_chains


@pytest.fixture
def chains() -> Iterator[dict[str, Anvil]]:
    with two_chains() as made:
        yield made


@pytest.fixture
def world(tmp_path: Path, chains: dict[str, Anvil]) -> Iterator[LiveWorld]:
    made = LiveWorld(tmp_path, chains)
    yield made
    made.close()
