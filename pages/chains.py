"""Chains: heads, delays, nodes and the relayer's gas; switch a chain off and on."""

import streamlit as st

from crossway.dashboard import live
from crossway.dashboard.components import living, notices, switches, widget
from crossway.dashboard.session import services
from crossway.dashboard.views import chains as view

st.title("Chains")


@living.part(every=2.0)
def chains() -> None:
    with notices.in_words(), st.skeleton(height=320):
        found = live.chains()
        st.markdown(view.summary(found))
        widget.table(view.rows(services().catalogue, found), view.COLUMNS, "chains", "Chains")


chains()
st.header("Switched off")
switches.listed("chain:")
st.header("Switch a chain off")
switches.chain_off()
