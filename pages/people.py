"""People: who may sign in to this installation, as what, and who was here when."""

import streamlit as st

from crossway.dashboard.components import notices, people
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import people as view

st.title("People")
with notices.in_words():
    people.listed()
    member = view.chosen(services(), operator(), st.query_params.get("id") or "")
    if member is not None:
        people.change(member)
    known = bool(view.rows(services(), operator()))
    with st.expander(
        "Add a person", icon=":material/person_add:", key="add_fold", expanded=not known
    ):
        people.new_person(first=not known)
