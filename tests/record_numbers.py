"""Record numbers inside and outside, for tests that compare answers with records."""

from crossway.domain.public_ids import RecordKind
from crossway.ports.services import Services
from crossway.usecases.public_numbers import ids_of


def public_id(services: Services, kind: RecordKind, record_id: int) -> int:
    """The number under which the API knows a record."""
    return ids_of(services).encode(kind, record_id)


def record_id(services: Services, kind: RecordKind, number: int) -> int:
    """The database's number of a record that the API knows under `number`."""
    return ids_of(services).decode(kind, number)
