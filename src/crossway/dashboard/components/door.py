"""The door: who must sign in before anything is drawn, and who is inside."""

from collections.abc import Callable
from urllib.parse import urlsplit

import streamlit as st

from crossway.dashboard import cookies, session
from crossway.dashboard.components import widget
from crossway.dashboard.components.notices import as_text, sentence
from crossway.dashboard.navigation import page
from crossway.dashboard.views import people as view
from crossway.domain.errors import Refusal
from crossway.domain.staff import LONGEST_NAME, LONGEST_PASSWORD
from crossway.usecases.people.sign_in import UsedProof
from crossway.usecases.people.stays import Door

_WIDTH = 400


def door() -> bool:
    """Whether whoever is there is let in; else draw nothing but the question who it is."""
    if session.person() is not None:
        if ticket := cookies.waiting():
            widget.cookie(cookies.PATH, ticket)
        session.attend()
        return True
    refused = _vouched()
    if cookies.brought():
        widget.cookie(cookies.PATH, "")
    with st.container(horizontal_alignment="center"), st.container(width=_WIDTH, key="door"):
        st.title("Sign in")
        if why := session.why_out():
            st.info(as_text(why), icon=":material/logout:")
        if refused:
            st.error(as_text(refused), icon=":material/block:")
        _ask(session.door())
    return False


def who() -> None:
    """At the foot of the sidebar: who is signed in, as what, and the way out."""
    person = session.person()
    if person is None:
        return
    with st.sidebar, st.container(key="signed_in_as", gap="small"):
        if person.way is None:
            st.caption("Nobody signs in here yet: whoever opens this page may do everything.")
            st.page_link(page("people"), label="Add a person", icon=":material/person_add:")
            return
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(f"**{as_text(person.name)}**  \n:gray[{view.ROLES[person.role].text}]")
            out = st.button("Sign out", key="sign_out", icon=":material/logout:")
        if out:
            session.leave()
            if _provider_said():
                st.logout()
            st.rerun()


def _ask(state: Door) -> None:
    if state is Door.SHUT:
        st.error(view.SHUT, icon=":material/lock:")
        return
    if state is Door.FIRST:
        st.markdown("Nobody has an account here yet. Sign in with the installation's password.")
    for provider, label in _providers().items():
        if st.button(f"Sign in with {label}", key=f"with_{provider}", width="stretch"):
            st.login(provider or None)
    with st.form("door", border=False):
        name = ""
        if state is Door.PEOPLE:
            name = st.text_input("Name", autocomplete="username", max_chars=LONGEST_NAME)
        typed = st.text_input(
            "Password", type="password", autocomplete="current-password", max_chars=LONGEST_PASSWORD
        )
        asked = st.form_submit_button("Sign in", type="primary", width="stretch")
    if asked and state is Door.PEOPLE:
        _tried(lambda: session.enter(name, typed))
    elif asked:
        _tried(lambda: session.enter_first(typed))


def _tried(enter: Callable[[], None]) -> None:
    try:
        enter()
    except Refusal as refusal:
        st.error(as_text(sentence(refusal)), icon=":material/block:")
        return
    st.rerun()


def _vouched() -> str:
    """Let in whom a provider has just vouched for; else why not, empty when nobody was."""
    said = _provider_said()
    if not said or session.door() is not Door.PEOPLE:
        return ""
    try:
        session.enter_vouched(said)
    except UsedProof:
        return ""  # It let in before, and that stay is over.
    except Refusal as refusal:
        return sentence(refusal)
    st.rerun()


def _provider_said() -> dict[str, object]:
    """What a provider says of whoever is here; empty where none was asked."""
    if not _providers() or not st.user.is_logged_in:
        return {}
    return {str(name): value for name, value in st.user.to_dict().items()}


def _providers() -> dict[str, str]:
    """Providers to sign in with by their names in the secrets, with what people call them."""
    if not st.secrets.load_if_toml_exists() or "auth" not in st.secrets:
        return {}
    auth = st.secrets["auth"]
    named = {name: name.replace("_", " ").title() for name in auth if hasattr(auth[name], "keys")}
    if named:
        return named
    return {"": urlsplit(str(auth.get("server_metadata_url", ""))).hostname or "your account"}
