"""Links to the exports of Analytics and to its printable page."""

from urllib.parse import urlencode

import streamlit as st

from crossway.dashboard.components import widget
from crossway.dashboard.session import current_mode
from crossway.dashboard.views.analytics_selection import Selection
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.links import MODE_PARAM

_FILES = (("csv", "CSV"), ("xlsx", "XLSX"), ("parquet", "Parquet"))


def export_links(selection: Selection) -> None:
    """The figures as files, and a page to print or to save as PDF."""
    st.header("Export")
    mode = {MODE_PARAM: current_mode().value}
    query = f"?{urlencode({**selection.params, **mode})}"
    files = tuple(
        LinkButton(
            f"Export as {title}", f"download/analytics/report.{kind}{query}", "download",
            download=True,
        )
        for kind, title in _FILES
    )  # fmt: skip
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        widget.link_buttons(files, "analytics_files", width="content")
        st.link_button(
            "Printable page",
            f"download/analytics/report.html{query}",
            icon=":material/print:",
            width="content",
        )
    st.caption(
        "CSV and Parquet have the groups with exact amounts; XLSX has everything on this page."
    )
