"""Routes: volume and cost per corridor, bridge health and kill switches."""

import streamlit as st

from crossway.dashboard.components import kill_switches, notices, routes
from crossway.dashboard.views import corridors as view

st.title("Routes")
with notices.show_errors():
    routes.apply_chart_selection()
    filters = routes.filters()
    corridors = routes.list_corridors(filters)
    matching = view.filter_corridors(
        corridors, filters.source, filters.destination, filters.bridges
    )
    switches = kill_switches.list_disabled()
    selected = view.find_corridor(corridors, st.query_params.get("corridor"))
    if selected is not None:
        routes.corridor_detail(filters, selected, switches)
    if not matching:
        notices.empty_state(*routes.describe_no_match(filters), "link_off")
    else:
        st.caption(routes.describe_coverage(filters, matching))
        routes.overview_charts(filters, matching)
        st.header("Corridors")
        routes.table(matching)
    st.header("Bridges")
    routes.bridges(filters)
st.header("Disabled routes")
kill_switches.switch_list()
with st.expander("Disable a bridge", icon=":material/power_off:"):
    kill_switches.disable_bridge()
