"""The sign-in form with its second step, and who is signed in."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from urllib.parse import urlsplit

import streamlit as st

from crossway.dashboard import cookies, session, signing_in
from crossway.dashboard.components import enrolment, recovery_codes, step_up, widget
from crossway.dashboard.components.navigation import page_path
from crossway.dashboard.components.notices import error_sentence, escape_markdown
from crossway.dashboard.components.passkey_button import passkey_button
from crossway.dashboard.session import services
from crossway.dashboard.views import staff as view
from crossway.domain.errors import DomainError
from crossway.domain.second_factors import MAX_CODE_CHARACTERS
from crossway.domain.staff import MAX_NAME_CHARACTERS
from crossway.domain.staff_passwords import MAX_PASSWORD_CHARACTERS
from crossway.usecases.staff import passkeys
from crossway.usecases.staff.login_throttle import TooManyTriesForName
from crossway.usecases.staff.sessions import ReplayedAssertion, SignInRequirement
from crossway.usecases.staff.sign_in import PendingSignIn

_BLOCKED = "blocked_name"
_WIDTH = 400


def require_sign_in() -> bool:
    """Whether the visitor is signed in and may use the dashboard; if not, draw only what they have
    to do first: sign in, add a second factor, or save their recovery codes."""
    signed_in = session.signed_in_staff() is not None
    if signed_in or session.own_session() is not None:
        if ticket := cookies.pending_ticket():
            widget.cookie(cookies.PATH, ticket)
        session.record_activity()
        if recovery_codes.are_unsaved():
            with _door("Your recovery codes"):
                recovery_codes.show_unsaved()
            return False
    if signed_in:
        return True
    active = session.own_session()
    if active is not None and active.must_enrol:
        with _door("Add a second factor"):
            enrolment.enrol(active)
            sign_out_button()
        step_up.ask_if_waiting()
        return False
    _draw_sign_in()
    return False


def _draw_sign_in() -> None:
    pending = signing_in.pending_sign_in()
    refused = "" if pending else _sign_in_with_provider()
    if cookies.read_token():
        widget.cookie(cookies.PATH, "")
    pending = signing_in.pending_sign_in()
    with _door("Sign in"):
        if pending is None and (why := session.sign_out_reason()):
            st.info(escape_markdown(why), icon=":material/logout:")
        if refused:
            st.error(escape_markdown(refused), icon=":material/block:")
        if pending is not None:
            _second_factor_form(pending)
        else:
            _sign_in_form(session.sign_in_requirement())


@contextmanager
def _door(title: str) -> Iterator[None]:
    """The narrow page in front of the dashboard."""
    with st.container(horizontal_alignment="center"), st.container(width=_WIDTH, key="door"):
        st.title(title)
        yield


def signed_in_footer() -> None:
    """Who is signed in, with their role, at the bottom of the sidebar."""
    person = session.signed_in_staff()
    if person is None:
        return
    with st.sidebar, st.container(key="signed_in_as", gap="small"):
        if person.auth_method is None:
            st.caption("No staff account exists yet: whoever uses this machine has full access.")
            st.page_link(
                page_path("staff"), label="Add a staff member", icon=":material/person_add:"
            )
            return
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(
                f"**{escape_markdown(person.name)}**  \n:gray[{view.ROLES[person.role].text}]"
            )
            sign_out_button()
        st.page_link(page_path("account"), label="Your sign-in", icon=":material/passkey:")


def sign_out_button() -> None:
    """The button that signs out, at the identity provider as well."""
    if st.button("Sign out", key="sign_out", icon=":material/logout:"):
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
    is_staff = state is SignInRequirement.STAFF
    blocked: str = st.session_state.get(_BLOCKED, "")
    if blocked:
        st.error(escape_markdown(blocked), icon=":material/block:")
    with st.form("door", border=False):
        name = recovery_code = ""
        if is_staff:
            name = st.text_input("Name", autocomplete="username", max_chars=MAX_NAME_CHARACTERS)
        typed = st.text_input(
            "Password",
            type="password",
            autocomplete="current-password",
            max_chars=MAX_PASSWORD_CHARACTERS,
        )
        if blocked and is_staff:
            recovery_code = st.text_input("Recovery code", max_chars=MAX_CODE_CHARACTERS)
        submitted = st.form_submit_button("Sign in", type="primary", width="stretch")
    if submitted and is_staff:
        _try(lambda: signing_in.sign_in_with_password(name, typed, recovery_code))
    elif submitted:
        _try(lambda: signing_in.sign_in_with_setup_password(typed))
    if is_staff and passkeys.has_passkeys(services()):
        _passkey_sign_in()


def _second_factor_form(pending: PendingSignIn) -> None:
    st.markdown(f"**{escape_markdown(pending.member.name)}**, confirm that it is you.")
    if pending.factors.passkeys:
        _passkey_sign_in(primary=True)
    has_app = pending.factors.authenticator is not None
    with st.form("second_factor", border=False):
        code = st.text_input(
            "Code of your authenticator app" if has_app else "Recovery code",
            autocomplete="one-time-code",
            max_chars=MAX_CODE_CHARACTERS,
            help="Or one of your recovery codes." if has_app else None,
        )
        submitted = st.form_submit_button(
            "Continue",
            type="secondary" if pending.factors.passkeys else "primary",
            width="stretch",
        )
    if submitted:
        _try(lambda: signing_in.complete_sign_in(pending, code))
    if st.button("Start over", type="tertiary"):
        signing_in.cancel_pending()
        if _identity_claims():
            st.logout()
        st.rerun()


def _passkey_sign_in(primary: bool = False) -> None:
    request = partial(passkeys.begin_sign_in, services())
    answer = passkey_button("Sign in with a passkey", "get", request, "sign_in_passkey", primary)
    if answer is not None:
        site, challenge, response = answer.site, answer.challenge, answer.response
        _try(lambda: signing_in.sign_in_with_passkey(site, challenge, response))


def _try(enter: Callable[[], None]) -> None:
    try:
        enter()
    except DomainError as refusal:
        if not isinstance(refusal, TooManyTriesForName):
            st.error(escape_markdown(error_sentence(refusal)), icon=":material/block:")
            return
        # The form is drawn again, with a field for a recovery code.
        st.session_state[_BLOCKED] = error_sentence(refusal)
    else:
        st.session_state.pop(_BLOCKED, None)
    st.rerun()


def _sign_in_with_provider() -> str:
    """Sign in with a fresh identity token; returns an error message, or an empty string."""
    claims = _identity_claims()
    if not claims or session.sign_in_requirement() is not SignInRequirement.STAFF:
        return ""
    try:
        signing_in.sign_in_with_provider(claims)
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
