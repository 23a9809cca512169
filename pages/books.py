"""Books: whether they balance, every account, an account's postings, and exports."""

import streamlit as st

from crossway.dashboard.components import books, widget
from crossway.dashboard.session import services
from crossway.dashboard.views import books as view
from crossway.dashboard.views.cells import Way
from crossway.dashboard.views.links import link

asked = st.query_params
key = view.key_of(asked.get("account"), asked.get("chain"), asked.get("token"))
if key is None:
    st.title("Books")
    st.markdown(
        "Every movement of money is booked twice: credited where it comes from, debited where it "
        "goes. A line opens its postings."
    )
    books.trial_balance()
    st.header("All postings")
else:
    st.title(view.title(services(), key))
    widget.ways((Way("All accounts", link("books"), "arrow_back"),), "books_back", width="content")
between = books.days()
books.export(key, between)
if key is None:
    books.postings(None, between)
else:
    books.account(key, between)
