"""Invoices and subscriptions: the lists, and the form of a new one."""

import streamlit as st

from crossway.dashboard.components import billing, merchants, notices

st.title("Invoices")
merchant = merchants.merchant_filter()
billing.invoice_list(merchant)
with notices.show_errors():
    billing.new_form()
billing.subscription_list(merchant)
