"""The simulated ramp providers on the Simulator page: their faults and KYC decisions."""

import streamlit as st

from crossway.dashboard.components import notices, widget
from crossway.dashboard.components.actions import run_action
from crossway.dashboard.components.permissions import requires
from crossway.dashboard.session import operator, operator_for, services
from crossway.dashboard.views import clients as client_view
from crossway.dashboard.views import kyc as kyc_view
from crossway.dashboard.views import ramp_sandbox as view
from crossway.domain.errors import InvalidInput
from crossway.domain.kyc import KycStatus, KycType
from crossway.domain.roles import Permission
from crossway.usecases.simulator import ramp_controls as ramp_sandbox


@requires(Permission.OPERATE)
def provider_faults() -> None:
    """Choose a provider, see its active faults, and inject one."""
    providers = view.list_providers(services())
    provider = st.selectbox(
        "Provider", list(providers), key="ramp_provider", format_func=providers.__getitem__
    )
    _active_faults(provider, providers[provider])
    name = st.selectbox(
        "Fault",
        list(view.FAULT_FIELDS),
        key="ramp_fault",
        format_func=lambda one: view.FAULT_FIELDS[one].label,
    )
    typed = _value_input(name)
    if st.button("Apply to this provider", icon=":material/bolt:"):
        run_action(lambda: _apply(provider, name, typed))


@st.fragment(run_every=1.0)
def _active_faults(provider: str, title: str) -> None:
    with notices.show_errors():
        active = view.list_active_faults(services(), operator(), provider)
        if active:
            widget.details(active, "ramp_faults", "Active faults")
        else:
            st.markdown(f"{notices.escape_markdown(title)}: no faults.")


def _value_input(name: str) -> str | bool:
    setting = view.FAULT_FIELDS[name]
    if setting.kind == "switch":
        return st.toggle("Enabled", True, key=f"ramp_{name}")
    if setting.kind == "kyc":
        return st.selectbox(
            "Mode", list(view.KYC_MODES), key=f"ramp_{name}", format_func=view.KYC_MODES.__getitem__
        )
    return st.text_input("Number", setting.default, key=f"ramp_{name}", help="0 clears it.")


def _apply(provider: str, name: str, typed: str | bool) -> str:
    ramp_sandbox.inject_faults(services(), operator(), provider, view.build_body(name, typed))
    return f"{view.list_providers(services())[provider]}: {view.FAULT_FIELDS[name].label}."


@requires(Permission.OPERATE)
def kyc_status() -> None:
    """Set the KYC status of a merchant's customer at a provider."""
    providers, names = view.list_providers(services()), client_view.client_names(services())
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        provider = st.selectbox(
            "Provider", list(providers), key="standing_provider", format_func=providers.__getitem__
        )
        email = st.text_input("Customer's e-mail", key="standing_email", autocomplete="off")
        merchant = st.selectbox(
            "Merchant", list(names), key="standing_merchant", format_func=names.__getitem__
        )
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        kind = st.selectbox(
            "Check",
            list(KycType),
            index=1,
            key="standing_type",
            format_func=kyc_view.TYPES.__getitem__,
        )
        status = st.selectbox(
            "Status",
            list(KycStatus),
            index=2,
            key="standing_status",
            format_func=lambda one: kyc_view.STATUSES[one][0],
        )
    if st.button("Set KYC status", icon=":material/badge:"):
        run_action(lambda: _set_kyc_status(merchant, provider, email, kind, status))


def _set_kyc_status(
    merchant: str, provider: str, email: str, kind: KycType | None, status: KycStatus | None
) -> str:
    if kind is None or status is None:
        raise InvalidInput("Choose a check and a status")
    ramp_sandbox.set_kyc_status(services(), operator_for(merchant), provider, email, kind, status)
    label = kyc_view.STATUSES[status][0].lower()
    return f"{kyc_view.TYPES[kind]}: {label}."
