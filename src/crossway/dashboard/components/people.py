"""The installation's people: the list of them, adding one, changing one, letting one in no more."""

from functools import partial

import streamlit as st

from crossway.dashboard.components import notices, widget
from crossway.dashboard.components.actions import confirm, perform
from crossway.dashboard.components.notices import as_text
from crossway.dashboard.session import operator, person, services
from crossway.dashboard.views import people as view
from crossway.domain.roles import Role
from crossway.domain.staff import LONGEST_NAME, LONGEST_PASSWORD, SHORTEST_PASSWORD, Member
from crossway.usecases.people import staff

_PASSWORD_HELP = (
    f"At least {SHORTEST_PASSWORD} characters: four or five words that nobody expects together. "
    "Empty: they sign in by their e-mail address alone, with the provider of this installation."
)
_EMAIL_HELP = "By which they sign in with the provider of this installation. Kept encrypted."


def listed() -> None:
    """Everybody, or why there is nobody."""
    found = view.rows(services(), operator())
    if found:
        widget.table(found, view.COLUMNS, "people", "People")
        st.caption("Choose somebody to change what they may do.")
    else:
        notices.empty("Nobody signs in here yet", view.ALONE, "no_accounts")


def new_person(first: bool) -> None:
    """The form of somebody new."""
    with st.form("new_person", border=False, clear_on_submit=False):
        left, right = st.columns(2, gap="small")
        name = left.text_input("Name", max_chars=LONGEST_NAME, key="person_name")
        email = right.text_input("E-mail", help=_EMAIL_HELP, key="person_email")
        password = left.text_input(
            "Password", type="password", help=_PASSWORD_HELP, max_chars=LONGEST_PASSWORD,
            key="person_password", autocomplete="new-password",
        )  # fmt: skip
        roles = [Role.ADMIN] if first else list(Role)
        role = right.selectbox("Role", roles, format_func=view.role_words, key="person_role")
        made = st.form_submit_button(
            "Add this person", icon=":material/person_add:", type="primary"
        )
    if made:
        perform(lambda: _added(staff.NewMember(name, role, password, email)))


def _added(asked: staff.NewMember) -> str:
    made = staff.add(services(), operator(), asked)
    return f"{made.name} can sign in as {made.role}."


def change(member: Member) -> None:
    """What can be changed of somebody."""
    st.header(as_text(member.name))
    left, right = st.columns(2, gap="large")
    with left, st.form(f"role_{member.id}", border=False):
        role = st.selectbox(
            "Role", list(Role), index=list(Role).index(member.role), format_func=view.role_words
        )
        if st.form_submit_button("Change the role", icon=":material/badge:"):
            perform(lambda: _role(member, role))
    with right, st.form(f"password_{member.id}", border=False):
        typed = st.text_input(
            "New password", type="password", help=_PASSWORD_HELP, max_chars=LONGEST_PASSWORD,
            autocomplete="new-password",
        )  # fmt: skip
        if st.form_submit_button("Set the password", icon=":material/password:"):
            perform(lambda: _password(member, typed))
    with left, st.form(f"email_{member.id}", border=False):
        known = staff.email_of(services(), member)
        email = st.text_input("E-mail", placeholder=known or "None", help=_EMAIL_HELP)
        if st.form_submit_button("Set the e-mail address", icon=":material/alternate_email:"):
            perform(lambda: _email(member, email))
    with right:
        _ending(member)


def _ending(member: Member) -> None:
    here = person()
    if not member.active:
        st.markdown(f"{as_text(member.name)} cannot sign in.")
        if st.button("Let them sign in again", icon=":material/how_to_reg:"):
            perform(partial(_enabled, member))
        return
    st.markdown("Wherever they are signed in, that ends at once.")
    if st.button("Disable this account…", icon=":material/person_off:"):
        asks = f"{member.name} is signed out everywhere at once and cannot sign in any more."
        if here is not None and here.name == member.name:
            asks += " That is you."
        confirm("Disable this account?", asks, "Disable", partial(_disabled, member))


def _role(member: Member, role: Role | None) -> str:
    staff.set_role(services(), operator(), member.id, role)
    return f"{member.name} is now {role}."


def _password(member: Member, typed: str) -> str:
    staff.set_password(services(), operator(), member.id, typed)
    return f"{member.name} has a new password, and must sign in again."


def _email(member: Member, email: str) -> str:
    staff.set_email(services(), operator(), member.id, email.strip())
    return f"The e-mail address of {member.name} is {'changed' if email.strip() else 'removed'}."


def _enabled(member: Member) -> str:
    staff.enable(services(), operator(), member.id)
    return f"{member.name} can sign in again."


def _disabled(member: Member) -> str:
    staff.disable(services(), operator(), member.id)
    return f"{member.name} cannot sign in any more."
