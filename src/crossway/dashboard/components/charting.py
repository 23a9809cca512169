"""Charts on the screen, in colours that can be read on it."""

import streamlit as st

from crossway.dashboard.charts import Option, Shade


def shade() -> Shade:
    """Whether this operator's screen is light or dark."""
    return "dark" if st.context.theme.type == "dark" else "light"


def chart(option: Option, height: int, key: str, alt: str) -> None:
    """One chart with its words for those who do not see it."""
    st.echarts_chart(option, height=height, key=key, alt=alt)
