"""Quick start: code samples with the operator's own values, and where the reference is."""

import streamlit as st

from crossway.dashboard.components import developers, notices, widget
from crossway.dashboard.session import services
from crossway.dashboard.views import developers as view
from crossway.dashboard.views.cells import Way
from crossway.dashboard.views.links import link

PAY = {language: language for language in view.LANGUAGES}
RECEIVE = {"Python": "Python", "JavaScript": "JavaScript", "curl": "Without a public address"}

st.title("Quick start")
base = view.base_of(st.context.url or "")
with st.container(horizontal=True, gap="small"):
    st.link_button("API reference", f"{base}/api/docs", icon=":material/menu_book:")
    st.link_button("OpenAPI document", f"{base}/api/openapi.json", icon=":material/data_object:")
    ways = (
        Way("Make a key", link("keys"), "key"),
        Way("Add a webhook", link("webhooks"), "webhook"),
    )
    widget.ways(ways, "developer_ways", width="content")
with st.container(border=True):
    st.subheader("Your values")
    typed = developers.typed()
with notices.in_words():
    filled = view.values(services(), typed)
    st.header("1. Your key")
    st.markdown("Keep it out of your sources: every sample reads it from the environment.")
    st.code("export CROSSWAY_API_KEY=cr_test_…", language="bash")
    st.header("2. Take a payment")
    developers.samples("pay", filled, PAY)
    st.header("3. Be told what happens")
    st.markdown(
        "Add a webhook, keep its secret in `WEBHOOK_SECRET`, and check every delivery with it: "
        "whoever knows the URL can post there."
    )
    developers.samples("receive", filled, RECEIVE)
