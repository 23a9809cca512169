"""One API key: what it may do, replacing it, ending it."""

import streamlit as st

from crossway.dashboard.components import keys, living, missing, notices, secrets, widget
from crossway.dashboard.session import services
from crossway.dashboard.views import keys as view
from crossway.dashboard.views.cells import Way
from crossway.dashboard.views.links import client_href, link

wanted = st.query_params.get("id") or ""


@living.part()
def facts() -> None:
    with notices.in_words():
        widget.facts(view.facts(*view.one(services(), wanted)), "key_facts", "Facts")


with missing.told("API key", Way("To the list of keys", link("keys"), "key")):
    key, client = view.one(services(), wanted)
    st.title(f"Key {key.shown}…")
    secrets.shown()
    now = services().clock.now()
    with st.container(horizontal=True, gap="small"):
        for mark in (view.state(key, now), view.MODES[key.mode]):
            st.badge(mark.text, icon=f":material/{mark.icon}:", color=mark.color, help=mark.hint)
    left, right = st.columns(2, gap="large")
    with left:
        st.header("Facts")
        facts()
        ways = (
            Way(f"Client {client.name}", client_href(client.id), "storefront"),
            Way("What its client asked", link("requests", client=client.id), "swap_horiz"),
            Way("Who changed it", link("audit", about=f"key:{key.id}"), "history"),
        )
        widget.ways(ways, "key_ways")
    with right:
        if key.ended(now):
            notices.empty("This key has ended", "Nothing can be asked with it any more.", "key_off")
        else:
            st.header("What it may")
            keys.change(key)
            st.header("Replace or end it")
            keys.ending(key, client)
