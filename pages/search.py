"""What a searched text could mean: everything that it names, by kind."""

import streamlit as st

from crossway.dashboard.components import notices, search, widget
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import finding

st.title("Search")
asked = st.query_params.get("q") or st.session_state.get(search.EMAIL, "")
with notices.in_words():
    groups, more = finding.groups(services(), operator(), asked)
    if groups:
        st.markdown(notices.as_text(f"“{search.shown(asked)}” could mean:"))
    elif asked:
        words = f"Nothing is known by “{search.shown(asked)}”"
        notices.empty(words, finding.SEARCHED, "search_off")
    else:
        notices.empty("Search for anything", finding.SEARCHED, "search")
    for group in groups:
        st.subheader(group.title)
        widget.table(group.rows, finding.COLUMNS, f"found_{group.kind}", group.title)
    if more:
        st.caption("There are more; these are the newest.")
