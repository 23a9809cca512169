"""What stands on every screen: which network, which mode, what time it is there."""

import streamlit as st

from crossway.dashboard.components.notices import simulated_badge
from crossway.dashboard.navigation import open_intent
from crossway.dashboard.session import MODE_KEY, operator, services
from crossway.dashboard.views import simulator
from crossway.domain.clients import Mode
from crossway.usecases.payments import finding

_STYLE = """<style>
[data-testid="stButtonGroup"] [role="radio"][aria-checked="true"],
[data-testid="stButtonGroup"] [data-variant][aria-pressed="true"],
[data-testid="stTab"][aria-selected="true"] { color: inherit; }
:is(.stSelectbox, .stTextInput, .stNumberInput) > :first-child,
:is(.stSelectbox, .stTextInput, .stNumberInput) > :first-child :is(span, p) { color: inherit; }
[data-testid="stMainBlockContainer"] { padding-left: 2.5rem; padding-right: 2.5rem; }
[data-testid="stSidebarContent"] { display: flex; flex-direction: column; }
[data-testid="stSidebarNav"] { flex: 1 1 auto; min-height: 8rem; overflow-y: auto; }
[data-testid="stSidebarUserContent"] { flex: none; padding-bottom: 1rem; }
@media (max-width: 640px) {
  [data-testid="stMainBlockContainer"] { padding-left: 1rem; padding-right: 1rem; }
}
@media (prefers-reduced-motion: reduce) {
  * { animation: none !important; transition: none !important; }
}
</style>"""

# Streamlit's own colours of code are too faint, above all on a light ground.
_CODE = """<style>
[data-testid="stCode"] .token { color: #46525b; }
[data-testid="stCode"] .token:is(.property, .variable, .attr-name, .header-name) { color: #075985; }
[data-testid="stCode"] .token:is(.string, .attr-value, .header-value) { color: #166534; }
[data-testid="stCode"] .token:is(.builtin, .keyword, .function, .class-name) { color: #1d4ed8; }
[data-testid="stCode"] .token:is(.number, .boolean, .constant) { color: #86390f; }
</style>"""

_CODE_DARK = """<style>
[data-testid="stCode"] .token:is(.builtin, .keyword, .function, .class-name) { color: #7cbcff; }
</style>"""


def style() -> None:
    """The few rules that the theme cannot express."""
    st.html(_STYLE + (_CODE_DARK if st.context.theme.type == "dark" else _CODE))


def strip() -> None:
    """One line above every screen: the network, and its clock where somebody has moved it.

    Not live: a fragment of the frame outlives its page, and its late reruns name the page that
    was left, which empties the next one in the browser.
    """
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="environment"):
        if services().network != "simulated":
            st.badge("Live network – real money", icon=":material/public:", color="red")
            return
        simulated_badge()
        face = simulator.clock(services())
        if face is not None and face.moved:
            icon = ":material/pause_circle:" if face.frozen else ":material/schedule:"
            st.badge(f"Clock {face.words}", icon=icon, color="blue")


def sidebar() -> None:
    """The mode in which new payments are made."""
    with st.sidebar:
        st.segmented_control(
            "Mode of new payments",
            [Mode.TEST, Mode.LIVE],
            key=MODE_KEY,
            default=Mode.TEST,
            required=True,
            format_func=lambda mode: Mode(mode).capitalize(),
            help="Live works with mainnets only; test may use test networks as well.",
            persist_state="session",
        )


def follow_link() -> None:
    """`/?intent=<number or address>` opens that payment."""
    wanted = st.query_params.get("intent")
    if wanted:
        found = finding.payments(services(), operator(), wanted)
        open_intent(found[0].id if len(found) == 1 else wanted)
