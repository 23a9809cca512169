"""The API request log: its filters, the live list, and the bodies of one request."""

from functools import partial

import streamlit as st

from crossway.dashboard.components import (
    list_table,
    live_fragment,
    merchants,
    notices,
    pagination,
    widget,
)
from crossway.dashboard.components.date_range import PeriodParams, list_period
from crossway.dashboard.mode_choice import keep_mode
from crossway.dashboard.session import current_mode, operator, services
from crossway.dashboard.views import periods
from crossway.dashboard.views import requests as view
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.links import page_href
from crossway.ports.logs import LoggedRequest
from crossway.ports.topics import Topic

RequestFilters = tuple[str | None, str, str | None, str, str, PeriodParams]
NOTHING_SELECTED: RequestFilters = (None, view.ALL, None, "", "", ())


def filters() -> RequestFilters:
    """Merchant, status, method, path, request id and period, kept in the page's URL."""
    quick = st.segmented_control(
        "Status",
        list(view.QUICK_FILTERS),
        key="answer",
        default=view.ALL,
        required=True,
        label_visibility="collapsed",
        bind="query-params",
        on_change=keep_mode,
    )
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        client = merchants.merchant_filter(alone=True)
        method = st.selectbox(
            "Method",
            view.METHODS,
            index=None,
            key="method",
            placeholder="Any",
            bind="query-params",
            on_change=keep_mode,
            width=120,
        )
        texts = (("Path", "path", "/intents"), ("Request ID", "request_id", "Exact"))
        path, number = (
            st.text_input(
                label, key=key, bind="query-params", placeholder=hint, on_change=keep_mode
            )
            for label, key, hint in texts
        )
    return client, quick or view.ALL, method, path, number, list_period("Time (UTC)")


@live_fragment.fragment(Topic.REQUESTS)
def rows(selected: RequestFilters) -> None:
    """Logged requests, newest first, live."""
    with notices.show_errors():
        client, quick, method, path, number, period = selected
        before = pagination.cursor("requests", selected)
        made = periods.parse_list_range(dict(period), services().clock.now())
        request_filter = view.build_filter(client, quick, method, path, number, made, before)
        own = list_table.own_view("requests", view.OFFERED)
        page = view.load_page(services(), operator(), request_filter, own.chosen)
        if page.rows:
            text = "Newest first. Paths show route templates; values are hidden."
            data = widget.table_data(page.rows, own.columns, "API requests", text)
            actions = (view.export_action(current_mode()),)
            list_table.table(data, "requests", own, actions, (current_mode(), selected))
        elif selected == NOTHING_SELECTED:
            text = "The quick start shows how to send the first request."
            way = LinkButton("Quick start", page_href("developers"), "integration_instructions")
            draw = partial(widget.link_buttons, (way,), "first_request", width="content")
            notices.empty_state(f"No {current_mode()} requests yet", text, "swap_horiz", draw)
        else:
            notices.empty_state("No matching requests", "Remove a filter.", "filter_alt_off")
        pagination.page_buttons("requests", page.older_than)


def body(title: str, stored: str | None, selected: LoggedRequest) -> None:
    """A request or response body, as far as it is stored."""
    st.header(title)
    if stored:
        st.code(view.format_body(stored), language="json", wrap_lines=True)
    elif stored is None and selected.status < 400:
        st.markdown("Not stored: only the bodies of writes and failed requests are stored.")
    else:
        st.markdown("Empty." if stored == "" else "Not stored.")
