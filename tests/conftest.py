"""What tests of every ring may ask for."""

from collections.abc import Iterator

import pytest

from tests.postgres import PostgresMissing, running_postgres


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A SQLAlchemy URL of an empty PostgreSQL; its users keep apart by schema or by database."""
    try:
        with running_postgres() as url:
            yield url
    except PostgresMissing as missing:
        pytest.skip(str(missing))
