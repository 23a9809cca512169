"""Disabling chains, bridges and routes with a reason, and enabling them again."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from crossway.dashboard.components import live_fragment, widget
from crossway.dashboard.components.actions import confirm, confirm_with_text
from crossway.dashboard.components.asset_inputs import usable_chains
from crossway.dashboard.components.notices import escape_markdown, show_errors
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import routes
from crossway.dashboard.views.cells import Column
from crossway.dashboard.views.formatting import chain_name
from crossway.domain.quotes import BridgeName, bridge_title
from crossway.domain.roles import Permission
from crossway.ports.records import KillSwitch
from crossway.ports.topics import Topic
from crossway.usecases.chains.kill_switches import set_kill_switch
from crossway.usecases.pricing import corridor_quotes

_DISABLE_NOTICE = "New payments are rejected immediately. Existing payments continue."
_ENABLE_NOTICE = "New payments can use it immediately."
_REASON_LABEL = "Reason (shown to API clients and staff)"
COLUMNS = (Column("Route"), Column("Reason"), Column("By"), Column("Since"))


@live_fragment.fragment(Topic.REST)
def switch_list(kind: str = "") -> None:
    """What is disabled, live: why, by whom and since when, with a button to enable it."""
    with show_errors():
        off = [
            kill_switch for kill_switch in list_disabled() if kill_switch.subject.startswith(kind)
        ]
        if not off:
            st.markdown(
                "Nothing is disabled. "
                "What is disabled appears here with its reason and the button that enables it."
            )
            return
        rows = routes.build_disabled_rows(services().catalogue, off)
        widget.table(rows, COLUMNS, f"disabled_{kind.strip(':') or 'all'}", "Disabled")
        for kill_switch in off if operator().can(Permission.SWITCH_ROUTES) else ():
            title = routes.describe_subject(services().catalogue, kill_switch.subject)
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(f"{escape_markdown(title)}: {escape_markdown(kill_switch.reason)}")
                if st.button("Enable", key=f"on_{kill_switch.subject}", icon=":material/power:"):
                    _confirm_enable(kill_switch.subject, title)


def list_disabled() -> list[KillSwitch]:
    """Everything that is disabled."""
    return corridor_quotes.list_kill_switches(services(), operator())


def switch_button(subject: str, title: str, off: Sequence[KillSwitch], named: bool = False) -> None:
    """The button that disables or enables one route, bridge or chain; `named`, it has its title."""
    if not operator().can(Permission.SWITCH_ROUTES):
        return
    if any(closed.subject == subject for closed in off):
        label = f"Enable {title}" if named else "Enable"
        if st.button(label, key=f"one_on_{subject}", icon=":material/power:"):
            _confirm_enable(subject, title)
    elif st.button(
        f"Disable {title}…" if named else "Disable",
        key=f"one_off_{subject}",
        icon=":material/power_off:",
    ):
        _confirm_disable(subject, title)


def disable_chain(preset: str = "") -> None:
    """Choose a chain, at first the preset one, and disable it."""
    if not operator().can(Permission.SWITCH_ROUTES):
        st.markdown("Only operators can disable chains.")
        return
    usable = [chain.id for chain in usable_chains()]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        index = usable.index(preset) if preset in usable else 0
        key = f"off_chain_{preset}" if preset else "off_chain"
        chain = st.selectbox("Chain", usable, index, key=key, format_func=_chain_name)
        if st.button("Disable chain", icon=":material/power_off:"):
            _confirm_disable(f"chain:{chain}", _chain_name(chain))


def disable_bridge() -> None:
    """Choose a bridge and disable it."""
    if not operator().can(Permission.SWITCH_ROUTES):
        st.markdown("Only operators can disable bridges and routes.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        names = list(BridgeName)
        bridge = st.selectbox("Bridge", names, format_func=bridge_title, key="off_bridge")
        if bridge and st.button("Disable bridge", icon=":material/power_off:"):
            _confirm_disable(f"bridge:{bridge}", f"Bridge {bridge_title(bridge)}")


def _chain_name(chain: str) -> str:
    return chain_name(services().catalogue, chain)


def _confirm_disable(subject: str, title: str) -> None:
    work = partial(_disable, subject, title)
    confirm_with_text(f"Disable {title}?", _DISABLE_NOTICE, _REASON_LABEL, "Disable", work)


def _confirm_enable(subject: str, title: str) -> None:
    confirm(f"Enable {title}?", _ENABLE_NOTICE, "Enable", partial(_enable, subject, title))


def _disable(subject: str, title: str, reason: str) -> str:
    set_kill_switch(services(), operator(), subject, True, reason)
    return f"{title} is disabled."


def _enable(subject: str, title: str) -> str:
    set_kill_switch(services(), operator(), subject, False, "")
    return f"{title} is enabled."
