"""Signing a browser in: by password, identity provider or passkey, and with a second factor."""

from collections.abc import Mapping
from datetime import UTC, datetime

import streamlit as st

from crossway.dashboard.session import browser_address, services, setup_password, store_token
from crossway.domain.second_factors import RelyingParty, find_relying_party
from crossway.usecases.staff import passkeys, sign_in
from crossway.usecases.staff.sign_in import PendingSignIn, SecondFactorRequired

_PENDING = "pending_sign_in"


def sign_in_with_password(name: str, password: str, recovery_code: str) -> None:
    """Sign in by name and password, or begin to. Raises what the use case raises otherwise."""
    try:
        token = sign_in.sign_in_with_password(
            services(), name, password, browser_address(), recovery_code
        )
    except SecondFactorRequired as required:
        st.session_state[_PENDING] = required.pending
        return
    store_token(token)


def sign_in_with_setup_password(password: str) -> None:
    """Sign in with the setup password. Raises what the use case raises."""
    address, expected = browser_address(), setup_password()
    store_token(sign_in.sign_in_with_install_password(services(), password, expected, address))


def sign_in_with_provider(claims: Mapping[str, object]) -> None:
    """Sign in with the claims of an OpenID identity token, or begin to. Raises what the use case
    raises otherwise."""
    issued = claims.get("iat")
    at = datetime.fromtimestamp(issued if isinstance(issued, int | float) else 0, UTC)
    assertion = " ".join(str(claims.get(name)) for name in ("iss", "sub", "iat", "nonce", "jti"))
    verified = claims.get("email_verified", True) is True
    try:
        token = sign_in.sign_in_with_provider(
            services(), claims.get("email"), verified, at, assertion
        )
    except SecondFactorRequired as required:
        st.session_state[_PENDING] = required.pending
        return
    store_token(token)


def pending_sign_in() -> PendingSignIn | None:
    """The sign-in of this browser that waits for its second factor."""
    pending: PendingSignIn | None = st.session_state.get(_PENDING)
    return pending


def cancel_pending() -> None:
    """Start signing in anew."""
    st.session_state.pop(_PENDING, None)


def complete_sign_in(pending: PendingSignIn, code: str) -> None:
    """Sign in with the code that a pending sign-in waits for. Raises what the use case raises."""
    store_token(sign_in.complete_sign_in(services(), pending, code, browser_address()))
    cancel_pending()


def sign_in_with_passkey(site: RelyingParty, challenge: bytes, response: str) -> None:
    """Sign in with the browser's answer. Raises what the use case raises."""
    store_token(passkeys.sign_in_with_passkey(services(), site, challenge, response))
    cancel_pending()


def relying_party() -> RelyingParty | None:
    """Where passkeys of this page are valid; None where it can have none."""
    return find_relying_party(services().policy.ingress.public_url, st.context.url or "")
