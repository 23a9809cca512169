"""Writes the files of exports, a chunk in each transaction, so that another process can go on."""

import json
import logging
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

from crossway.domain.clients import Principal, Scope
from crossway.domain.errors import DomainError, InvalidInput
from crossway.domain.exports import OPEN_EXPORT_STATES, Export, ExportFormat, ExportState
from crossway.ports.services import Services
from crossway.usecases.csv_lines import CsvLines
from crossway.usecases.exports.sources import BATCH_SIZE, COLUMNS, Source

MAX_ROWS: Final = 500_000
MAX_ATTEMPTS: Final = 3
CHUNKS_PER_TURN: Final = 10
LEASE, KEPT = timedelta(seconds=60), timedelta(hours=24)
# A file may be large, and what moves money waits while it is deleted.
_DELETED_AT_ONCE: Final = 1
log = logging.getLogger("crossway.exports")


def run_next(services: Services, batch_size: int = BATCH_SIZE) -> int:
    """Write the next part of the export that has waited longest, after deleting one that expired;
    returns whether there was one. A process that dies leaves it to another after a minute."""
    now, machine = services.clock.now(), services.clock.machine()
    with services.store.read() as unit:
        is_due = unit.exports.has_due(now, machine)
    if not is_due:
        return 0
    services.store.write(lambda unit: unit.exports.delete_expired(now, _DELETED_AT_ONCE))
    export = services.store.write(lambda unit: unit.exports.lease_next(machine, machine + LEASE))
    if export is None:
        return 0
    try:
        _write_part(services, export, batch_size)
    except DomainError as error:
        _end(services, export.id, f"{error}.")
    except Exception:
        log.exception("export %d failed", export.id)
        _count_failure(services, export.id)
        raise
    return 1


def _write_part(services: Services, export: Export, batch_size: int) -> None:
    """Write some chunks; then others have their turn, so that a short export waits for no long
    ones."""
    source = open_source(services, export)
    for _ in range(CHUNKS_PER_TURN):
        written = write_chunk(services, source, export, batch_size)
        if written is None or written.state is not ExportState.RUNNING:
            return
        export = written
    released = replace(export, leased_until=services.clock.machine())
    services.store.write(lambda unit: unit.exports.save(export, released))


def open_source(services: Services, export: Export) -> Source:
    """The records of an export."""
    with services.store.read() as unit:
        client = unit.api_keys.get_client(export.client_id)
    assert client is not None
    caller = Principal(client, export.mode, frozenset({Scope.READ}))
    return Source(services, caller, export.resource, export.filters)


def write_chunk(
    services: Services, source: Source, export: Export, batch_size: int
) -> Export | None:
    """Store the next chunk of a leased export and where it ends, together; returns the export as
    it is then, None if it was deleted or another process has it. Raises `InvalidInput` for too
    many rows."""
    page = source.read_page(export.place, batch_size)
    rows = export.rows + len(page.rows)
    if rows > MAX_ROWS:
        raise InvalidInput(f"More than {MAX_ROWS:,} rows match: choose a shorter period")
    ended = page.place is None or page.place <= export.lowest_id
    text = _format(export, page.rows, ended).encode()
    now = services.clock.now()
    after = replace(
        export,
        place=export.lowest_id if page.place is None else page.place,
        rows=rows,
        byte_count=export.byte_count + len(text),
        chunk_count=export.chunk_count + bool(text),
        attempt_count=0,
        updated_at=now,
        state=ExportState.COMPLETED if ended else ExportState.RUNNING,
        expires_at=now + KEPT if ended else None,
        leased_until=services.clock.machine() + LEASE,
    )
    sealed = services.vault.encrypt(zlib.compress(text)) if text else None
    saved = services.store.write(lambda unit: unit.exports.save(export, after, sealed))
    return after if saved else None


def _format(export: Export, rows: Sequence[Mapping[str, Any]], ended: bool) -> str:
    """The next part of the file."""
    if export.format is ExportFormat.CSV:
        columns, lines = COLUMNS[export.resource], CsvLines()
        header = "" if export.chunk_count else lines.format(columns)
        return header + "".join(lines.format([row[name] for name in columns]) for row in rows)
    records = [json.dumps(row, ensure_ascii=False, default=str) for row in rows]
    is_first = export.rows == 0
    text = "[" if export.chunk_count == 0 else ""
    if records:
        text += ("\n" if is_first else ",\n") + ",\n".join(records)
    return text + ("\n]\n" if ended else "")


def _end(services: Services, export_id: int, error: str) -> None:
    """End an export that cannot be written, unless it was deleted, or another process has ended it
    since: its file stays."""
    now = services.clock.now()
    with services.store.read() as unit:
        export = unit.exports.get(export_id)
    if export is not None and export.state in OPEN_EXPORT_STATES:
        failed = replace(
            export, state=ExportState.FAILED, error=error, updated_at=now, expires_at=now + KEPT
        )
        services.store.write(lambda unit: unit.exports.save(export, failed))


def _count_failure(services: Services, export_id: int) -> None:
    """Try again later, a few times."""
    with services.store.read() as unit:
        export = unit.exports.get(export_id)
    if export is None or export.state is not ExportState.RUNNING:
        return
    if export.attempt_count + 1 >= MAX_ATTEMPTS:
        _end(services, export_id, "It could not be written: create it again.")
        return
    again = replace(export, attempt_count=export.attempt_count + 1)
    services.store.write(lambda unit: unit.exports.save(export, again))
