"""How a client's page for payers looks: its logo, and the sites that may show the page inside."""

import streamlit as st

from crossway.dashboard.components.actions import perform
from crossway.dashboard.session import operator, services
from crossway.domain.clients import Client
from crossway.domain.looks import MOST_PICTURE_BYTES
from crossway.domain.roles import Right
from crossway.usecases.payers import looks

_LOGO = (
    "PNG, JPEG or WebP. It is kept here and shown from here: payers' browsers ask nobody else, so "
    "the logo URL above is for the API alone."
)
_FRAMES = "One a line, such as https://shop.example. Empty: no site may."


def form(client: Client) -> None:
    """The logo and the frames, for those who may change them."""
    look = looks.get(services(), operator(), client.id)
    if look.picture:
        st.image(look.picture, width=160)
    if not operator().may(Right.MANAGE):
        return
    with st.form("look", border=False):
        most = MOST_PICTURE_BYTES // 1024
        file = st.file_uploader(
            f"Logo on payers' pages, at most {most} KB", ["png", "jpg", "jpeg", "webp"], help=_LOGO
        )
        frames = st.text_area(
            "Sites that may show payers' pages inside their own", "\n".join(look.frames),
            help=_FRAMES, height=80,
        )  # fmt: skip
        without = bool(look.picture) and st.checkbox("Take the logo away")
        saved = st.form_submit_button("Save the look", icon=":material/save:")
    if saved:
        picture = b"" if without else file.getvalue() if file else None
        perform(lambda: _changed(client, picture, frames.split()))


def _changed(client: Client, picture: bytes | None, frames: list[str]) -> str:
    looks.change(services(), operator(), client.id, picture, frames)
    return f"Payers' pages of {client.name} are changed."
