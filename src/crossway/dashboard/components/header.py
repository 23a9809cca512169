"""The header of every page: mode, environment, search, emergency stop and account, in one row."""

import streamlit as st

from crossway.dashboard.components import emergency_stop, environment, palette, sidebar
from crossway.dashboard.components.notices import show_errors
from crossway.dashboard.components.sign_in import account_menu

# It lies beside Streamlit's own menu, in the strip that is empty otherwise.
_STYLE = """<style>
[data-testid="stHeader"] { background: transparent; height: 3rem; }
[data-testid="stHeader"], [data-testid="stHeader"] * { pointer-events: none; }
[data-testid="stHeader"] :is(button, a), [data-testid="stHeader"] :is(button, a) * {
  pointer-events: auto;
}
.st-key-header { margin-top: -4.3rem; padding-right: 1.25rem; min-height: 2.5rem; gap: .6rem; }
@media (max-width: 640px) {
  .st-key-header { margin-top: -.5rem; padding-right: 0; }
  .st-key-header > :first-child { order: -2; }
  .st-key-header > :last-child { order: -1; }
}
</style>"""


def header(page: str) -> None:
    """Draw the header of a page, and fold the sidebar around the page's section."""
    with (
        show_errors(),
        st.container(key="header", horizontal=True, gap="small", vertical_alignment="center"),
    ):
        environment.mode_selector()
        environment.environment_badges(page)
        st.space("stretch")
        # What draws nothing has no gap to its neighbours here.
        with st.container(key="header_palette", width="content", gap=None):
            st.html(_STYLE)
            sidebar.sidebar(page)
            environment.remember_mode()
            palette.palette()
        emergency_stop.button()
        account_menu()
    with show_errors():
        palette.do_what_was_chosen()
