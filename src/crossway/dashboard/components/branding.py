"""The branding of a client's checkout pages: the logo, and the sites that may embed them."""

import streamlit as st

from crossway.dashboard.components.actions import run_action
from crossway.dashboard.session import operator, services
from crossway.domain.branding import MAX_LOGO_BYTES
from crossway.domain.clients import Client
from crossway.domain.roles import Permission
from crossway.usecases.payers import branding

_LOGO = (
    "Crossway stores the logo and serves it on checkout pages; the logo URL above is used by the "
    "API only."
)
# Streamlit shows its own limit there, in whole megabytes.
_HIDE_UPLOADER_LIMIT = """<style>
.st-key-checkout_logo [data-testid=stFileUploaderDropzoneInstructions] { display: none; }
</style>"""
_FRAMES = "One per line, such as https://shop.example. Empty: none."


def form(client: Client) -> None:
    """The logo and the allowed sites, for those with permission."""
    branding_record = branding.get_branding(services(), operator(), client.id)
    if branding_record.logo:
        st.image(branding_record.logo, width=160)
    if not operator().can(Permission.MANAGE):
        return
    st.html(_HIDE_UPLOADER_LIMIT)
    with st.form("look", border=False):
        max_kilobytes = MAX_LOGO_BYTES // 1024
        file = st.file_uploader(
            f"Checkout logo: PNG, JPEG or WebP, at most {max_kilobytes} KB",
            ["png", "jpg", "jpeg", "webp"],
            help=_LOGO,
            key="checkout_logo",
        )
        frames = st.text_area(
            "Sites allowed to embed the checkout",
            "\n".join(branding_record.frames),
            help=_FRAMES,
            height=80,
        )
        st.caption("How to embed it, with events, is in docs/payers.md under Embed the page.")
        remove_logo = bool(branding_record.logo) and st.checkbox("Remove the logo")
        saved = st.form_submit_button("Save branding", icon=":material/save:")
    if saved:
        picture = b"" if remove_logo else file.getvalue() if file else None
        run_action(lambda: _update(client, picture, frames.split()))


def _update(client: Client, picture: bytes | None, frames: list[str]) -> str:
    branding.update_branding(services(), operator(), client.id, picture, frames)
    return f"The branding of {client.name} is updated."
