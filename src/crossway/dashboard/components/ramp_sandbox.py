"""The sandbox providers on the simulator's screen: how each behaves, and whom it has checked."""

import streamlit as st

from crossway.dashboard.components import notices, widget
from crossway.dashboard.components.actions import perform
from crossway.dashboard.components.rights import needing
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import kyc as kyc_view
from crossway.dashboard.views import ramp_sandbox as view
from crossway.domain.errors import InvalidInput
from crossway.domain.kyc import KycStatus, KycType
from crossway.domain.roles import Right
from crossway.usecases.ramps import sandbox as ramp_sandbox


@needing(Right.WORK)
def behaviour() -> None:
    """Choose a provider, see how it behaves, change it."""
    known = view.providers(services())
    provider = st.selectbox(
        "Provider", list(known), key="ramp_provider", format_func=known.__getitem__
    )
    _active(provider, known[provider])
    name = st.selectbox(
        "Let it", list(view.SETTINGS), key="ramp_fault",
        format_func=lambda one: view.SETTINGS[one].words,
    )  # fmt: skip
    typed = _value(name)
    if st.button("Apply to this provider", icon=":material/bolt:"):
        perform(lambda: _apply(provider, name, typed))


@st.fragment(run_every=1.0)
def _active(provider: str, title: str) -> None:
    with notices.in_words():
        active = view.active(services(), operator(), provider)
        if active:
            widget.facts(active, "ramp_faults", "How the provider behaves")
        else:
            st.markdown(f"{notices.as_text(title)} behaves well.")


def _value(name: str) -> str | bool:
    setting = view.SETTINGS[name]
    if setting.kind == "switch":
        return st.toggle("On", True, key=f"ramp_{name}")
    if setting.kind == "kyc":
        return st.selectbox(
            "How", list(view.KYC), key=f"ramp_{name}", format_func=view.KYC.__getitem__
        )
    return st.text_input("Number", setting.first, key=f"ramp_{name}", help="0 ends it.")


def _apply(provider: str, name: str, typed: str | bool) -> str:
    ramp_sandbox.misbehave(services(), operator(), provider, view.body(name, typed))
    return f"{view.providers(services())[provider]}: {view.SETTINGS[name].words}."


@needing(Right.WORK)
def standing() -> None:
    """Set what a provider says of a person."""
    known = view.providers(services())
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        provider = st.selectbox(
            "Of provider", list(known), key="standing_provider", format_func=known.__getitem__
        )
        email = st.text_input("Person's e-mail", key="standing_email", autocomplete="off")
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        kind = st.selectbox(
            "Check",
            list(KycType),
            index=1,
            key="standing_type",
            format_func=kyc_view.TYPES.__getitem__,
        )
        status = st.selectbox(
            "Status", list(KycStatus), index=2, key="standing_status",
            format_func=lambda one: kyc_view.STATUSES[one][0],
        )  # fmt: skip
    if st.button("Set the identity check", icon=":material/badge:"):
        perform(lambda: _stand(provider, email, kind, status))


def _stand(provider: str, email: str, kind: KycType | None, status: KycStatus | None) -> str:
    if kind is None or status is None:
        raise InvalidInput("Choose a check and a status")
    ramp_sandbox.set_standing(services(), operator(), provider, email, kind, status)
    said = kyc_view.STATUSES[status][0].lower()
    return f"{kyc_view.TYPES[kind]}: {said}, says the provider."
