"""One payment link: what it asks for, what is handed to payers, and what they made by it."""

import streamlit as st

from crossway.dashboard.components import missing, notices, payment_links, widget
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import payment_links as view
from crossway.dashboard.views.cells import Way
from crossway.dashboard.views.links import link

with missing.told("Payment link", Way("To the list of links", link("payment_links"), "add_link")):
    found = view.one(services(), operator(), st.query_params.get("id") or "")
    st.title(notices.as_text(found.title))
    chip = view.state(found, services().clock.now())
    st.badge(chip.text, icon=f":material/{chip.icon}:", color=chip.color, help=chip.hint or None)
    left, right = st.columns([3, 2], gap="large")
    with right:
        st.header("For payers")
        url = payment_links.share(found)
    with left:
        st.header("Facts")
        widget.facts(view.facts(services(), found, url), "link_facts", "Facts")
        payment_links.switch(found)
        with st.expander("Change it", icon=":material/edit:", key="change_link_fold"):
            payment_links.change(found)
        about = link("audit", about=f"payment_link:{found.id}")
        widget.ways((Way("Who changed it", about, "history"),), "link_ways")
    st.header("Uses")
    payment_links.used(found.id)
