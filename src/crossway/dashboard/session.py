"""How a page reaches the service, and as whom it asks."""

import secrets
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import NoReturn

import streamlit as st

from crossway.dashboard import cookies
from crossway.domain.clients import Caller, Mode, insider, parsed_networks, within
from crossway.domain.roles import Role
from crossway.domain.staff import FIRST, Way
from crossway.ports.services import Services
from crossway.usecases.people import sign_in, stays
from crossway.usecases.people.stays import Door

KEYS = "first_keys"
MODE_KEY = "operator_mode"
_TOKEN, _UNATTENDED, _WHY_OUT = "signed_in", "drawn_by_itself", "why_out"
_SEAT, _MOST_SEATS = "seat", 10_000
_LOOPBACK = "127.0.0.1"
_factories: list[Callable[[], Services]] = []
_passwords: list[str] = []


@dataclass(frozen=True, slots=True)
class Person:
    """Who looks at this screen, and how they came in; None where nobody signs in yet."""

    name: str
    role: Role
    way: Way | None


def provide(factory: Callable[[], Services], password: str = "") -> None:
    """Name the one place that builds the service, and the password that lets in before there are
    people; the launcher does this before any page runs."""
    _factories[:] = [factory]
    _passwords[:] = [password] if password else []


@st.cache_resource(show_spinner=False)
def services() -> Services:
    """The one service of this process: the same object for API, engine and every page."""
    if not _factories:
        raise RuntimeError("The dashboard was started without its service: start it with app.py")
    return _factories[0]()


def door() -> Door:
    """Who is asked for what before anything is drawn."""
    return stays.door(services(), bool(_passwords))


def person() -> Person | None:
    """Who looks at this screen; None while they are still to sign in."""
    if door() is Door.OPEN:
        return Person(FIRST, Role.ADMIN, None)
    token = _token()
    found = stays.present(services(), token) if token else None
    return None if found is None else Person(found.name, found.role, found.stay.way)


@st.cache_resource(show_spinner=False)
def _seats() -> OrderedDict[str, str]:
    """By whose token each screen was drawn last."""
    return OrderedDict()


def seat() -> str:
    """What this session's browser shows to be told what its screen shows; nobody can guess it."""
    name: str = st.session_state.setdefault(_SEAT, secrets.token_urlsafe(12))
    seats = _seats()
    seats[name] = _token()
    seats.move_to_end(name)
    while len(seats) > _MOST_SEATS:
        seats.popitem(last=False)
    return name


def seated(name: str) -> bool:
    """Whether whoever had this screen drawn may still look at it. Asks nothing of a session."""
    token = _seats().get(name)
    if token is None:
        return False
    if door() is Door.OPEN:
        return True
    return bool(token) and stays.present(services(), token) is not None


def operator() -> Caller:
    """Whoever looks at this screen, who sees every client's payments, in the mode chosen in the
    sidebar. When they were signed out meanwhile, the screen is drawn anew, and the door on it."""
    found = person()
    if found is None:
        st.rerun()
    mode = Mode(st.session_state.get(MODE_KEY, Mode.TEST))
    caller = replace(insider(found.name, found.role), mode=mode)
    with services().store.read() as unit:
        clients = unit.access.clients()
    # The audit log names who acted, not for whom: their own payments are of the first client.
    return replace(caller, client=replace(clients[0], name=found.name)) if clients else caller


def enter(name: str, password: str) -> None:
    """Sign in by name and password. Raises what `sign_in.by_password` raises."""
    _let_in(sign_in.by_password(services(), name, password, _address()))


def enter_first(password: str) -> None:
    """Sign in by the installation's password. Raises what `by_first_password` raises."""
    known = _passwords[0] if _passwords else ""
    _let_in(sign_in.by_first_password(services(), password, known, _address()))


def enter_vouched(said: Mapping[str, object]) -> None:
    """Sign in by what a provider says of somebody, the claims of its identity token. Raises what
    `sign_in.by_provider` raises."""
    issued = said.get("iat")
    at = datetime.fromtimestamp(issued if isinstance(issued, int | float) else 0, UTC)
    proof = " ".join(str(said.get(name)) for name in ("iss", "sub", "iat", "nonce", "jti"))
    verified = said.get("email_verified", True) is True
    _let_in(sign_in.by_provider(services(), said.get("email"), verified, at, proof))


def leave() -> None:
    """Sign out, here and wherever else this browser shows the dashboard."""
    if token := _token():
        stays.leave(services(), token)
    st.session_state[_WHY_OUT] = "You are signed out."


def attend() -> None:
    """The frame was drawn because somebody did something, unless it drew itself."""
    token = _token()
    if not st.session_state.pop(_UNATTENDED, False) and token and door() is not Door.OPEN:
        stays.touch(services(), token)


def redraw() -> NoReturn:
    """Draw the whole screen anew though nobody asked for it: no sign that somebody is there."""
    st.session_state[_UNATTENDED] = True
    st.rerun()


def why_out() -> str:
    """Why somebody who was signed in is so no more; empty where nobody was."""
    said: str = st.session_state.get(_WHY_OUT, "")
    token = _token()
    return (stays.why_out(services(), token) if token else "") or said


def _token() -> str:
    """The token of this session, or of an earlier one of the same browser."""
    kept: str = st.session_state.get(_TOKEN, "")
    return kept or cookies.brought()


def _let_in(token: str) -> None:
    st.session_state[_TOKEN] = token
    st.session_state.pop(_WHY_OUT, None)
    cookies.give(token)


def _address() -> str:
    """What tries to sign in are counted by: the browser's address, as far as it is known."""
    known = st.context.ip_address
    peer = known if isinstance(known, str) else _LOOPBACK
    trusted = parsed_networks(services().doors.trusted_proxies)
    claimed = [
        text.strip()
        for value in st.context.headers.get_all("X-Forwarded-For")
        for text in value.split(",")
    ]
    if not within(peer, trusted):
        return "unknown" if peer in claimed and not within(_LOOPBACK, trusted) else peer
    return next((one for one in reversed(claimed) if not within(one, trusted)), peer)


def first_keys() -> dict[str, str]:
    """The keys of the first run, for the session that saw them first, until it puts them away."""
    if KEYS not in st.session_state:
        st.session_state[KEYS] = dict(services().first_keys())
    kept: dict[str, str] = st.session_state[KEYS]
    return kept


def forget_first_keys() -> None:
    """Show the first keys no more."""
    st.session_state[KEYS] = {}
