"""The simulated bridges on the Simulator page: their faults."""

import streamlit as st

from crossway.dashboard.components import notices, widget
from crossway.dashboard.components.actions import run_action
from crossway.dashboard.components.permissions import requires
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import bridge_sandbox as view
from crossway.domain.roles import Permission
from crossway.usecases.simulator import bridge_controls


@requires(Permission.OPERATE)
def bridge_faults() -> None:
    """Choose a bridge, see its active faults, and inject one."""
    bridges = view.list_bridges()
    bridge = st.selectbox(
        "Bridge", list(bridges), key="faulty_bridge", format_func=bridges.__getitem__
    )
    _active_faults(bridge, bridges[bridge])
    fields = view.FAULT_FIELDS[bridge]
    name = st.selectbox(
        "Fault",
        list(fields),
        key=f"bridge_fault_{bridge}",
        format_func=lambda one: fields[one].label,
    )
    typed = _value_input(bridge, name)
    if st.button("Apply to this bridge", icon=":material/bolt:"):
        run_action(lambda: _apply(bridge, name, typed))


@st.fragment(run_every=1.0)
def _active_faults(bridge: str, title: str) -> None:
    with notices.show_errors():
        active = view.list_active_faults(services(), operator(), bridge)
        if active:
            widget.details(active, "bridge_faults", "Active faults")
        else:
            st.markdown(f"{title}: no faults.")


def _value_input(bridge: str, name: str) -> str | bool:
    kind, key = view.FAULT_FIELDS[bridge][name].kind, f"bridge_{bridge}_{name}"
    if kind == "switch":
        return st.toggle("Enabled", True, key=key)
    if kind == "answer":
        return st.selectbox(
            "Another", list(view.ANSWERS), key=key, format_func=view.ANSWERS.__getitem__
        )
    return st.text_input("Number", "600", key=key, help="0 clears the fault.")


def _apply(bridge: str, name: str, typed: str | bool) -> str:
    body = view.build_body(bridge, name, typed)
    bridge_controls.inject_faults(services(), operator(), bridge, body)
    return f"{view.list_bridges()[bridge]}: {view.FAULT_FIELDS[bridge][name].label}."
