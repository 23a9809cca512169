"""Fixtures for tests of ramp adapters."""

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.databases import new_postgres
from tests.ramps import SandboxRamp


@pytest.fixture(params=["sqlite", "postgres"])
def ramp(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SandboxRamp]:
    """A sandbox provider in a database of either kind."""
    database = (
        nullcontext(f"sqlite:///{tmp_path / 'ramps.db'}")
        if request.param == "sqlite"
        else new_postgres(request.getfixturevalue("postgres_url"))
    )
    with database as url:
        created = SandboxRamp(url)
        yield created
        created.simulation.close()
