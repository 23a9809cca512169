"""The request log: its filters, the live list, and the bodies of one request."""

import streamlit as st

from crossway.dashboard.components import living, notices, paging, webhooks, widget
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import requests as view
from crossway.ports.changes import Topic
from crossway.ports.logs import AskedRequest

Asked = tuple[str | None, str, str | None, str, str]


def filters() -> Asked:
    """Client, status, method, path and request id, kept in the address of the page."""
    quick = st.segmented_control(
        "Answer", list(view.QUICK), key="answer", default=view.EVERY, required=True,
        label_visibility="collapsed", bind="query-params",
    )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        client = webhooks.client_choice("Client", "client")
        method = st.selectbox(
            "Method", view.METHODS, index=None, key="method", placeholder="Any",
            bind="query-params", width=120,
        )  # fmt: skip
        path = st.text_input("Path", key="path", bind="query-params", placeholder="/intents")
        number = st.text_input(
            "Request id", key="request_id", bind="query-params", placeholder="Whole"
        )
    return client, quick or view.EVERY, method, path, number


@living.part(Topic.REQUESTS)
def rows(asked: Asked) -> None:
    """What was asked, newest first, live."""
    with notices.in_words():
        wanted = view.wanted(*asked, paging.before("requests", asked))
        found = view.listing(services(), operator(), wanted)
        if found.rows:
            st.caption("Newest first, live. Paths are the routes: no value stands in them.")
            widget.table(found.rows, view.COLUMNS, "requests", "Requests to the API")
        elif wanted == view.wanted(None, view.EVERY, None, "", "", wanted.before_id):
            words = "The quick start shows how a client asks for the first time."
            notices.empty("Nothing was asked yet", words, "swap_horiz")
        else:
            notices.empty("No request matches", "Take a filter away.", "filter_alt_off")
        paging.turn("requests", found.older_than)


def body(title: str, kept: str | None, asked: AskedRequest) -> None:
    """What was asked or answered, as far as it is kept."""
    st.header(title)
    if kept:
        st.code(view.laid_out(kept), language="json", wrap_lines=True)
    elif kept is None and asked.status < 400:
        st.markdown("Not kept: only writes and failures keep their bodies.")
    else:
        st.markdown("Nothing." if kept == "" else "Not kept.")
