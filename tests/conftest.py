"""What tests of every ring may ask for."""

import gc
from collections.abc import Generator, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.postgres import PostgresMissing, running_postgres

# How long an example takes says how busy the machine is, and nothing about our code.
PATIENT: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("default", **PATIENT)
settings.register_profile("deep", max_examples=1_000, **PATIENT)
# Their files take longest. Begun last, one of them would keep one worker busy and the others idle.
LONGEST = ("tests/browser/", "tests/scenarios/", "tests/chains/", "tests/contracts/", "tests/test_")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Modules and tests live as long as the process: no search for garbage looks at them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first, else as they are found."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A SQLAlchemy URL of an empty PostgreSQL; its users keep apart by schema or by database."""
    try:
        with running_postgres() as url:
            yield url
    except PostgresMissing as missing:
        pytest.skip(str(missing))
