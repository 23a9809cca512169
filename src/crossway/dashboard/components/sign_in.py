"""Who is signed in, what they have to do before anything else, and the way out."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from crossway.dashboard import session
from crossway.dashboard.components import enrolment, recovery_codes, step_up, widget
from crossway.dashboard.components.navigation import page_path
from crossway.dashboard.components.notices import escape_markdown
from crossway.dashboard.views import staff as view

_WIDTH = 400


def require_sign_in() -> bool:
    """Whether the visitor is signed in and may use the dashboard; if not, draw only what they have
    to do first: add a second factor, save their recovery codes, or sign in on the page for it."""
    active, may_enter = session.own_session(), session.signed_in_staff() is not None
    if not may_enter and active is None:
        _leave()
        return False
    session.record_activity()
    if recovery_codes.are_unsaved():
        with _narrow_page("Your recovery codes"):
            recovery_codes.show_unsaved()
        return False
    if may_enter or active is None:
        return True
    with _narrow_page("Add a second factor"):
        enrolment.enrol(active)
        widget.sign_out("Sign out", "sign_out")
    step_up.ask_if_waiting()
    return False


def account_menu() -> None:
    """Who is signed in, with their role; opens their sign-in and the way out."""
    person = session.signed_in_staff()
    if person is None:
        return
    with st.container(key="signed_in_as", width="content"):
        if person.auth_method is None:
            with st.popover("No sign-in", icon=":material/lock_open:", type="tertiary"):
                st.caption(
                    "No staff account exists yet: whoever uses this machine has full access."
                )
                st.page_link(
                    page_path("staff"), label="Add a staff member", icon=":material/person_add:"
                )
            return
        name, role = escape_markdown(person.name), view.ROLES[person.role].text
        with st.popover(f"{name} :gray[{role}]", icon=":material/account_circle:", type="tertiary"):
            st.page_link(page_path("account"), label="Your sign-in", icon=":material/passkey:")
            widget.sign_out("Sign out", "sign_out")


def _leave() -> None:
    """Send the browser to the page on which people sign in, which says why."""
    with _narrow_page("Sign in"):
        widget.sign_in_link()


@contextmanager
def _narrow_page(title: str) -> Iterator[None]:
    """A narrow page in the place of the dashboard."""
    with st.container(horizontal_alignment="center"), st.container(width=_WIDTH, key="narrow_page"):
        st.title(title)
        yield
