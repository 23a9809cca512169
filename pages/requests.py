"""Requests: the API request log with filters."""

import streamlit as st

from crossway.dashboard.components import request_log

st.title("Requests")
request_log.rows(request_log.filters())
