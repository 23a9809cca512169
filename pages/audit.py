"""Audit log: who changed what, values before and after, and verification of the log."""

import streamlit as st

from crossway.dashboard.components import audit

st.title("Audit log")
audit.integrity()
filters = audit.filters()
audit.rows(filters)
audit.export(filters)
