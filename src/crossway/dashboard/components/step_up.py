"""The dialog in which a person confirms that it is them, before a sensitive action."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from crossway.dashboard import session
from crossway.dashboard.components import widget
from crossway.dashboard.components.notices import queue_toast, show_errors
from crossway.dashboard.components.passkey_button import passkey_button
from crossway.dashboard.session import services
from crossway.domain.second_factors import MAX_CODE_CHARACTERS
from crossway.domain.staff_passwords import MAX_PASSWORD_CHARACTERS
from crossway.usecases.staff import identity_proofs, passkeys
from crossway.usecases.staff.sessions import ActiveSession
from crossway.usecases.staff.step_up import StepUpRequired

_WAITING = "waits_for_step_up"
_PASSKEY = "step_up_passkey"


def run_or_ask(work: Callable[[], str]) -> None:
    """Run an action and rerun the page with its message, if any, as a toast. What requires a
    step-up waits until the person has confirmed that it is them, and is carried out then."""
    try:
        with st.spinner("Working…"):
            done = work()
    except StepUpRequired:
        st.session_state[_WAITING] = work
        st.rerun()
    if done:
        queue_toast(done)
    st.rerun()


def ask_if_waiting() -> None:
    """The dialog, while an action waits for it."""
    active = session.own_session()
    if _WAITING in st.session_state and active is not None:
        _ask(active)


def _forget() -> None:
    st.session_state.pop(_WAITING, None)


@st.dialog("Confirm that it is you", width="small", on_dismiss=_forget)
def _ask(active: ActiveSession) -> None:
    work: Callable[[], str] | None = st.session_state.get(_WAITING)
    if work is None:
        return  # It was refused, and the reason is shown.
    methods = identity_proofs.get_proof_methods(services(), active)
    st.markdown("Then what you asked for is carried out. You are not asked again for five minutes.")
    if not (methods.password or methods.code or methods.passkey):
        _sign_in_again()
        return
    if methods.passkey:
        answer = passkey_button(
            "Confirm with a passkey",
            "get",
            partial(passkeys.begin_proof, services(), active),
            _PASSKEY,
            primary=True,
        )
        if answer is not None:
            prove = identity_proofs.prove_with_passkey
            site, challenge, response = answer.site, answer.challenge, answer.response
            _carry_on(lambda: prove(services(), active, site, challenge, response), work)
    if methods.code or methods.password:
        _typed_proof(active, methods, work)


def _typed_proof(
    active: ActiveSession, methods: identity_proofs.ProofMethods, work: Callable[[], str]
) -> None:
    with st.form("step_up", border=False):
        if methods.password:
            typed = st.text_input(
                "Password",
                type="password",
                autocomplete="current-password",
                max_chars=MAX_PASSWORD_CHARACTERS,
            )
        else:
            label = "Code of your authenticator app" if methods.authenticator else "Recovery code"
            typed = st.text_input(
                label,
                autocomplete="one-time-code",
                max_chars=MAX_CODE_CHARACTERS,
                help="Or one of your recovery codes." if methods.authenticator else None,
            )
        submitted = st.form_submit_button(
            "Confirm", type="secondary" if methods.passkey else "primary", width="stretch"
        )
    if submitted and methods.password:
        prove_password = identity_proofs.prove_with_password
        address, setup = session.browser_address(), session.setup_password()
        _carry_on(lambda: prove_password(services(), active, typed, address, setup), work)
    elif submitted:
        prove_code = identity_proofs.prove_with_code
        address = session.browser_address()
        _carry_on(lambda: prove_code(services(), active, typed, address), work)


def _carry_on(prove: Callable[[], None], work: Callable[[], str]) -> None:
    """Prove, then do what waited. A wrong proof leaves the dialog as it is."""
    with show_errors():
        prove()
        _forget()
        run_or_ask(work)


def _sign_in_again() -> None:
    st.markdown(
        "You sign in through your identity provider and have no second factor here: sign in again, "
        "then ask for it once more. With a passkey or an authenticator app (*Your sign-in*) you "
        "would confirm it here."
    )
    widget.sign_out("Sign in again", "sign_in_again", again=True)
