"""One API key: permissions, rotation and revocation."""

import streamlit as st

from crossway.dashboard.components import (
    keys,
    live_fragment,
    not_found,
    notices,
    one_time_secrets,
    widget,
)
from crossway.dashboard.session import services
from crossway.dashboard.views import keys as view
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.links import client_href, page_href

key_id = st.query_params.get("id") or ""


@live_fragment.fragment()
def facts() -> None:
    with notices.show_errors():
        widget.details(
            view.build_details(*view.get_key(services(), key_id)), "key_facts", "Details"
        )


with not_found.handle_not_found("API key", LinkButton("All API keys", page_href("keys"), "key")):
    key, client = view.get_key(services(), key_id)
    st.title(f"Key {key.display_prefix}…")
    one_time_secrets.pending_secret()
    now = services().clock.now()
    with st.container(horizontal=True, gap="small"):
        for badge in (view.status_badge(key, now), view.MODES[key.mode]):
            st.badge(
                badge.text, icon=f":material/{badge.icon}:", color=badge.color, help=badge.hint
            )
    left, right = st.columns(2, gap="large")
    with left:
        st.header("Details")
        facts()
        buttons = (
            LinkButton(f"Merchant {client.name}", client_href(client.id), "storefront"),
            LinkButton(
                "The merchant's API requests", page_href("requests", client=client.id), "swap_horiz"
            ),
            LinkButton("Audit log", page_href("audit", about=f"key:{key.id}"), "history"),
        )
        widget.link_buttons(buttons, "key_ways")
    with right:
        if key.is_expired(now):
            notices.empty_state(
                "This key is revoked", "Requests with this key are rejected.", "key_off"
            )
        else:
            st.header("Permissions")
            keys.change_form(key)
            st.header("Rotate or revoke")
            keys.replace_or_revoke(key, client)
