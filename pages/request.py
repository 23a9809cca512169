"""One API request: its details, request body and response body."""

import streamlit as st

from crossway.dashboard.components import environment, not_found, request_log, widget
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import request_records
from crossway.dashboard.views import requests as view
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.links import page_href

with not_found.handle_not_found(
    "Request", LinkButton("All requests", page_href("requests"), "swap_horiz")
):
    request = view.get_request(services(), operator(), st.query_params.get("id") or "")
    st.title(f"Request #{request.id}")
    environment.other_mode_notice(request.mode)
    left, right = st.columns(2, gap="large")
    with left:
        st.header("Details")
        widget.details(view.build_details(services(), request), "request_facts", "Details")
        buttons = request_records.record_links(services(), request)
        widget.link_buttons(buttons, "request_ways")
    with right:
        request_log.body("Request", request.request_body, request)
        request_log.body("Response", request.response_body, request)
        if request.request_body or request.response_body:
            st.caption("“…” replaces secret or personal values, which are never stored.")
