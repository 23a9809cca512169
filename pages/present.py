"""Presentation: the guided story beside the network map, with large type and keys."""

import streamlit as st

from crossway.dashboard.components import environment, guided_story, notices
from crossway.dashboard.session import services

# The frame of other pages; what the strip of alerts says is on the map here.
_STYLE = """<style>
[data-testid="stHeader"], [data-testid="stSidebar"], [data-testid="stExpandSidebarButton"] {
  display: none;
}
[data-testid="stMainBlockContainer"] { padding: .8rem 2rem 0; max-width: none; }
[data-testid="stMainBlockContainer"] > div { gap: .4rem; }
.st-key-alert_strip { position: absolute; width: 1px; height: 1px; overflow: hidden; opacity: 0; }
.st-key-present_top h1 { font-size: clamp(1.1rem, 1.4vw, 1.8rem); padding: 0; }
</style>"""

st.html(_STYLE)
with st.container(key="present_top", horizontal=True, vertical_alignment="center"):
    st.title("Crossway")
    environment.mode_badge("present")
    notices.simulated_badge()
if services().sandbox is None:
    notices.empty_state(
        "This is the live environment", "The story runs with simulated money only.", "public"
    )
else:
    guided_story.present()
