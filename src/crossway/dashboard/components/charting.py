"""Draws charts in the colours of the viewer's theme."""

import streamlit as st

from crossway.dashboard.charts import Option
from crossway.dashboard.views.colors import Shade


def theme_shade() -> Shade:
    """Whether the viewer's theme is light or dark."""
    return "dark" if st.context.theme.type == "dark" else "light"


def chart(option: Option, height: int, key: str, alt: str) -> None:
    """A chart with a text alternative."""
    st.echarts_chart(option, height=height, key=key, alt=alt)
