"""Adding a second factor: an authenticator app with its QR code, or a passkey."""

from functools import partial

import streamlit as st

from crossway.dashboard.components import recovery_codes
from crossway.dashboard.components.actions import run_action
from crossway.dashboard.components.passkey_button import forget_request, passkey_button
from crossway.dashboard.session import require_own_session, services
from crossway.domain.second_factors import (
    MAX_CODE_CHARACTERS,
    MAX_PASSKEY_NAME_CHARACTERS,
    RelyingParty,
)
from crossway.qr import qr_svg
from crossway.usecases.staff import passkeys, second_factors
from crossway.usecases.staff.passkeys import PasskeyRequest
from crossway.usecases.staff.second_factors import AuthenticatorEnrolment
from crossway.usecases.staff.sessions import ActiveSession
from crossway.usecases.staff.step_up import require_step_up

_APP, _ADDING_PASSKEY, _PASSKEY = "new_authenticator", "adds_passkey", "new_passkey"
_QR_WIDTH = 220


def enrol(active: ActiveSession) -> None:
    """What a person does first whose role requires a second factor."""
    st.markdown(
        "Your role requires a second factor: a passkey of this device, or an authenticator app on "
        "your phone. Add one to continue."
    )
    add_passkey(active)
    add_authenticator(active)


def add_authenticator(active: ActiveSession, replaces: bool = False) -> None:
    """The button that begins with an authenticator app, and then its QR code and first code."""
    enrolment: AuthenticatorEnrolment | None = st.session_state.get(_APP)
    if enrolment is None:
        label = "Set up another phone…" if replaces else "Set up an authenticator app…"
        if st.button(label, key="add_authenticator", icon=":material/qr_code_2:", width="stretch"):
            run_action(_begin_authenticator)
        return
    with st.container(border=True, key="new_authenticator_box"):
        st.markdown("1. Scan this code with an authenticator app. It is shown once.")
        label = "QR code for an authenticator app"
        st.image(qr_svg(enrolment.uri, label), width=_QR_WIDTH, alt=label)
        with st.expander("Enter it by hand instead", key="authenticator_secret"):
            st.code(enrolment.secret, language=None, wrap_lines=True)
        with st.form("confirm_authenticator", border=False):
            code = st.text_input(
                "2. Enter the six digits that the app shows",
                autocomplete="one-time-code",
                max_chars=MAX_CODE_CHARACTERS,
            )
            submitted = st.form_submit_button("Add this app", type="primary", width="stretch")
        if submitted:
            run_action(lambda: _confirm_authenticator(enrolment, code))
        st.button("Cancel", key="cancel_authenticator", type="tertiary", on_click=_forget)


def add_passkey(active: ActiveSession) -> None:
    """The button that begins with a passkey, and then its name and the browser's own dialog."""
    if not st.session_state.get(_ADDING_PASSKEY):
        if st.button(
            "Add a passkey…", key="add_passkey", icon=":material/passkey:", width="stretch"
        ):
            run_action(_begin_passkey)
        return
    with st.container(border=True, key="new_passkey_box"):
        name = st.text_input(
            "Name of this passkey",
            "Passkey of this device",
            max_chars=MAX_PASSKEY_NAME_CHARACTERS,
            key="passkey_name",
        )
        request = partial(_request_passkey, active)
        answer = passkey_button("Create the passkey", "create", request, _PASSKEY, primary=True)
        if answer is not None:
            site, challenge, response = answer.site, answer.challenge, answer.response
            run_action(lambda: _store_passkey(site, challenge, response, name))
        st.button("Cancel", key="cancel_passkey", type="tertiary", on_click=_forget)


def _begin_authenticator() -> str:
    st.session_state[_APP] = second_factors.begin_authenticator(services(), require_own_session())
    return ""


def _confirm_authenticator(enrolment: AuthenticatorEnrolment, code: str) -> str:
    codes = second_factors.confirm_authenticator(services(), require_own_session(), enrolment, code)
    recovery_codes.keep_until_saved(codes)
    _forget()
    return "The authenticator app is added."


def _begin_passkey() -> str:
    require_step_up(services(), require_own_session().session)
    st.session_state[_ADDING_PASSKEY] = True
    return ""


def _request_passkey(active: ActiveSession, site: RelyingParty) -> PasskeyRequest:
    return passkeys.begin_registration(services(), active, site)


def _store_passkey(site: RelyingParty, challenge: bytes, response: str, name: str) -> str:
    codes = passkeys.add_passkey(services(), require_own_session(), site, challenge, response, name)
    recovery_codes.keep_until_saved(codes)
    _forget()
    return f"The passkey {name} is added."


def _forget() -> None:
    st.session_state.pop(_APP, None)
    st.session_state.pop(_ADDING_PASSKEY, None)
    forget_request(_PASSKEY)
