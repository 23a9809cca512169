"""Fixtures for tests of adapters."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.simulation import Simulation


@pytest.fixture
def simulation(tmp_path: Path) -> Iterator[Simulation]:
    """A fresh simulated network on SQLite."""
    created = Simulation(f"sqlite:///{tmp_path / 'network.db'}")
    yield created
    created.close()
