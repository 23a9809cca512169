"""A person's own sign-in: password, second factors, recovery codes and active sessions."""

from functools import partial

import streamlit as st

from crossway.dashboard.components import enrolment, notices, recovery_codes, widget
from crossway.dashboard.components.actions import confirm, run_action
from crossway.dashboard.session import browser_address, own_session, require_own_session, services
from crossway.dashboard.views import account as view
from crossway.dashboard.views.formatting import format_day
from crossway.domain.second_factors import RECOVERY_CODES, Passkey, SecondFactors
from crossway.domain.staff import StaffMember
from crossway.domain.staff_passwords import MAX_PASSWORD_CHARACTERS, MIN_PASSWORD_CHARACTERS
from crossway.usecases.staff import account, passkeys, second_factors
from crossway.usecases.staff.sessions import ActiveSession

_PASSWORD_HELP = (
    f"At least {MIN_PASSWORD_CHARACTERS} characters, such as four or five unrelated words. Not "
    "your name, and none of the most common passwords."
)


def own_account() -> None:
    """The page of a signed-in person, or why there is none."""
    active = own_session()
    if active is None or active.member is None:
        notices.empty_state(
            "No account",
            "You have no staff account of your own. Once an admin adds you on the page Staff, you "
            "choose here how you sign in.",
            "passkey",
        )
        return
    factors = second_factors.get_own_factors(services(), active)
    _advice(active.member, factors)
    st.header("Second factors")
    left, right = st.columns(2, gap="large")
    with left:
        _passkeys(active, factors)
    with right:
        _authenticator(active, factors)
        _recovery_codes(factors)
    st.header("Password")
    _password(active.member)
    st.header("Where you are signed in")
    _sessions(active)


def _advice(member: StaffMember, factors: SecondFactors) -> None:
    if factors.any:
        return
    text = "Anybody who learns your password can sign in as you."
    if not member.password_hash:
        text = "Without a second factor here, sensitive actions ask you to sign in again."
    st.info(f"{text} Add a passkey or an authenticator app.", icon=":material/shield:")


def _passkeys(active: ActiveSession, factors: SecondFactors) -> None:
    st.subheader("Passkeys")
    st.markdown("Sign in with the fingerprint, face or PIN of a device, without a password.")
    if factors.passkeys:
        rows = view.build_passkey_rows(factors.passkeys)
        widget.table(rows, view.PASSKEY_COLUMNS, "passkeys", "Passkeys")
        with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
            chosen = st.selectbox(
                "Passkey to remove",
                factors.passkeys,
                format_func=lambda passkey: passkey.name,
                key="passkey_to_remove",
            )
            if st.button("Remove…", key="remove_passkey", icon=":material/delete:"):
                _confirm_removal(chosen)
    enrolment.add_passkey(active)


def _confirm_removal(passkey: Passkey) -> None:
    confirm(
        "Remove this passkey?",
        f"{passkey.name} no longer signs you in. Delete it on its device as well.",
        "Remove",
        partial(_remove_passkey, passkey),
    )


def _authenticator(active: ActiveSession, factors: SecondFactors) -> None:
    st.subheader("Authenticator app")
    if factors.authenticator is None:
        st.markdown("An app on your phone shows a code that is asked for when you sign in.")
    else:
        st.markdown(f"Added on {format_day(factors.authenticator.created_at)}.")
        if st.button("Remove the app…", key="remove_authenticator", icon=":material/delete:"):
            confirm(
                "Remove the authenticator app?",
                "Its codes no longer sign you in.",
                "Remove",
                _remove_authenticator,
            )
    enrolment.add_authenticator(active, replaces=factors.authenticator is not None)


def _recovery_codes(factors: SecondFactors) -> None:
    if not factors.any:
        return
    st.subheader("Recovery codes")
    left = factors.recovery_codes_left
    st.markdown(f"**{left} of {RECOVERY_CODES}** left. Each signs you in once without your device.")
    if st.button("Make new codes…", key="renew_codes", icon=":material/autorenew:"):
        asks = "The earlier codes no longer work. The new ones are shown once."
        confirm("Make new recovery codes?", asks, "Make new codes", _renew_codes)


def _password(member: StaffMember) -> None:
    if not member.password_hash:
        st.markdown("You sign in through your identity provider: there is no password here.")
        return
    with st.form("own_password", border=False, width=480):
        current = st.text_input(
            "Current password",
            type="password",
            autocomplete="current-password",
            max_chars=MAX_PASSWORD_CHARACTERS,
        )
        new = st.text_input(
            "New password",
            type="password",
            autocomplete="new-password",
            max_chars=MAX_PASSWORD_CHARACTERS,
            help=_PASSWORD_HELP,
        )
        submitted = st.form_submit_button("Change password", icon=":material/password:")
    if submitted:
        run_action(partial(_change_password, current, new))


def _sessions(active: ActiveSession) -> None:
    rows = view.build_session_rows(services(), active)
    widget.table(rows, view.SESSION_COLUMNS, "own_sessions", "Active sessions")
    if len(rows) > 1 and st.button("Sign out everywhere else", icon=":material/logout:"):
        run_action(_sign_out_elsewhere)


def _change_password(current: str, new: str) -> str:
    account.change_password(services(), require_own_session(), current, new, browser_address())
    return "Your password is changed. You are signed out everywhere else."


def _remove_passkey(passkey: Passkey) -> str:
    passkeys.remove_passkey(services(), require_own_session(), passkey.id)
    return f"The passkey {passkey.name} is removed."


def _remove_authenticator() -> str:
    second_factors.remove_authenticator(services(), require_own_session())
    return "The authenticator app is removed."


def _renew_codes() -> str:
    recovery_codes.keep_until_saved(
        second_factors.renew_recovery_codes(services(), require_own_session())
    )
    return ""


def _sign_out_elsewhere() -> str:
    ended = account.sign_out_elsewhere(services(), require_own_session())
    return f"{ended} other session{'' if ended == 1 else 's'} ended."
