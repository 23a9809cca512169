"""Chains: heads, lag, node latency and the relayer's gas; disable and enable a chain."""

import streamlit as st

from crossway.dashboard import push
from crossway.dashboard.components import kill_switches, live_fragment, notices, widget
from crossway.dashboard.session import services
from crossway.dashboard.views import chains as view

st.title("Chains")


@live_fragment.fragment(refresh_seconds=2.0)
def chains() -> None:
    with notices.show_errors(), st.skeleton(height=320):
        statuses = push.chain_statuses()
        st.markdown(view.summarize(statuses))
        rows = view.build_rows(services().catalogue, statuses, st.query_params.get("chain"))
        widget.table(rows, view.COLUMNS, "chains", "Chains")


chains()
st.header("Disabled chains")
kill_switches.switch_list("chain:")
st.header("Disable a chain")
kill_switches.disable_chain()
