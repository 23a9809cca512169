"""The demo data: fill with a demo month in the background, with its progress, or delete all."""

import streamlit as st

from crossway.dashboard.components import notices
from crossway.dashboard.components.actions import confirm, run_action
from crossway.dashboard.components.notices import escape_markdown
from crossway.dashboard.session import operator, services, show_mode_next
from crossway.dashboard.views import demo as view
from crossway.domain.roles import Permission
from crossway.ports.demo import NOT_INSTALLED, DemoStatus
from crossway.usecases.operating import demo

# On two cores that do nothing else; what is left is measured while it runs.
USUAL_TIME = "less than a minute"
_SIZES = {demo.DEFAULT_PAYMENTS: USUAL_TIME, 500: "some minutes", 3_000: "more than ten minutes"}
WHY_NOT = "Only admins can replace or delete data"
# The start of the generation that this session shows.
_WATCHED = "demo_watched"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def demo_dataset() -> None:
    """The current numbers of payments and orders, and the two buttons."""
    if services().find_demo() is None:
        st.markdown(f"{NOT_INSTALLED}.")
        return
    payments, orders = demo.count_payments_and_orders(services())
    are = "is" if payments == 1 else "are"
    counts = f"There {are} {_count(payments, 'payment')} and {_count(orders, 'ramp order')} now."
    st.markdown(
        "A month of demo data up to now: merchants, payments on every chain, failures, ramp "
        "orders, webhooks and requests. The real engine produces it, so the books balance and "
        f"match the chains. {counts}"
    )
    if progress():
        return
    allowed = operator().can(Permission.MANAGE)
    why = None if allowed else WHY_NOT
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        size = st.selectbox(
            "Payments", list(_SIZES), key="demo_size", width=140, format_func="{:,}".format
        )
        if st.button(
            "Fill with a demo month",
            icon=":material/calendar_month:",
            type="primary",
            disabled=not allowed,
            help=why,
        ):
            ask_to_fill(size, payments, orders)
        if st.button(
            "Delete all data", icon=":material/delete_sweep:", disabled=not allowed, help=why
        ):
            _empty_dialog()
    st.caption(f"{size:,} payments take {_SIZES[size]}.")


def ask_to_fill(size: int, payments: int, orders: int) -> None:
    """Start generating this many payments; asks first where something is replaced."""
    if not (payments or orders):
        start(size, confirmed=False)
        return
    question = (
        f"The {payments:,} payments and {orders:,} ramp orders, the books and the simulated chains "
        "are replaced once the month is ready, with everything created until then. Staff, "
        "merchants, keys and the audit log are kept."
    )
    confirm("Replace all data?", question, "Replace", lambda: _start(size))


def start(size: int, confirmed: bool) -> None:
    """Start generating in the background, and show the progress instead of the buttons."""
    with notices.show_errors():
        demo.start_fill(services(), operator(), size, confirmed)
        st.rerun()


def _start(size: int) -> str:
    demo.start_fill(services(), operator(), size, confirmed=True)
    return "The demo month is being generated."


def progress() -> bool:
    """The progress of the demo month if one is being generated, and how it ended, once; whether
    one is being generated."""
    job = services().process.demo_job
    if job.running:
        st.session_state[_WATCHED] = job.started_at
        _show_progress()
    elif st.session_state.pop(_WATCHED, None) == job.started_at:
        if job.status is DemoStatus.FAILED:
            st.error(escape_markdown(f"{job.error}."), icon=":material/error:")
        elif job.status is DemoStatus.CANCELLED:
            st.info("Cancelled. Everything is as it was before.", icon=":material/undo:")
    return job.running


@st.fragment(run_every=1.0)
def _show_progress() -> None:
    job = services().process.demo_job
    if not job.running:
        if job.status is DemoStatus.DONE:
            notices.queue_toast(view.describe_end(job))
            show_mode_next()
        st.rerun()
    with st.container(border=True, key="demo_progress"):
        st.markdown(f"**Generating a demo month: {view.describe_payments(job.progress)}**")
        st.progress(job.progress.share)
        st.caption(escape_markdown(view.describe_pace(job)))
        st.caption("This runs in the background: you may leave or reload this page.")
        if operator().can(Permission.MANAGE) and st.button(
            "Cancel", icon=":material/close:", key="demo_cancel",
            disabled=job.cancel_requested.is_set(),
        ):  # fmt: skip
            run_action(_cancel)


def _cancel() -> str:
    demo.cancel_fill(services(), operator())
    return "It is being cancelled: this page says how it ended."


@st.dialog("Delete all data", width="medium")
def _empty_dialog() -> None:
    st.markdown(
        "All payments, orders, ledger entries and blocks are deleted, and the clock is reset. "
        "Staff and the audit log are kept."
    )
    keep = st.checkbox("Keep merchants and their API keys", value=True, key="demo_keep")
    agreed = st.checkbox("Existing data may be lost", key="demo_lost")
    if st.button("Delete everything", type="primary", key="demo_empty", disabled=not agreed):
        run_action(lambda: _delete_all(keep))


def _delete_all(keep: bool) -> str:
    demo.reset_simulation(services(), operator(), confirmed=True, keep_clients=keep)
    return "All data is deleted."
