"""The sign-in form, and who is signed in."""

from collections.abc import Callable
from urllib.parse import urlsplit

import streamlit as st

from crossway.dashboard import cookies, session
from crossway.dashboard.components import widget
from crossway.dashboard.components.navigation import page_path
from crossway.dashboard.components.notices import error_sentence, escape_markdown
from crossway.dashboard.views import staff as view
from crossway.domain.errors import DomainError
from crossway.domain.staff import MAX_NAME_CHARACTERS
from crossway.domain.staff_passwords import MAX_PASSWORD_CHARACTERS
from crossway.usecases.staff.sessions import ReplayedAssertion, SignInRequirement

_WIDTH = 400


def require_sign_in() -> bool:
    """Whether the visitor is signed in; if not, draw only the sign-in form."""
    if session.signed_in_staff() is not None:
        if ticket := cookies.pending_ticket():
            widget.cookie(cookies.PATH, ticket)
        session.record_activity()
        return True
    refused = _sign_in_with_provider()
    if cookies.read_token():
        widget.cookie(cookies.PATH, "")
    with st.container(horizontal_alignment="center"), st.container(width=_WIDTH, key="door"):
        st.title("Sign in")
        if why := session.sign_out_reason():
            st.info(escape_markdown(why), icon=":material/logout:")
        if refused:
            st.error(escape_markdown(refused), icon=":material/block:")
        _sign_in_form(session.sign_in_requirement())
    return False


def signed_in_footer() -> None:
    """Who is signed in, with their role, at the bottom of the sidebar."""
    person = session.signed_in_staff()
    if person is None:
        return
    with st.sidebar, st.container(key="signed_in_as", gap="small"):
        if person.auth_method is None:
            st.caption("No staff account exists yet: anyone who opens this page has full access.")
            st.page_link(
                page_path("staff"), label="Add a staff member", icon=":material/person_add:"
            )
            return
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(
                f"**{escape_markdown(person.name)}**  \n:gray[{view.ROLES[person.role].text}]"
            )
            out = st.button("Sign out", key="sign_out", icon=":material/logout:")
        if out:
            session.sign_out()
            if _identity_claims():
                st.logout()
            st.rerun()


def _sign_in_form(state: SignInRequirement) -> None:
    if state is SignInRequirement.CLOSED:
        st.error(view.SIGN_IN_REQUIRED, icon=":material/lock:")
        return
    if state is SignInRequirement.INSTALL_PASSWORD:
        st.markdown("No staff account exists yet. Sign in with the installation password.")
    for provider, label in _providers().items():
        if st.button(f"Sign in with {label}", key=f"with_{provider}", width="stretch"):
            st.login(provider or None)
    with st.form("door", border=False):
        name = ""
        if state is SignInRequirement.STAFF:
            name = st.text_input("Name", autocomplete="username", max_chars=MAX_NAME_CHARACTERS)
        typed = st.text_input(
            "Password",
            type="password",
            autocomplete="current-password",
            max_chars=MAX_PASSWORD_CHARACTERS,
        )
        submitted = st.form_submit_button("Sign in", type="primary", width="stretch")
    if submitted and state is SignInRequirement.STAFF:
        _try_sign_in(lambda: session.sign_in_with_password(name, typed))
    elif submitted:
        _try_sign_in(lambda: session.sign_in_with_setup_password(typed))


def _try_sign_in(enter: Callable[[], None]) -> None:
    try:
        enter()
    except DomainError as refusal:
        st.error(escape_markdown(error_sentence(refusal)), icon=":material/block:")
        return
    st.rerun()


def _sign_in_with_provider() -> str:
    """Sign in with a fresh identity token; returns an error message, or an empty string."""
    claims = _identity_claims()
    if not claims or session.sign_in_requirement() is not SignInRequirement.STAFF:
        return ""
    try:
        session.sign_in_with_provider(claims)
    except ReplayedAssertion:
        return ""  # It let in before, and that stay is over.
    except DomainError as refusal:
        return error_sentence(refusal)
    st.rerun()


def _identity_claims() -> dict[str, object]:
    """The claims of the identity token; empty without one."""
    if not _providers() or not st.user.is_logged_in:
        return {}
    return {str(name): value for name, value in st.user.to_dict().items()}


def _providers() -> dict[str, str]:
    """The configured OpenID providers by name, with their labels."""
    if not st.secrets.load_if_toml_exists() or "auth" not in st.secrets:
        return {}
    auth = st.secrets["auth"]
    named = {name: name.replace("_", " ").title() for name in auth if hasattr(auth[name], "keys")}
    if named:
        return named
    return {"": urlsplit(str(auth.get("server_metadata_url", ""))).hostname or "your account"}
