"""Deliveries of a webhook: the live list with its filters, and one of them."""

import streamlit as st

from crossway.dashboard.components import living, notices, paging, widget
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import deliveries as view
from crossway.dashboard.views.webhooks import event
from crossway.usecases.developers.deliveries import Seen


def listed(webhook_id: int) -> None:
    """The deliveries of one webhook, newest first."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        quick = st.segmented_control(
            "Show", list(view.QUICK), key="show", default=view.EVERY, required=True,
            label_visibility="collapsed", bind="query-params",
        )  # fmt: skip
        kind = st.selectbox(
            "Event", view.EVENTS, index=None, key="event", format_func=event, placeholder="Any",
            bind="query-params", width=260,
        )  # fmt: skip
    _rows(webhook_id, quick or view.EVERY, kind)


@living.part()
def _rows(webhook_id: int, quick: str, kind: str | None) -> None:
    with notices.in_words():
        before = paging.before("deliveries", (webhook_id, quick, kind))
        filters = view.wanted(webhook_id, quick, kind, before)
        found = view.listing(services(), operator(), filters)
        if found.rows:
            widget.table(found.rows, view.COLUMNS, "deliveries", "Deliveries")
        elif kind or quick != view.EVERY:
            notices.empty("No delivery matches", "Take a filter away.", "filter_alt_off")
        else:
            notices.empty("Nothing was sent yet", "Send a test event to try it.", "send")
        paging.turn("deliveries", found.older_than)


def body(seen: Seen) -> None:
    """Facts and tries of one delivery, and what was sent."""
    left, right = st.columns(2, gap="large")
    with left:
        st.header("Facts")
        widget.facts(view.facts(seen), "delivery_facts", "Facts")
        st.header("Tries")
        if seen.tries:
            widget.timeline(view.tries(seen), "tries", "Tries")
        else:
            st.markdown("It was not tried yet.")
    with right:
        st.header("What is sent")
        st.code(view.body(seen), language="json", wrap_lines=True)
