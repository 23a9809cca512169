"""Requests: what clients asked the API, with filters."""

import streamlit as st

from crossway.dashboard.components import requests

st.title("Requests")
requests.rows(requests.filters())
