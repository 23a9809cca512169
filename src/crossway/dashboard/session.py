"""How a page reaches the service, and as whom it asks."""

import hmac
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import streamlit as st

from crossway.domain.clients import DEFAULT_REQUESTS_PER_MINUTE, Caller, Client, Mode, Scope
from crossway.domain.roles import Role
from crossway.ports.services import Services

OPERATOR = "Operator"
KEYS = "first_keys"
MODE_KEY = "operator_mode"
SIGNED_IN = "signed_in"
_factories: list[Callable[[], Services]] = []
_passwords: list[str] = []


def provide(factory: Callable[[], Services], password: str = "") -> None:
    """Name the one place that builds the service, and the password that operators must give;
    the launcher does this before any page runs."""
    _factories[:] = [factory]
    _passwords[:] = [password] if password else []


def locked() -> bool:
    """Whether this session must still give the password."""
    return bool(_passwords) and not st.session_state.get(SIGNED_IN, False)


def unlock(typed: str) -> bool:
    """Whether this is the password; if so, the session may go on."""
    right = any(hmac.compare_digest(typed.encode(), known.encode()) for known in _passwords)
    if right:
        st.session_state[SIGNED_IN] = True
    return right


@st.cache_resource(show_spinner=False)
def services() -> Services:
    """The one service of this process: the same object for API, engine and every page."""
    if not _factories:
        raise RuntimeError("The dashboard was started without its service: start it with app.py")
    return _factories[0]()


def operator() -> Caller:
    """The operator, who sees every client's payments, in the mode chosen in the sidebar."""
    return Caller(
        client=_client(),
        mode=Mode(st.session_state.get(MODE_KEY, Mode.TEST)),
        scopes=frozenset(Scope),
        role=Role.ADMIN,
    )


def _client() -> Client:
    """For whom an operator's own payments are made: the first client there is."""
    with services().store.read() as unit:
        clients = unit.access.clients()
    if clients:
        # The audit log names who acted, not for whom.
        return replace(clients[0], name=OPERATOR)
    born = datetime(2026, 1, 1, tzinfo=UTC)
    return Client("operator", OPERATOR, 0, None, DEFAULT_REQUESTS_PER_MINUTE, born)


def first_keys() -> dict[str, str]:
    """The keys of the first run, for the session that saw them first, until it puts them away."""
    if KEYS not in st.session_state:
        st.session_state[KEYS] = dict(services().first_keys())
    kept: dict[str, str] = st.session_state[KEYS]
    return kept


def forget_first_keys() -> None:
    """Show the first keys no more."""
    st.session_state[KEYS] = {}
