"""Audit: who changed what, how it was and how it is, and whether the log is whole."""

import streamlit as st

from crossway.dashboard.components import audit

st.title("Audit log")
audit.wholeness()
asked = audit.filters()
audit.rows(asked)
audit.export(asked)
