"""The palette of every page: jump to pages and records, and start actions, from the keyboard."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import Any, Final

import streamlit as st

from crossway.dashboard.components import alerts, emergency_stop, search, simulator, widget
from crossway.dashboard.components.navigation import open_page
from crossway.dashboard.mode_choice import switch_mode
from crossway.dashboard.page_registry import PAGES
from crossway.dashboard.session import current_mode, services, signed_in_staff
from crossway.dashboard.views import palette_entries as view
from crossway.dashboard.views import simulator as clock
from crossway.domain.clients import Mode

KEY: Final = "palette"
_ASKED: Final = "palette_asked"
_ACTS: Final[Mapping[str, Callable[[], None]]] = MappingProxyType(
    {
        "acknowledge": alerts.ask_acknowledgement,
        "stop": emergency_stop.ask,
        "clock": simulator.toggle_clock,
        "reset": simulator.reset_all_faults,
    }
)


def palette() -> None:
    """Draw the button that opens the palette."""
    if entries := _list_entries():
        widget.palette({"entries": entries, "mode": current_mode().value}, KEY, _take_act)


def do_what_was_chosen() -> None:
    """Do what somebody has chosen in the palette, if anything; messages appear in this place."""
    kind, _, text = str(st.session_state.pop(_ASKED, "")).partition(":")
    if kind == "find" and text.strip():
        text = text[: view.MAX_TEXT]
        if not search.open_match(text):
            open_page("search", q=text.strip())
    elif kind in _ACTS and kind in {entry["act"] for entry in _list_entries()}:
        _ACTS[kind]()


def _list_entries() -> list[dict[str, Any]]:
    """What the signed-in person can jump to and do."""
    person = signed_in_staff()
    if person is None:
        return []
    simulated = services().environment == "simulated"
    face = clock.read_clock(services()) if simulated else None
    frozen = face is not None and face.frozen
    actions = view.list_actions(person.role, current_mode(), simulated, frozen)
    return [asdict(entry) for entry in (*_pages(simulated), *actions)]


def _pages(simulated: bool) -> Iterator[view.PaletteEntry]:
    for page in PAGES:
        is_listed = page.section or page.name in view.UNLISTED_PAGES
        if is_listed and (simulated or not page.simulated):
            href = page.name if page is not PAGES[0] else "./"
            yield view.page_entry(page.name, page.title, page.help, page.icon, href)


def _take_act() -> None:
    """Keep what was chosen for the run that begins; the mode is changed before its widget is."""
    asked = st.session_state[KEY].get("act")
    if not isinstance(asked, str):
        return
    kind, _, rest = asked.partition(":")
    if kind == "mode" and rest in tuple(Mode):
        switch_mode(Mode(rest))
    else:
        st.session_state[_ASKED] = asked
