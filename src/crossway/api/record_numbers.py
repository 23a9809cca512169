"""Record numbers in requests: public outside, the database's own inside."""

from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, Path

from crossway.api.auth import ServicesDep
from crossway.domain.errors import InvalidInput
from crossway.domain.public_ids import MAX_PUBLIC_ID, RecordKind
from crossway.ports.services import Services
from crossway.usecases.public_numbers import ids_of

_EXAMPLE = 4807780642760409
_InPath = Annotated[
    int, Path(description="Record number.", ge=1, le=MAX_PUBLIC_ID, examples=[_EXAMPLE])
]


def parse_cursor(services: Services, kind: RecordKind, cursor: str | None) -> int | None:
    """The record number in a cursor; a page has the records before it. None without a cursor.

    Raises `InvalidInput`.
    """
    if cursor is None:
        return None
    # `int` refuses texts of thousands of digits with another error.
    if cursor.isascii() and cursor.isdecimal() and len(cursor) <= len(str(MAX_PUBLIC_ID)):
        number = int(cursor)
        if 1 <= number <= MAX_PUBLIC_ID:
            return ids_of(services).decode(kind, number)
    raise InvalidInput("cursor must be the next cursor of another page")


def format_cursor(services: Services, kind: RecordKind, record_id: int) -> str:
    """The cursor of the page after a record."""
    return str(ids_of(services).encode(kind, record_id))


def _decode_path(kind: RecordKind) -> Callable[[Services, int], int]:
    def decode(services: ServicesDep, id: _InPath) -> int:
        return ids_of(services).decode(kind, id)

    return decode


IntentNumber = Annotated[int, Depends(_decode_path(RecordKind.INTENT))]
OrderNumber = Annotated[int, Depends(_decode_path(RecordKind.ORDER))]
WebhookNumber = Annotated[int, Depends(_decode_path(RecordKind.WEBHOOK))]
ExportNumber = Annotated[int, Depends(_decode_path(RecordKind.EXPORT))]
StandingDepositNumber = Annotated[int, Depends(_decode_path(RecordKind.STANDING_DEPOSIT))]
DeliveryNumber = Annotated[int, Depends(_decode_path(RecordKind.DELIVERY))]
