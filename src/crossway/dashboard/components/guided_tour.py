"""The guided tour: one chapter at a time, its action and its result, live."""

import json
from typing import Any

import streamlit as st

from crossway.dashboard.components import live_fragment, notices, payment_panel, widget
from crossway.dashboard.components.actions import run_action
from crossway.dashboard.components.notices import escape_markdown
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import guided_tour, intent_detail, payment_steps, tour_payment
from crossway.dashboard.views.cells import LinkButton, Step
from crossway.dashboard.views.guided_tour import CHAPTERS, Chapter
from crossway.dashboard.views.links import delivery_href, intent_href, page_href
from crossway.dashboard.views.status_labels import describe_event
from crossway.usecases.payments.timeline import IntentTimeline

_PROGRESS = "guided_story"


def _progress() -> dict[str, Any]:
    """What this session's story has come to: the chapter, the quotes, the payment, the balances
    from before."""
    progress: dict[str, Any] = st.session_state.setdefault(_PROGRESS, {"at": 0})
    return progress


def chapters() -> None:
    """The chapters, the current one, and the buttons to move between them."""
    progress = _progress()
    index: int = progress["at"]
    chapter = CHAPTERS[index]
    _chapter_steps(index)
    with st.container(border=True, key="guided_chapter"):
        st.subheader(f"{index + 1}. {chapter.title}")
        st.markdown(escape_markdown(chapter.description))
        _button(chapter)
        with notices.show_errors():
            _result(index)
    _navigation_buttons(index, chapter)


def _chapter_steps(index: int) -> None:
    steps = tuple(
        Step(step.title, "done" if number < index else "now" if number == index else "todo")
        for number, step in enumerate(CHAPTERS)
    )
    widget.stepper(steps, "guided_way", "Chapters")


def _button(chapter: Chapter) -> None:
    progress = _progress()
    done = {
        "quote": "quotes" in progress,
        "intent": "intent" in progress,
        "deposit": "paid" in progress,
    }.get(chapter.name, True)
    works = {"quote": _quote, "intent": _create_payment, "deposit": _pay_too_much}
    if chapter.button and not done:
        icon = f":material/{chapter.icon}:"
        if st.button(chapter.button, icon=icon, type="primary", key="guided_do"):
            run_action(works[chapter.name])


def _quote() -> str:
    _progress()["quotes"] = tour_payment.ask_quotes(services())
    return "Quotes received."


def _create_payment() -> str:
    progress, intent = _progress(), tour_payment.create_tour_payment(services(), operator())
    progress["intent"] = intent.id
    progress["before"] = guided_tour.read_balances(services(), intent)
    return f"Payment #{intent.id} is created."


def _pay_too_much() -> str:
    progress = _progress()
    tour_payment.pay(services(), operator(), progress["intent"])
    progress["paid"] = True
    return "The customer has overpaid."


@live_fragment.fragment(refresh_seconds=2.0)
def _result(index: int) -> None:
    with notices.show_errors():
        progress, name = _progress(), CHAPTERS[index].name
        if name == "quote":
            if "quotes" in progress:
                rows = guided_tour.build_quote_rows(services(), progress["quotes"])
                widget.table(rows, guided_tour.QUOTE_COLUMNS, "guided_quotes", "Bridge quotes")
        elif "intent" in progress:
            _payment_result(
                name, intent_detail.load_intent_detail(services(), operator(), progress["intent"])
            )
        else:
            st.markdown("Nothing to show yet. Complete the previous step first.")


def _payment_result(name: str, timeline: IntentTimeline) -> None:
    if name == "intent":
        payment_panel.panel(services(), timeline.intent, "guided_pay")
    elif name in ("deposit", "fill"):
        if timeline.deposits or name == "fill":
            widget.stepper(
                payment_steps.build_steps(
                    timeline.intent, timeline.transitions, progress=timeline.progress
                ),
                "guided_steps",
                "The payment",
            )
            _balances(timeline)
        if timeline.deposits:
            items = intent_detail.build_transition_entries(
                services().catalogue, timeline.intent, timeline.transitions
            )
            widget.timeline(items, "guided_timeline", "Timeline")
    elif name == "webhook":
        _message(timeline)
    else:
        _excess_details(timeline)


def _balances(timeline: IntentTimeline) -> None:
    now = guided_tour.read_balances(services(), timeline.intent)
    rows = guided_tour.build_balance_rows(
        services(), timeline.intent, _progress().get("before", {}), now
    )
    widget.table(rows, guided_tour.BALANCE_COLUMNS, "guided_balances", "Balances")


def _message(timeline: IntentTimeline) -> None:
    received = guided_tour.list_deliveries(services(), operator(), timeline.intent)
    if not received:
        st.markdown("No webhooks yet; they arrive within a second.")
        return
    ways = [
        LinkButton(f"{describe_event(kind)[0]}: {answer}", delivery_href(number), "outgoing_mail")
        for kind, answer, number in received
    ]
    widget.link_buttons(ways, "guided_heard", width="content")
    message = guided_tour.find_received_webhook(services(), timeline.intent)
    if message is None:
        st.caption("Another process sent the webhook. See the delivery's page.")
        return
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**Latest webhook**")
        st.code(json.dumps(json.loads(message.body), indent=2), language="json", height=340)
    with right:
        st.markdown("**Request headers**")
        lines = "\n".join(f"{name}: {value}" for name, value in sorted(message.headers.items()))
        st.code(lines, language="http", wrap_lines=True)
        st.caption("The shop verifies webhook-signature with the secret of its webhook.")


def _excess_details(timeline: IntentTimeline) -> None:
    if not timeline.deposits:
        st.markdown("No deposit yet. Go back to the deposit step.")
        return
    widget.details(
        guided_tour.build_excess_details(services(), timeline), "guided_excess", "Overpayment"
    )
    _balances(timeline)


def _navigation_buttons(index: int, chapter: Chapter) -> None:
    progress = _progress()
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        if st.button("Back", icon=":material/arrow_back:", disabled=not index, key="guided_back"):
            progress["at"] = index - 1
            st.rerun()
        last = index == len(CHAPTERS) - 1
        if st.button(
            "Next",
            icon=":material/arrow_forward:",
            disabled=last,
            key="guided_next",
            type="primary" if _is_done(index) else "secondary",
        ):
            progress["at"] = index + 1
            st.rerun()
        if st.button("Start again", icon=":material/restart_alt:", key="guided_again"):
            st.session_state[_PROGRESS] = {"at": 0}
            st.rerun()
        page = chapter.page
        href = intent_href(progress["intent"]) if page == "intent" and "intent" in progress else ""
        if href or page != "intent":
            link = LinkButton(chapter.more_label, href or page_href(page), "open_in_new")
            widget.link_buttons((link,), "guided_more", width="content")


def _is_done(index: int) -> bool:
    """Whether this chapter's own button has been pressed, so that going on is what is next."""
    progress = _progress()
    return index > 2 or ("quotes", "intent", "paid")[index] in progress
