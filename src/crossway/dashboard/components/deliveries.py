"""Webhook deliveries: the live list with its filters, and the details of one."""

import streamlit as st

from crossway.dashboard.components import (
    list_table,
    live_fragment,
    notices,
    pagination,
    resending,
    widget,
)
from crossway.dashboard.components.date_range import PeriodParams, list_period
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import deliveries as view
from crossway.dashboard.views.clients import client_names
from crossway.dashboard.views.list_pages import describe_order
from crossway.dashboard.views.periods import parse_list_range
from crossway.dashboard.views.webhooks import describe_event
from crossway.domain.roles import Permission
from crossway.usecases.developers.deliveries import DeliveryDetail

_TABLE = "deliveries"


def delivery_list(webhook_id: int) -> None:
    """The deliveries of one webhook, newest first if not asked otherwise."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        quick = st.segmented_control(
            "Show",
            list(view.QUICK_FILTERS),
            key="show",
            default=view.ALL,
            required=True,
            label_visibility="collapsed",
            bind="query-params",
        )
        kind = st.selectbox(
            "Event",
            view.EVENTS,
            index=None,
            key="event",
            format_func=describe_event,
            placeholder="Any",
            bind="query-params",
            width=260,
        )
    if (selected := list_table.pop_selected(_TABLE)) is not None:
        resending.resend_selected(_TABLE, selected.ids)
    _rows(webhook_id, quick or view.ALL, kind, list_period())


@live_fragment.fragment()
def _rows(webhook_id: int, quick: str, kind: str | None, period: PeriodParams) -> None:
    with notices.show_errors():
        own, caller = list_table.own_view("deliveries", view.OFFERED), operator()
        sort = own.sort_of_all
        cursor = pagination.cursor("deliveries", (webhook_id, quick, kind, period, sort))
        created = parse_list_range(dict(period), services().clock.now())
        filters = view.build_filter(webhook_id, quick, kind, created, cursor, sort)
        page = view.load_page(services(), caller, filters, own.chosen)
        if page.rows:
            data = widget.table_data(page.rows, own.columns, "Deliveries", describe_order(sort))
            actions = (view.RESEND,) if caller.can(Permission.OPERATE) else ()
            list_table.table(data, _TABLE, own, actions, (webhook_id, quick, kind, period))
        elif kind or period or quick != view.ALL:
            notices.empty_state("No matching deliveries", "Remove a filter.", "filter_alt_off")
        else:
            notices.empty_state("No deliveries yet", "Send a test event.", "send")
        older, newer = pagination.button_labels(not filters.oldest_first)
        pagination.page_buttons("deliveries", page.older_than, older, newer=newer)


def delivery_detail(detail: DeliveryDetail) -> None:
    """Details, attempts and payload of one delivery."""
    left, right = st.columns(2, gap="large")
    with left:
        st.header("Details")
        facts = view.build_details(detail, client_names(services()))
        widget.details(facts, "delivery_facts", "Details")
        st.header("Attempts")
        if detail.attempts:
            widget.timeline(view.build_attempts(detail), "tries", "Attempts")
        else:
            st.markdown("No attempts yet. Each attempt appears here with its request and response.")
    with right:
        st.header("Request body")
        st.code(view.format_body(detail), language="json", wrap_lines=True)
