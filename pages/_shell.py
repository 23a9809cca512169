"""The shell of all pages: navigation, header, alert strip and sign-in."""

import streamlit as st

from crossway.dashboard.components import (
    alerts,
    emergency_stop,
    environment,
    header,
    notices,
    step_up,
)
from crossway.dashboard.components.navigation import (
    FOLDER,
    SHOWN_PAGE,
    continue_navigation,
    page_path,
)
from crossway.dashboard.components.sign_in import require_sign_in
from crossway.dashboard.mode_choice import follow_mode
from crossway.dashboard.page_registry import PAGES, Page, pages_by_section
from crossway.dashboard.session import services, signed_in_staff

STATIC = FOLDER.parent / "static"
st.set_page_config(page_title="Crossway", page_icon=str(STATIC / "favicon.svg"), layout="wide")
dark = st.context.theme.type == "dark"
st.logo(str(STATIC / ("logo-dark.svg" if dark else "logo.svg")), size="large")
environment.page_style()


def drawn(screen: Page) -> st.Page:
    return st.Page(
        page_path(screen.name),
        title=screen.title,
        icon=f":material/{screen.icon}:" if screen.icon else None,
        help=screen.help or None,
        default=screen is PAGES[0],
        visibility="visible" if screen.section else "hidden",
    )


simulated = services().environment == "simulated"
# Navigation exists before sign-in as well, so that a deep link opens its page afterwards.
current_page = st.navigation(
    {
        title: [drawn(screen) for screen in entries]
        for title, entries in pages_by_section(simulated).items()
    },
    position="sidebar" if signed_in_staff() else "hidden",
    expanded=True,
)
# The run ends normally: st.stop() would leave live fragments behind that keep drawing.
if require_sign_in() and not continue_navigation(current_page.url_path):
    follow_mode()
    with notices.show_errors():
        environment.open_linked_payment()
    if current_page.url_path != "present":
        header.header(current_page.url_path)
    with notices.show_errors():
        emergency_stop.banner()
    # Apart: it opens the stream by which every part of the page is kept up to date.
    with notices.show_errors():
        alerts.alert_strip()
    notices.show_toasts()
    with notices.show_errors():
        current_page.run()
    st.session_state[SHOWN_PAGE] = current_page.url_path
    step_up.ask_if_waiting()
