"""One request to the API: who asked what, and what was answered."""

import streamlit as st

from crossway.dashboard.components import missing, requests, widget
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import requests as view
from crossway.dashboard.views.cells import Way
from crossway.dashboard.views.links import client_href, link

with missing.told("Request", Way("To the list of requests", link("requests"), "swap_horiz")):
    asked = view.one(services(), operator(), st.query_params.get("id") or "")
    st.title(f"Request #{asked.id}")
    left, right = st.columns(2, gap="large")
    with left:
        st.header("Facts")
        widget.facts(view.facts(services(), asked), "request_facts", "Facts")
        ways = [Way("Requests to this route", link("requests", path=asked.path), "swap_horiz")]
        if asked.client_id:
            ways.append(Way("Its client", client_href(asked.client_id), "storefront"))
        widget.ways(ways, "request_ways")
    with right:
        requests.body("Asked", asked.asked, asked)
        requests.body("Answered", asked.answered, asked)
        if asked.asked or asked.answered:
            st.caption("“…” stands for what may be secret or personal: it is never kept.")
