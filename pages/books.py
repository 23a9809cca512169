"""Books: balance check, trial balance, postings of an account, and exports."""

import streamlit as st

from crossway.dashboard.components import books, widget
from crossway.dashboard.session import services
from crossway.dashboard.views import books as view
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.links import page_href

query = st.query_params
key = view.parse_balance_key(query.get("account"), query.get("chain"), query.get("token"))
if key is None:
    st.title("Books")
    st.markdown(
        "Double-entry ledger: every movement credits the account it comes from and debits the "
        "account it goes to. Select a row to see its postings."
    )
    books.trial_balance()
    st.header("All postings")
else:
    st.title(view.describe_balance_key(services(), key))
    widget.link_buttons(
        (LinkButton("All accounts", page_href("books"), "arrow_back"),),
        "books_back",
        width="content",
    )
days = books.date_range()
books.export(key, days)
if key is None:
    books.postings(None, days)
else:
    books.account(key, days)
