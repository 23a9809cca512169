"""Treasury: what the relayer has, what is reserved and expected back, and what is short."""

import streamlit as st

st.title("Treasury")
