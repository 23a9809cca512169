"""Chains: heads, delays and the relayer's gas; switch a chain off and on."""

import streamlit as st

from crossway.dashboard import live
from crossway.dashboard.components import living, notices, switches, widget
from crossway.dashboard.session import services
from crossway.dashboard.views import overview

st.title("Chains")


@living.part()
def chains() -> None:
    with notices.in_words(), st.skeleton(height=320):
        rows = overview.chains(services().catalogue, live.chains())
        widget.table(rows, overview.CHAIN_COLUMNS, "chains", "Chains")


chains()
st.header("Switched off")
switches.listed("chain:")
st.header("Switch a chain off")
switches.chain_off()
