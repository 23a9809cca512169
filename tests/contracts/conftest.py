"""Two real chains and a service on them, new for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chains.live import LiveWorld, two_chains


@pytest.fixture
def world(tmp_path: Path) -> Iterator[LiveWorld]:
    with two_chains() as chains:
        made = LiveWorld(tmp_path, chains)
        yield made
        made.close()
