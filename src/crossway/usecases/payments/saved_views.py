"""Filters that the team keeps under a name: one of each list may be what it opens with."""

from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from crossway.domain.clients import Caller
from crossway.domain.errors import InvalidInput, NotFound, WrongState
from crossway.domain.roles import Right
from crossway.ports.finding_records import SavedView
from crossway.ports.services import Services
from crossway.ports.store import Unit

MOST_VIEWS = 100
LONGEST_NAME, LONGEST_ASKED = 60, 2_000  # characters


def of_screen(services: Services, caller: Caller, screen: str) -> list[SavedView]:
    """The views of a list, by name, whoever made them."""
    caller.must(Right.SEE)
    with services.store.read() as unit:
        return unit.desk.views(screen)


def save(
    services: Services, caller: Caller, screen: str, name: str, asked: str, first: bool = False
) -> SavedView:
    """Keep what a list asks for now under a name that no other view of it has."""
    caller.must(Right.WORK)
    if not asked or len(asked) > LONGEST_ASKED:
        raise InvalidInput("view has no filter: choose one first, then keep it")
    now = services.clock.now()
    view = SavedView(0, screen, _named(name), asked, caller.who, now, first)

    def work(unit: Unit) -> SavedView:
        unit.network.lock(f"views:{screen}")
        known = unit.desk.views(screen)
        if len(known) >= MOST_VIEWS:
            raise WrongState(f"There are {MOST_VIEWS} views already: remove one first")
        _free(known, view)
        made = unit.desk.add_view(view)
        _note(unit, caller, now, "view saved", made, None, made)
        return made

    return services.store.write(work)


def change(
    services: Services,
    caller: Caller,
    view_id: int,
    name: str | None = None,
    first: bool | None = None,
) -> SavedView:
    """Give a view another name, or let its list open with it, or no more. Raises `NotFound`."""
    caller.must(Right.WORK)

    def work(unit: Unit) -> SavedView:
        before = _known(unit, view_id)
        unit.network.lock(f"views:{before.screen}")
        after = replace(
            before,
            name=before.name if name is None else _named(name),
            first=before.first if first is None else first,
        )
        _free(unit.desk.views(before.screen), after)
        unit.desk.change_view(after)
        _note(unit, caller, services.clock.now(), "view changed", after, before, after)
        return after

    return services.store.write(work)


def remove(services: Services, caller: Caller, view_id: int) -> None:
    """Forget a view, whoever made it; the list itself loses nothing. Raises `NotFound`."""
    caller.must(Right.WORK)

    def work(unit: Unit) -> None:
        before = _known(unit, view_id)
        unit.desk.remove_view(view_id)
        _note(unit, caller, services.clock.now(), "view removed", before, before, None)

    services.store.write(work)


def _named(name: str) -> str:
    name = " ".join(name.split())
    if not 1 <= len(name) <= LONGEST_NAME:
        raise InvalidInput(f"name must have from 1 to {LONGEST_NAME} characters")
    return name


def _free(known: list[SavedView], view: SavedView) -> None:
    for one in known:
        if one.id != view.id and one.name.casefold() == view.name.casefold():
            raise WrongState(f"There is a view called {one.name} already, by {one.who}")


def _known(unit: Unit, view_id: int) -> SavedView:
    view = unit.desk.view(view_id)
    if view is None:
        raise NotFound("View not found: somebody has removed it")
    return view


def _note(
    unit: Unit,
    caller: Caller,
    at: datetime,
    what: str,
    view: SavedView,
    before: SavedView | None,
    after: SavedView | None,
) -> None:
    detail, subject = {"view": view.name, "screen": view.screen}, f"view:{view.id}"
    unit.network.audit(caller.who, what, detail, at, subject, _told(before), _told(after))


def _told(view: SavedView | None) -> dict[str, Any] | None:
    if view is None:
        return None
    kept = asdict(view)
    return {name: kept[name] for name in ("name", "asked", "first")}
