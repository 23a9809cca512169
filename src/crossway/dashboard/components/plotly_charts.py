"""Draws Plotly charts, whose selected marks lead to the payments behind them."""

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, Final

import plotly.graph_objects as go  # type: ignore[import-untyped]
import streamlit as st

from crossway.dashboard.analytics_charts import Figure
from crossway.dashboard.components.charting import theme_shade

_CONFIG: Final[Mapping[str, Any]] = {
    "displaylogo": False,
    "modeBarButtonsToRemove": ["toImage", "autoScale2d", "lasso2d"],
}


def plotly_chart(figure: Figure, key: str, alt: str, of: str) -> list[Mapping[str, Any]]:
    """A chart; returns its selected marks. `of` says what it shows: once that changes, nothing is
    selected any more."""
    # The template's colours are void: Streamlit fills ten places, and the theme has fewer colours.
    colours = {"colorway": st.get_option(f"theme.{theme_shade()}.chartCategoricalColors")}
    touch = {"dragmode": False} if is_touch() else {}
    # A Figure, not plain data, has the template that Streamlit fills with the viewer's theme.
    drawn = go.Figure(figure | {"layout": figure["layout"] | colours | touch})
    key = f"{key}_{blake2b(of.encode(), digest_size=6).hexdigest()}"
    if touch:
        # A chart with selections would keep the finger that scrolls the page.
        st.plotly_chart(drawn, key=key, config=dict(_CONFIG), alt=alt)
        return []
    state = st.plotly_chart(
        drawn,
        key=key,
        on_select="rerun",
        selection_mode=("points", "box"),
        config=dict(_CONFIG),
        alt=alt,
    )
    marks: list[Mapping[str, Any]] = list(state["selection"]["points"])
    return marks


def is_touch() -> bool:
    """Whether the browser says that it is on a phone."""
    return "Mobi" in (st.context.headers.get("User-Agent") or "")


def selected_keys(marks: list[Mapping[str, Any]]) -> set[str]:
    """The keys of the selected marks."""
    keys = (mark.get("customdata") for mark in marks)
    return {str(key[0] if isinstance(key, list) else key) for key in keys if key is not None}
