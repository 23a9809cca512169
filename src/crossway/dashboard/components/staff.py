"""Staff accounts: the list, adding one, changing one, disabling one."""

from functools import partial

import streamlit as st

from crossway.dashboard.components import notices, widget
from crossway.dashboard.components.actions import confirm, run_action
from crossway.dashboard.components.notices import escape_markdown
from crossway.dashboard.session import operator, services, signed_in_staff
from crossway.dashboard.views import staff as view
from crossway.domain.roles import Role
from crossway.domain.staff import MAX_NAME_CHARACTERS, StaffMember
from crossway.domain.staff_passwords import MAX_PASSWORD_CHARACTERS, MIN_PASSWORD_CHARACTERS
from crossway.usecases.staff import members, second_factors

_PASSWORD_HELP = (
    f"At least {MIN_PASSWORD_CHARACTERS} characters, such as four or five unrelated words. "
    "Not the name, and none of the most common. Empty: single sign-on with the e-mail address only."
)
_EMAIL_HELP = "Used for single sign-on. Stored encrypted."


def staff_list() -> None:
    """All staff accounts, or why there are none."""
    rows = view.build_rows(services(), operator())
    if rows:
        widget.table(rows, view.COLUMNS, "staff", "Staff")
        st.caption("Select a member to edit.")
    else:
        notices.empty_state("No staff yet", view.OPEN_ACCESS, "no_accounts")


def new_member_form(first: bool) -> None:
    """The form of a new account."""
    with st.form("new_person", border=False, clear_on_submit=False):
        left, right = st.columns(2, gap="small")
        name = left.text_input("Name", max_chars=MAX_NAME_CHARACTERS, key="person_name")
        email = right.text_input("E-mail", help=_EMAIL_HELP, key="person_email")
        password = left.text_input(
            "Password",
            type="password",
            help=_PASSWORD_HELP,
            max_chars=MAX_PASSWORD_CHARACTERS,
            key="person_password",
            autocomplete="new-password",
        )
        roles = [Role.ADMIN] if first else list(Role)
        role = right.selectbox("Role", roles, format_func=view.describe_role, key="person_role")
        submitted = st.form_submit_button(
            "Add staff member", icon=":material/person_add:", type="primary"
        )
    if submitted:
        run_action(lambda: _add(members.NewStaffMember(name, role, password, email)))


def _add(request: members.NewStaffMember) -> str:
    member = members.add_member(services(), operator(), request)
    return f"{member.name} can sign in as {member.role}."


def change(member: StaffMember) -> None:
    """The form with every editable field of an account."""
    st.header(escape_markdown(member.name))
    left, right = st.columns(2, gap="large")
    with left, st.form(f"role_{member.id}", border=False):
        role = st.selectbox(
            "Role", list(Role), index=list(Role).index(member.role), format_func=view.describe_role
        )
        if st.form_submit_button("Change role", icon=":material/badge:"):
            run_action(lambda: _set_role(member, role))
    with right, st.form(f"password_{member.id}", border=False):
        typed = st.text_input(
            "New password",
            type="password",
            help=_PASSWORD_HELP,
            max_chars=MAX_PASSWORD_CHARACTERS,
            autocomplete="new-password",
        )
        if st.form_submit_button("Set password", icon=":material/password:"):
            run_action(lambda: _set_password(member, typed))
    with left, st.form(f"email_{member.id}", border=False):
        current_email = members.get_masked_email(services(), member)
        email = st.text_input("E-mail", placeholder=current_email or "None", help=_EMAIL_HELP)
        if st.form_submit_button("Set e-mail address", icon=":material/alternate_email:"):
            run_action(lambda: _set_email(member, email))
    with right:
        _second_factors(member)
        _enable_or_disable(member)


def _second_factors(member: StaffMember) -> None:
    factors = second_factors.list_factors(services(), operator())[member.id]
    if not factors.any:
        return
    st.markdown(f"Second factor: {view.describe_factors(factors)}.")
    if st.button("Reset the second factor…", icon=":material/restart_alt:"):
        asks = (
            f"{member.name} is signed out everywhere and signs in without a second factor next "
            "time. Be sure that it is them who asks for this."
        )
        confirm("Reset the second factor?", asks, "Reset", partial(_reset_second_factors, member))


def _enable_or_disable(member: StaffMember) -> None:
    signed_in = signed_in_staff()
    if not member.active:
        st.markdown(f"{escape_markdown(member.name)} cannot sign in.")
        if st.button("Let them sign in again", icon=":material/how_to_reg:"):
            run_action(partial(_enable, member))
        return
    st.markdown("They are signed out everywhere immediately.")
    if st.button("Disable this account…", icon=":material/person_off:"):
        warning = f"{member.name} is signed out everywhere at once and cannot sign in any more."
        if signed_in is not None and signed_in.name == member.name:
            warning += " That is you."
        confirm("Disable this account?", warning, "Disable", partial(_disable, member))


def _set_role(member: StaffMember, role: Role | None) -> str:
    members.set_role(services(), operator(), member.id, role)
    return f"{member.name} is now {role}."


def _set_password(member: StaffMember, typed: str) -> str:
    members.set_password(services(), operator(), member.id, typed)
    return f"{member.name} has a new password, and must sign in again."


def _set_email(member: StaffMember, email: str) -> str:
    members.set_email(services(), operator(), member.id, email.strip())
    return f"The e-mail address of {member.name} is {'changed' if email.strip() else 'removed'}."


def _reset_second_factors(member: StaffMember) -> str:
    second_factors.reset_second_factors(services(), operator(), member.id)
    return f"{member.name} has no second factor any more."


def _enable(member: StaffMember) -> str:
    members.enable_member(services(), operator(), member.id)
    return f"{member.name} can sign in again."


def _disable(member: StaffMember) -> str:
    members.disable_member(services(), operator(), member.id)
    return f"{member.name} cannot sign in any more."
