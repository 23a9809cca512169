"""Payments: the live list with its filters, its search and its export."""

import streamlit as st

from crossway.dashboard.components import living, notices, widget
from crossway.dashboard.components.filters import chain_select
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import intents
from crossway.dashboard.views.cells import Way
from crossway.dashboard.views.links import link

st.title("Payments")
quick = st.segmented_control(
    "Show", list(intents.QUICK), key="show", default=intents.EVERY, required=True,
    label_visibility="collapsed", bind="query-params",
)  # fmt: skip
with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
    search = st.text_input(
        "Search", key="search", type="search", bind="query-params",
        placeholder="Number, address, hash, sender or recipient, whole",
    )  # fmt: skip
    source = chain_select("From chain", "from")
    destination = chain_select("To chain", "to")
asked = (quick, search, source, destination)
if st.session_state.get("intents_asked") != asked:
    st.session_state.intents_asked = asked
    st.session_state.intents_pages = []
pages: list[int] = st.session_state.setdefault("intents_pages", [])
filters = intents.wanted(
    quick or intents.EVERY, source, destination, search, pages[-1] if pages else None
)


def older() -> None:
    pages.append(st.session_state.intents_older)


def newer() -> None:
    pages.pop()


@living.part()
def rows() -> None:
    with notices.in_words():
        found = intents.listing(services(), operator(), filters)
        st.session_state.intents_older = found.older_than
        if not found.rows:
            if any(asked[1:]) or quick != intents.EVERY:
                notices.empty("No payment matches", "Take a filter away, or search another way.")
            else:
                notices.empty("No payments yet", "Make the first one with New payment.")
            return
        count = f"{found.total:,} payment{'' if found.total == 1 else 's'}"
        place = f", page {len(pages) + 1}" if pages or found.older_than else ""
        st.caption(f"{count}{place}. Newest first, live.")
        widget.table(found.rows, intents.COLUMNS, "intents", "Payments")
        with st.container(horizontal=True, gap="small"):
            if pages:
                st.button("Newer", icon=":material/arrow_back:", on_click=newer, key="newer")
            if found.older_than:
                st.button("Older", icon=":material/arrow_forward:", on_click=older, key="older")
    if st.session_state.get("intents_drawn") != len(pages):
        st.session_state.intents_drawn = len(pages)
        st.rerun()


rows()
with st.container(horizontal=True, gap="small"):
    way = Way("New payment", link("new_intent"), "add_circle", main=True)
    widget.ways((way,), "intents_ways", width="content")
    st.download_button(
        "Export as CSV",
        lambda: intents.export(services(), operator(), filters),
        file_name="payments.csv",
        mime="text/csv",
        icon=":material/download:",
        help=f"The payments that the filters leave, at most {intents.EXPORT_MOST:,}.",
    )
