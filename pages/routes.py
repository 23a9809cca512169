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
        notices.empty_state("No matching routes", "Remove a filter.", "link_off")
    else:
        enabled_count = sum(corridor.route.enabled for corridor in matching)
        pairs = {(c.route.source, c.route.destination) for c in matching}
        st.caption(
            f"{enabled_count:,} of {len(matching):,} routes are enabled, "
            f"between {len(pairs):,} pairs."
        )
        routes.overview_charts(filters, matching)
        st.header("Corridors")
        routes.table(matching)
    st.header("Bridges")
    routes.bridges(filters)
st.header("Disabled routes")
kill_switches.switch_list()
with st.expander("Disable a bridge", icon=":material/power_off:"):
    kill_switches.disable_bridge()
