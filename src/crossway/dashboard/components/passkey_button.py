"""The button that asks the browser for a passkey."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import streamlit as st

from crossway.dashboard.components import widget
from crossway.dashboard.session import services
from crossway.domain.second_factors import (
    PASSKEYS_NEED_URL,
    RelyingParty,
    find_passkey_url,
    find_relying_party,
)
from crossway.usecases.staff.passkeys import PasskeyRequest


@dataclass(frozen=True, slots=True)
class PasskeyAnswer:
    """The browser's answer to one challenge."""

    site: RelyingParty
    challenge: bytes
    response: str


def passkey_button(
    label: str,
    kind: Literal["create", "get"],
    request: Callable[[RelyingParty], PasskeyRequest],
    key: str,
    primary: bool = False,
) -> PasskeyAnswer | None:
    """Draw the button; returns the browser's answer in the run that follows it. At an address where
    passkeys do not work, says where they do."""
    site = find_relying_party(services().policy.ingress.public_url, st.context.url or "")
    if site is None:
        st.caption(_explain_address())
        return None
    asked, answered = f"{key}_request", f"{key}_answer"
    # One challenge until it is answered: a new one in each run would redraw the button.
    if asked not in st.session_state:
        st.session_state[asked] = request(site)
    options = st.session_state[asked].options
    widget.passkey(kind, options, label, primary, key, partial(_take_answer, key, site))
    answer: PasskeyAnswer | None = st.session_state.pop(answered, None)
    return answer


def forget_request(key: str) -> None:
    """Ask with a new challenge when the button is drawn again."""
    st.session_state.pop(f"{key}_request", None)


def _take_answer(key: str, site: RelyingParty) -> None:
    """Keep an answer for the run that begins, which asks with a new challenge."""
    asked: PasskeyRequest | None = st.session_state.pop(f"{key}_request", None)
    response = st.session_state[key].get("answer")
    if asked is not None and isinstance(response, str):
        st.session_state[f"{key}_answer"] = PasskeyAnswer(site, asked.challenge, response)


def _explain_address() -> str:
    """Where passkeys work, as Markdown; its link is made of a setting, or of a port."""
    place = find_passkey_url(services().policy.ingress.public_url, st.context.url or "")
    if place:
        return f"Passkeys do not work at the address of this page: open [{place}]({place}) instead."
    return PASSKEYS_NEED_URL
