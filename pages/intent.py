"""One payment: status, money, timeline and available actions."""

import streamlit as st

from crossway.dashboard import shared_query
from crossway.dashboard.components import (
    environment,
    intent_actions,
    intent_records,
    listing,
    live_fragment,
    notices,
    widget,
)
from crossway.dashboard.components import intent as parts
from crossway.dashboard.components.navigation import open_page
from crossway.dashboard.session import operator, rerun_unattended, services
from crossway.dashboard.views import intent_detail
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.links import page_href

TABS = ("Overview", "Advanced", "Raw")
identifier = st.query_params.get("id") or st.query_params.get("intent") or ""


def read(intent_id: int) -> intent_detail.IntentTimeline:
    caller = operator()
    return shared_query.read(
        f"payment {intent_id}",
        lambda: intent_detail.load_intent_detail(services(), caller, intent_id),
    )


# Redrawn every minute because the disabled reasons state the time left.
@live_fragment.fragment(shared=True, refresh_seconds=60.0)
def head(intent_id: int, drawn_state: str) -> None:
    with notices.show_errors():
        detail = read(intent_id)
        parts.header(detail)
        # The buttons are outside of this fragment: redraw the page when their availability changes.
        if parts.action_state(detail) != drawn_state:
            rerun_unattended()


@live_fragment.fragment(shared=True)
def body(intent_id: int, tab: str) -> None:
    with notices.show_errors():
        detail = read(intent_id)
        show = {"Advanced": intent_records.advanced, "Raw": intent_records.records}
        show.get(tab, parts.overview)(detail)


with notices.show_errors():
    matches = intent_detail.search_intents(services(), operator(), identifier)
    if len(matches) > 1:
        open_page("search", q=identifier)
    if not matches:
        st.title("Payment")
        message = (
            f"No payment found for “{identifier}”." if identifier else "No payment ID in the link."
        )
        notices.empty_state(message, "Search above or choose one from the list.", "search_off")
        widget.link_buttons(
            (LinkButton("All payments", page_href("intents"), "list_alt"),), "to_list"
        )
    else:
        detail = intent_detail.load_intent_detail(services(), operator(), matches[0].id)
        st.title(f"Payment #{matches[0].id}")
        environment.other_mode_notice(matches[0].mode)
        head(matches[0].id, parts.action_state(detail))
        intent_actions.actions(detail)
        tab = listing.tabs("View", "tab", TABS)
        body(matches[0].id, tab)
        if tab == "Overview":
            intent_actions.note_form(detail)
        elif tab == "Advanced":
            intent_records.resend_webhook(detail)
        else:
            intent_records.download_records(detail)
