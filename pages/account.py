"""Your sign-in: password, passkeys, authenticator app, recovery codes and active sessions."""

import streamlit as st

from crossway.dashboard.components import account, notices

st.title("Your sign-in")
with notices.show_errors():
    account.own_account()
