"""The frame of every screen: navigation by what people do, the environment, the search."""

import streamlit as st

from crossway.dashboard.components import alarms, environment, notices, search
from crossway.dashboard.components.door import door, who
from crossway.dashboard.navigation import FOLDER, leave, page
from crossway.dashboard.screens import SCREENS, Screen, sections
from crossway.dashboard.session import person, services

STATIC = FOLDER.parent / "static"
st.set_page_config(page_title="Crossway", page_icon=str(STATIC / "favicon.svg"), layout="wide")
dark = st.context.theme.type == "dark"
st.logo(str(STATIC / ("logo-dark.svg" if dark else "logo.svg")), size="large")
environment.style()


def drawn(screen: Screen) -> st.Page:
    return st.Page(
        page(screen.name),
        title=screen.title,
        icon=f":material/{screen.icon}:" if screen.icon else None,
        help=screen.help or None,
        default=screen is SCREENS[0],
        visibility="visible" if screen.section else "hidden",
    )


simulated = services().network == "simulated"
# At the door, too: a link to a screen leads there once its reader is let in.
chosen = st.navigation(
    {title: [drawn(screen) for screen in found] for title, found in sections(simulated).items()},
    position="sidebar" if person() else "hidden",
    expanded=True,
)
# The run ends as every other does: what is stopped leaves live parts behind that draw on.
if door() and not leave(chosen.url_path):
    with notices.in_words():
        environment.follow_link()
        with st.container(horizontal=True, gap="small", horizontal_alignment="distribute"):
            environment.strip()
            search.box()
    with notices.in_words():
        alarms.strip()
    environment.sidebar()
    with notices.in_words():
        who()
    notices.speak()
    with notices.in_words():
        chosen.run()
