"""The frame of every page: environment, mode, clock and style."""

import streamlit as st

from crossway.dashboard.components import widget
from crossway.dashboard.components.navigation import open_intent
from crossway.dashboard.components.notices import simulated_badge
from crossway.dashboard.mode_choice import chosen_mode, mode_was_chosen, switch_mode
from crossway.dashboard.page_registry import shows_both_modes
from crossway.dashboard.session import (
    MODE_COOKIE,
    MODE_KEY,
    current_mode,
    operator,
    services,
)
from crossway.dashboard.views import simulator
from crossway.dashboard.views.keys import MODES
from crossway.domain.clients import Mode
from crossway.usecases.payments import search

_MODE_HELP = (
    "Test and live are two worlds: lists, figures, searches and exports show this mode only. Live "
    "mode uses mainnets only; test mode can also use testnets."
)
_STYLE = """<style>
[data-testid="stButtonGroup"] [role="radio"][aria-checked="true"],
[data-testid="stButtonGroup"] [data-variant][aria-pressed="true"],
[data-testid="stTab"][aria-selected="true"] { color: inherit; }
:is(.stSelectbox, .stTextInput, .stNumberInput) > :first-child,
:is(.stSelectbox, .stTextInput, .stNumberInput) > :first-child :is(span, p) { color: inherit; }
[data-testid="stStatusWidget"] { display: none; }
[data-testid="stMainBlockContainer"] { padding-left: 2.5rem; padding-right: 2.5rem; }
@media (max-width: 640px) {
  [data-testid="stMainBlockContainer"] { padding-left: 1rem; padding-right: 1rem; }
}
@media (prefers-reduced-motion: reduce) {
  * { animation: none !important; transition: none !important; }
}
</style>"""

# Streamlit's colours of code have too little contrast, above all on a light background.
_CODE = """<style>
[data-testid="stCode"] .token,
[data-testid="stCode"] .token:is(.comment, .prolog, .punctuation) { color: #46525b; }
[data-testid="stCode"] .token:is(.property, .variable, .attr-name, .header-name) { color: #075985; }
[data-testid="stCode"] .token:is(.string, .attr-value, .header-value) { color: #166534; }
[data-testid="stCode"] .token:is(.builtin, .keyword, .function, .class-name) { color: #1d4ed8; }
[data-testid="stCode"] .token:is(.number, .boolean, .constant) { color: #86390f; }
</style>"""

_CODE_DARK = """<style>
[data-testid="stCode"] .token:is(.builtin, .keyword, .function, .class-name) { color: #7cbcff; }
</style>"""


def page_style() -> None:
    """CSS rules that the theme cannot express."""
    st.html(_STYLE + (_CODE_DARK if st.context.theme.type == "dark" else _CODE))


def remember_mode() -> None:
    """Have the browser keep the mode once somebody has chosen one."""
    if chosen := chosen_mode():
        widget.remember(MODE_COOKIE, chosen)


def environment_badges(page: str) -> None:
    """The mode that the page shows, the environment, and its clock if it was changed.

    Not a fragment: a fragment of the frame outlives its page, and its late reruns name the page
    that was left, which empties the next page in the browser.
    """
    with st.container(
        horizontal=True,
        gap="small",
        vertical_alignment="center",
        width="content",
        key="environment",
    ):
        mode_badge(page)
        if services().environment != "simulated":
            st.badge("Live – real money", icon=":material/public:", color="red")
            return
        simulated_badge()
        face = simulator.read_clock(services())
        if face is not None and face.is_adjusted:
            icon = ":material/pause_circle:" if face.frozen else ":material/schedule:"
            st.badge(face.label, icon=icon, color="blue", help=f"Clock {face.description}")


def mode_badge(page: str) -> None:
    """Which mode a page shows."""
    if shows_both_modes(page):
        st.badge(
            "Test and live",
            icon=":material/join:",
            color="gray",
            help="This page shows the whole installation, whichever mode is chosen.",
        )
        return
    badge = MODES[current_mode()]
    st.badge(
        f"{badge.text} mode", icon=f":material/{badge.icon}:", color=badge.color, help=_MODE_HELP
    )


def mode_selector() -> None:
    """The mode of all that is shown and created."""
    current_mode()  # A new session gets its first mode before the widget is drawn.
    st.segmented_control(
        "Mode",
        [Mode.TEST, Mode.LIVE],
        key=MODE_KEY,
        required=True,
        format_func=lambda mode: Mode(mode).capitalize(),
        label_visibility="collapsed",
        persist_state="session",
        on_change=mode_was_chosen,
        width="content",
    )


def other_mode_notice(record_mode: str | None) -> None:
    """On the page of a record of the other mode: says so, and offers to switch."""
    if record_mode in (None, current_mode()):
        return
    mode = Mode(str(record_mode))
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.warning(
            f"This is in {mode} mode. Lists, figures and new payments are in {current_mode()} "
            "mode now.",
            icon=":material/swap_horiz:",
        )
        st.button(
            f"Switch to {mode} mode",
            on_click=switch_mode,
            args=(mode,),
            key="switch_mode",
            type="primary",
        )


def open_linked_payment() -> None:
    """Open the payment of a link `/?intent=<number or address>`."""
    query = st.query_params.get("intent")
    if query:
        results = search.search_payments(services(), operator(), query)
        open_intent(results[0].id if len(results) == 1 else query)
