"""The files of exports behind signed links, which need no key and expire with the file."""

import hmac
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from crossway.domain.error_codes import ErrorCode
from crossway.domain.errors import NotFound
from crossway.domain.exports import Export, ExportFormat, ExportState
from crossway.domain.public_ids import MAX_PUBLIC_ID, RecordKind
from crossway.ports.services import Services
from crossway.usecases.exports.jobs import public_number
from crossway.usecases.public_numbers import ids_of

PATH = "/v1/export-files/"
_MEDIA_TYPES = {ExportFormat.CSV: "text/csv; charset=utf-8", ExportFormat.JSON: "application/json"}


@dataclass(frozen=True, slots=True)
class ExportFile:
    """A file: its name, media type, size in bytes, and its content, read chunk by chunk."""

    name: str
    media_type: str
    size: int
    content: Iterator[bytes]


def build_link(services: Services, export: Export) -> str | None:
    """The path and query of the link to a file; None while there is none."""
    if export.state is not ExportState.COMPLETED or export.expires_at is None:
        return None
    expires, number = int(export.expires_at.timestamp()), public_number(services, export)
    signature = _sign(services, export.id, expires)
    return f"{PATH}{number}?expires={expires}&signature={signature}"


def open_file(
    services: Services, number: str, expires: str | None, signature: str | None
) -> ExportFile:
    """The file behind a link. Raises `NotFound` for a link that was not made here or has
    expired."""
    seconds, public_id = _parse(expires or ""), _parse(number)
    export_id = ids_of(services).decode(RecordKind.EXPORT, public_id) if public_id else 0
    with services.store.read() as unit:
        export = unit.exports.get(export_id)
    proof = _sign(services, export_id, seconds)
    is_signed = hmac.compare_digest((signature or "").encode(), proof.encode())
    if export is None or not is_signed or _is_over(export, seconds, services.clock.now()):
        raise NotFound("File not found, or its link has expired", ErrorCode.EXPORT_NOT_FOUND)
    name = f"{export.resource}-{export.created_at:%Y-%m-%d}.{export.format}"
    content = _read(services, export)
    return ExportFile(name, _MEDIA_TYPES[export.format], export.byte_count, content)


def _parse(text: str) -> int:
    """A positive number of a link; 0 for any other text."""
    is_number = text.isascii() and text.isdecimal() and len(text) <= len(str(MAX_PUBLIC_ID))
    return int(text) if is_number and int(text) <= MAX_PUBLIC_ID else 0


def _is_over(export: Export, seconds: int, now: datetime) -> bool:
    return (
        export.state is not ExportState.COMPLETED
        or export.expires_at is None
        or now >= export.expires_at
        or now.timestamp() >= seconds
    )


def _read(services: Services, export: Export) -> Iterator[bytes]:
    for number in range(export.chunk_count):
        with services.store.read() as unit:
            sealed = unit.exports.get_chunk(export.id, number)
        if sealed is None:
            raise NotFound("File not found: it was deleted", ErrorCode.EXPORT_NOT_FOUND)
        yield zlib.decompress(services.vault.decrypt(sealed))


def _sign(services: Services, export_id: int, expires: int) -> str:
    return services.vault.blind_index(f"file of export {export_id} until {expires}")
