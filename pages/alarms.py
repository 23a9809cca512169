"""Alarms: what stands, who looks after it, and what was."""

import streamlit as st

from crossway.dashboard.components import alarms

st.title("Alarms")
asked = alarms.filters()
if asked.past:
    alarms.past(asked)
else:
    alarms.standing(asked.kind)
    alarms.actions(asked.kind)
