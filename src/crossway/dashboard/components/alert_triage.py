"""Acting on selected alerts: acknowledging, assigning and snoozing them."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Final

import streamlit as st

from crossway.dashboard.components import list_table
from crossway.dashboard.components.permissions import is_granted
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import alert_triage as view
from crossway.domain.roles import Permission
from crossway.usecases.operating import alert_triage as cases
from crossway.usecases.operating import alerts

TABLE: Final = "standing"
_NOBODY: Final = "Nobody"


def act_on_selected() -> None:
    """Carry out what somebody has chosen to do with the alerts that they had selected."""
    selected = list_table.pop_selected(TABLE)
    if selected is not None and is_granted(Permission.OPERATE):
        _ACTS[selected.action](list(selected.keys))


def _acknowledge(keys: list[str]) -> None:
    def work() -> str:
        number = alerts.acknowledge_alerts(services(), operator(), keys, "")
        already = " The others were acknowledged before." if number < len(keys) else ""
        return f"You acknowledged {_count(number)}.{already}"

    list_table.run(TABLE, work)


def _end_snooze(keys: list[str]) -> None:
    def work() -> str:
        number = cases.end_snooze(services(), operator(), keys)
        return f"{_count(number)} came back." if number else "None of them was snoozed."

    list_table.run(TABLE, work)


@st.dialog("Assign alerts")
def _assign(keys: list[str]) -> None:
    st.markdown(
        f"Who looks after {_count(len(keys))}? What is assigned stays in the strip above every "
        "page until it is acknowledged."
    )
    names = cases.list_assignees(services(), operator())
    name = st.selectbox("Assign to", [*names, _NOBODY], key="assign_to")

    def work() -> str:
        cases.assign_alerts(services(), operator(), keys, "" if name == _NOBODY else name)
        return f"{_count(len(keys))} assigned to {name if name != _NOBODY else 'nobody'}."

    if st.button("Assign", type="primary", key="assign_do"):
        list_table.run(TABLE, work)


@st.dialog("Snooze alerts")
def _snooze(keys: list[str]) -> None:
    st.markdown(
        f"{_count(len(keys))} will leave the strip above every page, stay on this list, and come "
        "back at the time that you choose."
    )
    now = services().clock.now()
    chosen = st.selectbox("For", [*view.SNOOZES, view.CUSTOM_TIME], key="snooze_for")
    if chosen == view.CUSTOM_TIME:
        naive = now.astimezone(UTC).replace(tzinfo=None, second=0, microsecond=0)
        typed: datetime | None = st.datetime_input("Until, UTC", naive, key="snooze_until")
        until = now if typed is None else typed.replace(tzinfo=UTC)
    else:
        until = view.SNOOZES[chosen](now)
        st.caption(f"Until {view.format_until(until)}.")

    def work() -> str:
        number = cases.snooze_alerts(services(), operator(), keys, until)
        return f"{_count(number)} snoozed until {view.format_until(until)}."

    if st.button("Snooze", type="primary", key="snooze_do"):
        list_table.run(TABLE, work)


def _count(number: int) -> str:
    return f"{number:,} alert{'' if number == 1 else 's'}"


_ACTS: Final[Mapping[str, Callable[[list[str]], None]]] = {
    view.ACKNOWLEDGE.name: _acknowledge,
    view.ASSIGN.name: _assign,
    view.SNOOZE.name: _snooze,
    view.END_SNOOZE.name: _end_snooze,
}
