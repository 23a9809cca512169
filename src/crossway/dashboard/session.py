"""The browser session of a page: the service behind it, who is signed in, and how they sign in."""

import secrets
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple, NoReturn

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from crossway.dashboard import session_owners
from crossway.domain.clients import (
    LOOPBACK,
    Mode,
    OwnerFilter,
    Principal,
    find_client_address,
    staff_principal,
)
from crossway.domain.roles import Role
from crossway.domain.staff import INSTALLATION_OPERATOR, AuthMethod
from crossway.ports.services import Services
from crossway.usecases.staff import sessions
from crossway.usecases.staff.sessions import ActiveSession, SignInRequirement

FIRST_KEYS = "first_keys"
MODE_KEY, MODE_COOKIE = "operator_mode", "crossway_mode"
_LAST_MODE, _NEXT_MODE = "last_mode", "next_mode"
_UNATTENDED = "unattended_rerun"
_VIEWER_SESSION, _MAX_VIEWER_SESSIONS = "viewer_session", 10_000
_factories: list[Callable[[], Services]] = []
_setup_passwords: list[str] = []
_token_readers: list[Callable[[], str]] = []


@dataclass(frozen=True, slots=True)
class SignedInStaff:
    """The signed-in person; `auth_method` is None where no sign-in is required yet."""

    name: str
    role: Role
    auth_method: AuthMethod | None


def configure(
    factory: Callable[[], Services],
    password: str = "",
    read_token: Callable[[], str] | None = None,
) -> None:
    """Set the factory of the service and the setup password that signs in while no staff account
    exists; the launcher calls this before any page runs. `read_token` returns the staff token of
    the running session, by default the one in its browser's cookie."""
    _factories[:] = [factory]
    _setup_passwords[:] = [password] if password else []
    _token_readers[:] = [read_token or _read_cookie]


@st.cache_resource(show_spinner=False)
def services() -> Services:
    """The one service of this process, shared by the API, the engine and every page."""
    if not _factories:
        raise RuntimeError("The dashboard has no service: start it with app.py")
    return _factories[0]()


def sign_in_requirement() -> SignInRequirement:
    """What a visitor must present before any page is shown."""
    return sessions.get_sign_in_requirement(services(), bool(setup_password()))


def is_open() -> bool:
    """Whether the dashboard asks nobody to sign in. Safe in any thread."""
    return sign_in_requirement() is SignInRequirement.NONE


def is_own_token(token: str) -> bool:
    """Whether this is the token of an active staff session, also of a person who must add a second
    factor first. Safe in any thread."""
    return sessions.get_own_session(services(), token) is not None


def signed_in_staff() -> SignedInStaff | None:
    """The person signed in to this session; None while they have to sign in."""
    if sign_in_requirement() is SignInRequirement.NONE:
        return SignedInStaff(INSTALLATION_OPERATOR, Role.ADMIN, None)
    session = own_session()
    return (
        None
        if session is None or session.must_enrol
        else SignedInStaff(session.name, session.role, session.session.auth_method)
    )


def own_session() -> ActiveSession | None:
    """The staff session of this browser, also of a person who must enrol first; None while nobody
    signed in, or where no sign-in is required."""
    token = _token()
    return sessions.get_own_session(services(), token) if token else None


def require_own_session() -> ActiveSession:
    """As `own_session`; reruns the page, which shows the sign-in form, if there is none."""
    active = own_session()
    if active is None:
        st.rerun()
    return active


class _Viewer(NamedTuple):
    """Who sees a viewer session, as of its last run: the staff token, and Streamlit's session."""

    token: str
    streamlit_session: str


@st.cache_resource(show_spinner=False)
def _viewers() -> OrderedDict[str, _Viewer]:
    """The viewers by the id of their viewer session."""
    return OrderedDict()


def viewer_session() -> str:
    """The unguessable id by which this session's browser subscribes to shared queries."""
    id_: str = st.session_state.setdefault(_VIEWER_SESSION, secrets.token_urlsafe(12))
    viewers, context = _viewers(), get_script_run_ctx()
    viewers[id_] = _Viewer(_token(), context.session_id if context else "")
    session_owners.record_owner(_token())
    viewers.move_to_end(id_)
    while len(viewers) > _MAX_VIEWER_SESSIONS:
        viewers.popitem(last=False)
    return id_


def is_viewer_session_kept(id_: str) -> bool:
    """Whether the Streamlit session that drew a page is the one its browser is connected to. False
    until it has connected again, and for good once Streamlit has forgotten the session: such a page
    has to be drawn anew. Safe in any thread."""
    viewer = _viewers().get(id_)
    return (
        viewer is not None
        and runtime.exists()
        and runtime.get_instance().is_active_session(viewer.streamlit_session)
    )


def is_viewer_session_active(id_: str) -> bool:
    """Whether the person behind a viewer session is still signed in. Safe in any thread."""
    viewer = _viewers().get(id_)
    if viewer is None:
        return False
    if sign_in_requirement() is SignInRequirement.NONE:
        return True
    token = viewer.token
    return bool(token) and sessions.get_active_session(services(), token) is not None


def current_mode() -> Mode:
    """The mode that this session shows, as chosen in the header. It begins with the one that was
    chosen last in this browser, else with live mode where there are live payments, else with test
    mode."""
    if _NEXT_MODE in st.session_state:
        st.session_state[MODE_KEY] = st.session_state.pop(_NEXT_MODE)
    chosen: Mode | None = st.session_state.get(MODE_KEY)
    if chosen is None:
        # A new session; or a browser on a busy machine has sent the selector without its choice.
        chosen = st.session_state.get(_LAST_MODE) or remembered_mode() or _first_mode()
        st.session_state[MODE_KEY] = chosen
    st.session_state[_LAST_MODE] = chosen
    return Mode(chosen)


def remembered_mode() -> Mode | None:
    """The mode chosen last in this browser, as its cookie had it when this session began."""
    value = st.context.cookies.get(MODE_COOKIE)
    return Mode(value) if value in tuple(Mode) else None


def _first_mode() -> Mode:
    with services().store.read() as unit:
        has_live = any(unit.intents.count_by_state(OwnerFilter(mode=Mode.LIVE)).values())
    return Mode.LIVE if has_live else Mode.TEST


def show_mode_next(mode: Mode | None = None) -> None:
    """Show a mode from the next run on, by default the one that a new session begins with. Unlike
    `mode_choice.switch_mode`, it works while a page is drawn, and is not remembered as a choice."""
    st.session_state[_NEXT_MODE] = mode or _first_mode()


def operator() -> Principal:
    """The principal of the signed-in person: lists every client's records, in the current mode.
    Reruns the page, which shows the sign-in form, if they were signed out."""
    member = signed_in_staff()
    if member is None:
        st.rerun()
    active = own_session() if member.auth_method else None
    principal = replace(
        staff_principal(member.name, member.role, current_mode()),
        session=active.session if active else None,
    )
    with services().store.read() as unit:
        first = unit.api_keys.get_first_client()
    # Payments that staff create belong to the first client; the audit log names the person.
    if first is None:
        return principal
    return replace(principal, client=replace(first, name=member.name))


def operator_for(client_id: str) -> Principal:
    """The operator, acting for a merchant: what they hand in or create is that merchant's."""
    principal = operator()
    with services().store.read() as unit:
        client = unit.api_keys.get_client(client_id)
    if client is None:
        return principal
    return replace(principal, client=replace(client, name=principal.client.name))


def record_activity() -> None:
    """Extend the staff session, unless the page was rerun without the user doing anything."""
    token = _token()
    if (
        not st.session_state.pop(_UNATTENDED, False)
        and token
        and sign_in_requirement() is not SignInRequirement.NONE
    ):
        sessions.record_activity(services(), token)


def rerun_unattended() -> NoReturn:
    """Rerun the whole page without counting it as activity of the user.

    A link that the user has clicked meanwhile is followed instead: `st.rerun` alone would replace
    its page by this one, and the click would be lost.
    """
    st.empty()  # Streamlit carries out a pending request before it adds an element.
    run_unattended()
    st.rerun()


def run_unattended() -> None:
    """Do not count the run that begins as activity of the user; for callbacks."""
    st.session_state[_UNATTENDED] = True


def _token() -> str:
    """The staff token of this session; empty without one."""
    return _token_readers[0]()


def _read_cookie() -> str:
    token = st.context.cookies.get(sessions.COOKIE)
    return token if isinstance(token, str) else ""


def setup_password() -> str:
    """The setup password; empty without one."""
    return _setup_passwords[0] if _setup_passwords else ""


def browser_address() -> str:
    """The browser's address as far as it can be trusted; sign-in attempts are limited by it."""
    address = st.context.ip_address
    peer = address if isinstance(address, str) else LOOPBACK
    forwarded_for = st.context.headers.get_all("X-Forwarded-For")
    trusted = services().policy.ingress.trusted_proxies
    return find_client_address(peer, forwarded_for, trusted) or "unknown"


def first_keys() -> dict[str, str]:
    """The API keys created on the first run, for the first session that asks for them."""
    if FIRST_KEYS not in st.session_state:
        st.session_state[FIRST_KEYS] = dict(services().process.first_keys())
    keys: dict[str, str] = st.session_state[FIRST_KEYS]
    return keys


def forget_first_keys() -> None:
    """Stop showing the first API keys."""
    st.session_state[FIRST_KEYS] = {}
