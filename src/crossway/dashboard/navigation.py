"""The names of the screens, and the ways from one to another."""

from pathlib import Path
from typing import Final, NoReturn

import streamlit as st

FOLDER: Final = Path(__file__).parents[3] / "pages"


def page(name: str) -> str:
    """The script of a screen, as Streamlit's navigation names it."""
    return str(FOLDER / f"{name}.py")


def intent_href(intent_id: int | str) -> str:
    """The link that opens one payment, on its own or shared with somebody."""
    return f"intent?id={intent_id}"


def open_intent(intent_id: int | str) -> NoReturn:
    """Leave for one payment's screen."""
    st.switch_page(page("intent"), query_params={"id": str(intent_id)})


def open_page(name: str, **query: str) -> NoReturn:
    """Leave for another screen, with what it is to start from."""
    st.switch_page(page(name), query_params=query)
