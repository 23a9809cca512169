"""Invoices and subscriptions: the lists, and the form of a new one."""

import streamlit as st

from crossway.dashboard.components import billing, notices

st.title("Invoices")
billing.invoice_list()
with notices.show_errors():
    billing.new_form()
billing.subscription_list()
