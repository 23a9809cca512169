"""The files of exports behind signed links, which need no key and expire with the file."""

import hmac
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from crossway.domain.error_codes import ErrorCode
from crossway.domain.errors import NotFound
from crossway.domain.exports import Export, ExportFormat, ExportState
from crossway.ports.services import Services
from crossway.usecases.exports.jobs import public_number

PATH = "/v1/export-files/"
_MAX_DIGITS = 15
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
    signature = _sign(services, export, expires)
    return f"{PATH}{number}?expires={expires}&signature={signature}"


def open_file(
    services: Services, export_id: int, expires: str | None, signature: str | None
) -> ExportFile:
    """The file behind a link. Raises `NotFound` for a link that was not made here or has
    expired."""
    is_number = expires is not None and expires.isascii() and expires.isdecimal()
    seconds = int(expires[:_MAX_DIGITS]) if expires and is_number else 0
    with services.store.read() as unit:
        export = unit.exports.get(export_id)
    if (
        export is None
        or not _is_signed(services, export, seconds, signature or "")
        or _is_over(export, seconds, services.clock.now())
    ):
        raise NotFound("File not found, or its link has expired", ErrorCode.EXPORT_NOT_FOUND)
    name = f"{export.resource}-{export.created_at:%Y-%m-%d}.{export.format}"
    content = _read(services, export)
    return ExportFile(name, _MEDIA_TYPES[export.format], export.byte_count, content)


def _is_over(export: Export, seconds: int, now: datetime) -> bool:
    is_there = export.state is ExportState.COMPLETED and not export.has_expired(now)
    return not is_there or now.timestamp() >= seconds


def _read(services: Services, export: Export) -> Iterator[bytes]:
    for number in range(export.chunk_count):
        with services.store.read() as unit:
            sealed = unit.exports.get_chunk(export.id, number)
        if sealed is None:
            raise NotFound("File not found: it was deleted", ErrorCode.EXPORT_NOT_FOUND)
        yield zlib.decompress(services.vault.decrypt(sealed))


def _is_signed(services: Services, export: Export, expires: int, signature: str) -> bool:
    proof = _sign(services, export, expires)
    return hmac.compare_digest(signature.encode(), proof.encode())


def _sign(services: Services, export: Export, expires: int) -> str:
    # A database that was restored from a backup gives numbers again: whose export it is, and when
    # it was created, keep the link of an earlier one from opening the file of a later one.
    created = export.created_at.isoformat()
    about = f"{export.id} of {export.client_id} {export.mode} of {created} until {expires}"
    return services.vault.blind_index(f"file of export {about}")
