"""What tests of ramp adapters share."""

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.databases import new_postgres
from tests.ramps import Ramp


@pytest.fixture(params=["sqlite", "postgres"])
def ramp(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ramp]:
    """A sandbox provider in a database of either kind."""
    database = (
        nullcontext(f"sqlite:///{tmp_path / 'ramps.db'}")
        if request.param == "sqlite"
        else new_postgres(request.getfixturevalue("postgres_url"))
    )
    with database as url:
        made = Ramp(url)
        yield made
        made.simulation.close()
