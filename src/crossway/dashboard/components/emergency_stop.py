"""The emergency stop: its button and its banner on every page, and the request to release it."""

from functools import partial

import streamlit as st

from crossway.dashboard.components.actions import confirm_with_text
from crossway.dashboard.components.navigation import page_path
from crossway.dashboard.components.notices import escape_markdown
from crossway.dashboard.session import operator, services, signed_in_staff
from crossway.dashboard.views.outgoing_controls import describe_stop
from crossway.domain.approvals import ApprovalKind
from crossway.domain.roles import Permission, can
from crossway.ports.records import KillSwitch
from crossway.usecases.money import approvals, emergency_stop

_NOTICE = (
    "Nothing more is signed that moves money: no start, payout, refund or transfer of inventory, "
    "and no new payment is taken. What is signed already is completed. Two people release it."
)


def banner() -> None:
    """Since when, by whom and why nothing goes out; nothing while money goes out."""
    stop = _read()
    if stop is None:
        return
    with st.container(key="emergency_stop_banner", gap="small"):
        st.error(escape_markdown(describe_stop(stop)), icon=":material/front_hand:")


def button() -> None:
    """The button in the header of every page, for whoever may press it."""
    person = signed_in_staff()
    if person is None or not can(person.role, Permission.STOP):
        return
    if _read() is not None:
        st.page_link(
            page_path("treasury"), label="Stopped: release it", icon=":material/front_hand:"
        )
    elif st.button("Emergency stop", key="emergency_stop", icon=":material/front_hand:"):
        ask()


def ask() -> None:
    """Ask for the reason in a dialog, and stop all outgoing money."""
    confirm_with_text("Stop all outgoing money?", _NOTICE, "Reason", "Stop everything now", _press)


def release_form() -> None:
    """The button that asks for the release, while the stop is pressed."""
    stop, caller = _read(), operator()
    if stop is None or not caller.can(Permission.MOVE_FUNDS):
        return
    waiting = approvals.list_open(services(), caller)
    if any(one.kind is ApprovalKind.STOP_RELEASE for one in waiting):
        return
    if st.button("Ask for its release", key="ask_release", icon=":material/lock_open:"):
        confirm_with_text(
            "Ask for the release of the emergency stop?",
            "Another person has to approve it below, as a treasurer or an admin. Who is alone does "
            "so with the command crossway release, on the machine that runs Crossway.",
            "Why money may go out again",
            "Ask for the release",
            partial(_ask, stop),
        )


def _read() -> KillSwitch | None:
    """One row, read anew each time: no page may say that money goes out when it does not."""
    return emergency_stop.get_stop(services(), operator())


def _press(reason: str) -> str:
    emergency_stop.press(services(), operator(), reason)
    return "All outgoing money is stopped."


def _ask(stop: KillSwitch, note: str) -> str:
    emergency_stop.request_release(services(), operator(), note, stop.at)
    return "Another person has to approve the release now."
