"""What tests of ramp adapters share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ramps import Ramp


@pytest.fixture
def ramp(tmp_path: Path) -> Iterator[Ramp]:
    """A sandbox provider on SQLite."""
    made = Ramp(f"sqlite:///{tmp_path / 'ramps.db'}")
    yield made
    made.simulation.close()
