"""Exports of a client: creating, reading and deleting them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeVar

from crossway.domain.clients import OwnerFilter, Principal, Scope
from crossway.domain.error_codes import ErrorCode
from crossway.domain.errors import FieldError, InvalidInput, InvalidStatus, NotFound
from crossway.domain.exports import (
    OPEN_EXPORT_STATES,
    Export,
    ExportFormat,
    ExportResource,
    ExportState,
)
from crossway.domain.public_ids import RecordKind
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.exports.sources import Source
from crossway.usecases.public_numbers import ids_of
from crossway.usecases.validation_errors import ValidationErrors

# Files are in the database that payments need: no client fills its disk.
MAX_OPEN, MAX_STORED, MAX_STORED_MB = 3, 20, 500
E = TypeVar("E", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """What a client wants exported, as it said it."""

    resource: object
    format: object = None
    filters: Mapping[str, object] | None = None
    field_errors: tuple[FieldError, ...] = ()


def create_export(
    services: Services,
    caller: Principal,
    request: ExportRequest,
    store: Callable[[UnitOfWork, Export], None],
) -> Export:
    """Queue an export of the caller's records of now. Raises `InvalidInput`, and `InvalidStatus`
    while too many are in progress or stored."""
    caller.require_scope(Scope.WRITE)
    owner, errors = caller.owner, ValidationErrors(request.field_errors)
    resource = errors.collect(_parse, ExportResource, request.resource, "resource")
    chosen = "csv" if request.format is None else request.format
    format = errors.collect(_parse, ExportFormat, chosen, "format")
    filters, source = dict(request.filters or {}), None
    if resource is not None:
        source = errors.collect(_open_source, services, caller, resource, filters)
    errors.raise_if_any()
    assert resource is not None
    assert format is not None
    assert source is not None
    before_id, lowest_id = source.read_bounds()
    now = services.clock.now()
    new = Export(
        0, owner.client_id, owner.mode, resource, format,
        {name: str(value) for name, value in filters.items()}, ExportState.PENDING,
        before_id, lowest_id, before_id, 0, 0, 0, 0, "", now, now, None, services.clock.machine(),
    )  # fmt: skip

    def work(unit: UnitOfWork) -> Export:
        # The lock makes concurrent requests respect the limits.
        unit.leases.lock(f"exports:{owner.client_id}")
        _require_room(_list(services, caller, unit))
        export = unit.exports.add(new)
        store(unit, export)
        return export

    return services.store.write(work)


def list_exports(services: Services, caller: Principal) -> list[Export]:
    """The caller's exports, newest first."""
    caller.require_scope(Scope.READ)
    with services.store.read() as unit:
        return _list(services, caller, unit)


def get_export(services: Services, caller: Principal, export_id: int) -> Export:
    """One of the caller's exports. Raises `NotFound`."""
    caller.require_scope(Scope.READ)
    with services.store.read() as unit:
        return _require_owned(services, caller, unit.exports.get(export_id))


def delete_export(services: Services, caller: Principal, export_id: int) -> None:
    """Delete an export with its file; one in progress ends. Raises `NotFound`."""
    caller.require_scope(Scope.WRITE)

    def work(unit: UnitOfWork) -> None:
        _require_owned(services, caller, unit.exports.get(export_id))
        unit.exports.delete(export_id)

    services.store.write(work)


def public_number(services: Services, export: Export) -> int:
    """The number of an export in the API."""
    return ids_of(services).encode(RecordKind.EXPORT, export.id)


def _open_source(
    services: Services, caller: Principal, resource: ExportResource, filters: dict[str, object]
) -> Source:
    """The records; what is wrong with a filter is about the field `filters`."""
    try:
        return Source(services, caller, resource, filters)
    except InvalidInput as error:
        errors = [replace(one, fields=("filters",)) for one in error.field_errors]
        raise InvalidInput.of(errors) from error


def _require_room(stored: list[Export]) -> None:
    if sum(export.state in OPEN_EXPORT_STATES for export in stored) >= MAX_OPEN:
        raise InvalidStatus(
            f"{MAX_OPEN} exports are in progress: wait until one ends", ErrorCode.LIMIT_REACHED
        )
    if len(stored) >= MAX_STORED:
        raise InvalidStatus(
            f"A client has at most {MAX_STORED} exports in each mode: delete one",
            ErrorCode.LIMIT_REACHED,
        )
    if sum(export.byte_count for export in stored) >= MAX_STORED_MB * 1_000_000:
        raise InvalidStatus(
            f"The exports of a client have at most {MAX_STORED_MB} MB in each mode: delete one",
            ErrorCode.LIMIT_REACHED,
        )


def _list(services: Services, caller: Principal, unit: UnitOfWork) -> list[Export]:
    now, stored = services.clock.now(), unit.exports.list_by_owner(caller.narrow(OwnerFilter()))
    return [export for export in stored if not export.has_expired(now)]


def _require_owned(services: Services, caller: Principal, export: Export | None) -> Export:
    is_own = export is not None and caller.can_access(export)
    if export is None or not is_own or export.has_expired(services.clock.now()):
        raise NotFound("Export not found", ErrorCode.EXPORT_NOT_FOUND)
    return export


def _parse(kind: type[E], text: object, field: str) -> E:
    try:
        return kind(str(text))
    except ValueError:
        raise InvalidInput(f"{field} must be one of {', '.join(kind)}") from None
