"""New payment: a form that ends with the payer's link, at an address of its own."""

import streamlit as st

from crossway.dashboard.components import created_payment, new_payment

st.title("New payment")
if created := new_payment.created_id():
    created_payment.show(created)
else:
    new_payment.form()
