"""The overview of an installation without payments: what to look at or to do first."""

from dataclasses import replace

import streamlit as st

from crossway.dashboard.components import (
    demo,
    live_fragment,
    notices,
    story_start,
    widget,
)
from crossway.dashboard.components.navigation import open_href, open_intent
from crossway.dashboard.components.notices import escape_markdown
from crossway.dashboard.session import operator, rerun_unattended, services, show_mode_next
from crossway.dashboard.views import first_view as view
from crossway.dashboard.views.cells import LinkButton
from crossway.domain.clients import Mode
from crossway.domain.roles import Permission
from crossway.usecases.operating.demo import DEFAULT_PAYMENTS, count_payments_and_orders

_NO_MONEY = "Everything here is simulated: no real money moves."


def first_view() -> None:
    """One sentence on Crossway and the ways to begin; becomes the overview by itself."""
    simulated = services().environment == "simulated"
    text = view.introduction(services())
    st.markdown(escape_markdown(f"{text} {_NO_MONEY}" if simulated else text))
    with notices.show_errors():
        if simulated:
            _simulated_offers()
        else:
            _live_steps()
    _watch_first_payment()


def _simulated_offers() -> None:
    if demo.progress():
        return
    first, second, third = st.columns(3, gap="medium")
    with first:
        story_button("first_story", primary=True)
    with second:
        fill_button("first_month")
    with third:
        test_payment_button("first_payment")


def story_button(key: str, primary: bool = False) -> None:
    """Opens the guided story, which plays by itself."""
    if st.button(
        "Watch the guided story",
        icon=":material/play_circle:",
        type="primary" if primary else "secondary",
        key=key,
        width="stretch",
    ):
        story_start.begin()
        open_href(view.STORY_HREF)
    st.caption("One payment from quote to refund, in 45 seconds.")


def fill_button(key: str) -> None:
    """Starts generating a demo month; asks first where it replaces something."""
    icon, allowed = ":material/calendar_month:", operator().can(Permission.MANAGE)
    if st.button(
        "Fill with a demo month", icon=icon, key=key, width="stretch",
        disabled=not allowed, help=None if allowed else demo.WHY_NOT,
    ):  # fmt: skip
        demo.ask_to_fill(DEFAULT_PAYMENTS, *count_payments_and_orders(services()))
    st.caption(f"Merchants, {DEFAULT_PAYMENTS} payments and their books, in {demo.USUAL_TIME}.")


def test_payment_button(key: str) -> None:
    """Creates a test payment with defaults and opens its page, where it can be paid at once."""
    allowed = operator().can(Permission.OPERATE)
    if st.button(
        "Take a test payment", icon=":material/add_circle:", key=key, width="stretch",
        disabled=not allowed, help=None if allowed else "Your role is read-only",
    ):  # fmt: skip
        with notices.show_errors():
            created = view.create_test_payment(services(), replace(operator(), mode=Mode.TEST))
            show_mode_next(Mode.TEST)
            open_intent(created.id)
    amount = f"{view.TEST_AMOUNT} {view.TEST_SYMBOL}"
    st.caption(f"{amount} from Base to Arbitrum: see the QR code and pay it.")


def _live_steps() -> None:
    steps = view.list_first_steps(services(), operator())
    for number, (column, step) in enumerate(zip(st.columns(3, gap="medium"), steps, strict=True)):
        with column, st.container(border=True):
            st.markdown(f"**{step.title}**")
            st.caption(escape_markdown(step.text))
            if step.command:
                st.code(step.command, language=None)
            link = LinkButton(step.label, step.href, step.icon, primary=not number)
            widget.link_buttons((link,), f"first_step_{number}", width="content")


@live_fragment.fragment()
def _watch_first_payment() -> None:
    """Draws nothing; the first payment, wherever it is created, brings the overview."""
    if not view.is_empty(services()):
        rerun_unattended()
