"""Notes on payments, and saved views: filters of a list that the team stores under a name."""

from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput, InvalidStatus, NotFound
from crossway.domain.roles import Permission
from crossway.ports.search_repository import Note, SavedView
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.intents import get_by_id

MAX_VIEWS = 100
MAX_NAME_LENGTH, MAX_QUERY_LENGTH = 60, 2_000  # characters


def list_views(services: Services, caller: Principal, screen: str) -> list[SavedView]:
    """The saved views of a screen, by name, whoever saved them."""
    caller.require_permission(Permission.VIEW)
    with services.store.read() as unit:
        return unit.notes_and_saved_views.list_views(screen)


def save_view(
    services: Services,
    caller: Principal,
    screen: str,
    name: str,
    query: str,
    is_default: bool = False,
) -> SavedView:
    """Save a filter query under a name that is unique on its screen; audited."""
    caller.require_permission(Permission.OPERATE)
    if not query or len(query) > MAX_QUERY_LENGTH:
        raise InvalidInput("view has no filter: choose a filter first, then save the view")
    now = services.clock.now()
    view = SavedView(0, screen, _parse_name(name), query, caller.actor_name, now, is_default)

    def work(unit: UnitOfWork) -> SavedView:
        unit.leases.lock(f"views:{screen}")
        existing = unit.notes_and_saved_views.list_views(screen)
        if len(existing) >= MAX_VIEWS:
            raise InvalidStatus(f"This screen already has {MAX_VIEWS} views: delete one first")
        _require_free_name(existing, view)
        stored = unit.notes_and_saved_views.add_view(view)
        _audit(unit, caller, now, "view saved", stored, None, stored)
        return stored

    return services.store.write(work)


def update_view(
    services: Services,
    caller: Principal,
    view_id: int,
    name: str | None = None,
    is_default: bool | None = None,
) -> SavedView:
    """Rename a view, or set whether it is the default of its screen; audited. Raises `NotFound`."""
    caller.require_permission(Permission.OPERATE)

    def work(unit: UnitOfWork) -> SavedView:
        before = _get_view(unit, view_id)
        unit.leases.lock(f"views:{before.screen}")
        after = replace(
            before,
            name=before.name if name is None else _parse_name(name),
            is_default=before.is_default if is_default is None else is_default,
        )
        _require_free_name(unit.notes_and_saved_views.list_views(before.screen), after)
        unit.notes_and_saved_views.update_view(after)
        _audit(unit, caller, services.clock.now(), "view changed", after, before, after)
        return after

    return services.store.write(work)


def delete_view(services: Services, caller: Principal, view_id: int) -> None:
    """Delete a view, whoever saved it; audited. Raises `NotFound`."""
    caller.require_permission(Permission.OPERATE)

    def work(unit: UnitOfWork) -> None:
        before = _get_view(unit, view_id)
        unit.notes_and_saved_views.delete_view(view_id)
        _audit(unit, caller, services.clock.now(), "view deleted", before, before, None)

    services.store.write(work)


def _parse_name(name: str) -> str:
    name = " ".join(name.split())
    if not 1 <= len(name) <= MAX_NAME_LENGTH:
        raise InvalidInput(f"name must have 1 to {MAX_NAME_LENGTH} characters")
    return name


def _require_free_name(existing: list[SavedView], view: SavedView) -> None:
    for other in existing:
        if other.id != view.id and other.name.casefold() == view.name.casefold():
            raise InvalidStatus(
                f"A view named {other.name} already exists, saved by {other.author}"
            )


def _get_view(unit: UnitOfWork, view_id: int) -> SavedView:
    view = unit.notes_and_saved_views.get_view(view_id)
    if view is None:
        raise NotFound("View not found: it may have been deleted")
    return view


def _audit(
    unit: UnitOfWork,
    caller: Principal,
    at: datetime,
    action: str,
    view: SavedView,
    before: SavedView | None,
    after: SavedView | None,
) -> None:
    detail, subject = {"view": view.name, "screen": view.screen}, f"view:{view.id}"
    unit.audit_log.record(
        caller.actor_name, action, detail, at, subject, _audit_fields(before), _audit_fields(after)
    )


def _audit_fields(view: SavedView | None) -> dict[str, Any] | None:
    if view is None:
        return None
    fields = asdict(view)
    return {name: fields[name] for name in ("name", "query", "is_default")}


MAX_NOTE_LENGTH = 2_000  # characters


def add_note(services: Services, caller: Principal, intent_id: int, text: str) -> Note:
    """Add a note to a payment under the author's name; audited. Raises `NotFound`."""
    caller.require_permission(Permission.OPERATE)
    text = text.strip()
    if not text:
        raise InvalidInput("note must not be empty")
    if len(text) > MAX_NOTE_LENGTH:
        raise InvalidInput(f"note has {len(text):,} characters; the limit is {MAX_NOTE_LENGTH:,}")
    intent = get_by_id(services, caller, intent_id)
    note = Note(0, f"intent:{intent.id}", services.clock.now(), caller.actor_name, text)

    def work(unit: UnitOfWork) -> Note:
        stored = unit.notes_and_saved_views.add_note(note)
        detail = {"intent": intent.id, "note": stored.id}
        unit.audit_log.record(caller.actor_name, "note added", detail, note.at, note.subject)
        return stored

    return services.store.write(work)
