"""Chains: heads, lag, node latency and the relayer's gas; disable and enable a chain."""

import streamlit as st

from crossway.dashboard import push
from crossway.dashboard.components import (
    chain_focus,
    kill_switches,
    live_fragment,
    notices,
    widget,
)
from crossway.dashboard.session import services
from crossway.dashboard.views import chains as view

st.title("Chains")
chosen = chain_focus.chosen_chain()


@live_fragment.fragment(refresh_seconds=2.0)
def chains(first: str) -> None:
    with notices.show_errors(), st.skeleton(height=320):
        statuses = push.chain_statuses()
        st.markdown(view.summarize(statuses))
        rows = view.build_rows(services().catalogue, statuses, first)
        widget.table(rows, view.COLUMNS, "chains", "Chains")


if chosen:
    chain_focus.focus(chosen)
    st.header("All chains")
chains(chosen)
st.header("Disabled chains")
kill_switches.switch_list("chain:")
st.header("Disable a chain")
kill_switches.disable_chain(chosen)
