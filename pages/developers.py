"""Quick start: code samples with the operator's values, and links to the API reference."""

import streamlit as st

from crossway.dashboard.components import developers, notices, widget
from crossway.dashboard.session import services
from crossway.dashboard.views import developers as view
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.links import page_href

PAY = {language: language for language in view.LANGUAGES}
RECEIVE = {"Python": "Python", "JavaScript": "JavaScript", "curl": "Without a public URL"}

st.title("Quick start")
base = view.base_url(st.context.url or "")
with st.container(horizontal=True, gap="small"):
    st.link_button("API reference", f"{base}/api/docs", icon=":material/menu_book:")
    st.link_button("OpenAPI document", f"{base}/api/openapi.json", icon=":material/data_object:")
    buttons = (
        LinkButton("Create an API key", page_href("keys"), "key"),
        LinkButton("Add a webhook", page_href("webhooks"), "webhook"),
    )
    widget.link_buttons(buttons, "developer_ways", width="content")
with st.container(border=True):
    st.subheader("Your values")
    inputs = developers.sample_inputs()
with notices.show_errors():
    values = view.build_sample_values(services(), inputs)
    st.header("1. Set your API key")
    st.markdown("Keep it out of your source code: every sample reads it from the environment.")
    st.code("export CROSSWAY_API_KEY=cr_test_…", language="bash")
    st.header("2. Accept a payment")
    developers.samples("pay", values, PAY)
    st.header("3. Receive webhooks")
    st.markdown(
        "Add a webhook, store its secret in `WEBHOOK_SECRET` and verify the signature of every "
        "delivery: anyone who knows the URL can post to it."
    )
    developers.samples("receive", values, RECEIVE)
