"""Reconcile: are the books what the chains hold?"""

import streamlit as st

st.title("Reconcile")
