"""Staff: who can sign in to this installation, their roles and last activity."""

import streamlit as st

from crossway.dashboard.components import notices, staff
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import staff as view

st.title("Staff")
with notices.show_errors():
    staff.staff_list()
    member = view.find_member(services(), operator(), st.query_params.get("id") or "")
    if member is not None:
        staff.change(member)
    has_members = bool(view.build_rows(services(), operator()))
    with st.expander(
        "Add a staff member", icon=":material/person_add:", key="add_fold", expanded=not has_members
    ):
        staff.new_member_form(first=not has_members)
