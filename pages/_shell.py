"""The frame of every screen: navigation by what people do, the environment, the search."""

import streamlit as st

from crossway.dashboard.components import environment, notices
from crossway.dashboard.components.door import door
from crossway.dashboard.navigation import FOLDER, leave, page
from crossway.dashboard.session import services

STATIC = FOLDER.parent / "static"
st.set_page_config(page_title="Crossway", page_icon=str(STATIC / "favicon.svg"), layout="wide")
dark = st.context.theme.type == "dark"
st.logo(str(STATIC / ("logo-dark.svg" if dark else "logo.svg")), size="large")
environment.style()
door()

overview = st.Page(
    page("overview"),
    title="Overview",
    icon=":material/monitoring:",
    default=True,
    help="Is everything all right? What needs a person?",
)
sections = {
    "Today": [overview],
    "Payments": [
        st.Page(
            page("intents"),
            title="Payments",
            icon=":material/list_alt:",
            help="Every payment, live: filter, search, export, open one.",
        ),
        st.Page(
            page("new_intent"),
            title="New payment",
            icon=":material/add_circle:",
            help="A guided form that ends in an address and a QR code.",
        ),
        st.Page(
            page("quotes"),
            title="Quotes",
            icon=":material/price_check:",
            help="What it costs to pay from each chain, side by side.",
        ),
        st.Page(page("intent"), title="Payment", visibility="hidden"),
    ],
    "Network": [
        st.Page(
            page("routes"),
            title="Routes",
            icon=":material/hub:",
            help="Which bridge goes where; switch routes and chains off and on.",
        ),
        st.Page(
            page("chains"),
            title="Chains",
            icon=":material/link:",
            help="Heads, delays and the relayer's gas on every chain.",
        ),
    ],
}
if services().network == "simulated":
    sections["Admin"] = [
        st.Page(
            page("simulator"),
            title="Simulator",
            icon=":material/science:",
            help="The clock, the faults and the deposits of the simulated network.",
        )
    ]

chosen = st.navigation(sections)
leave()
with notices.in_words():
    environment.follow_link()
    environment.strip()
environment.sidebar()
notices.speak()
with notices.in_words():
    chosen.run()
