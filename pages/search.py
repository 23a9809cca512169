"""Search: all records that match a text, by kind."""

import streamlit as st

from crossway.dashboard.components import notices, search, widget
from crossway.dashboard.session import current_mode, operator, services
from crossway.dashboard.views import search as view

st.title("Search")
search.search_form()
text = st.query_params.get("q") or st.session_state.get(search.EMAIL, "")
with notices.show_errors():
    groups, has_more, in_other_mode = view.group_results(services(), operator(), text)
    if groups:
        st.markdown(notices.escape_markdown(f"“{search.abbreviate(text)}” matches:"))
    elif text:
        title = f"No results for “{search.abbreviate(text)}”."
        notices.empty_state(title, view.SEARCH_HELP, "search_off")
    else:
        notices.empty_state("Search", view.SEARCH_HELP, "search")
    if in_other_mode:
        st.info(f"Nothing in {current_mode()} mode matches; these are in the other mode.")
    for group in groups:
        st.subheader(group.title)
        widget.table(group.rows, view.COLUMNS, f"found_{group.kind}", group.title)
    if has_more:
        st.caption("Only the newest results are shown.")
