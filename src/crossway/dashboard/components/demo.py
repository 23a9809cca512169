"""The demo data section of the Simulator page: generate a month of data, or delete all data."""

import streamlit as st

from crossway.dashboard.components import notices
from crossway.dashboard.components.actions import run_action
from crossway.dashboard.session import operator, services
from crossway.domain.roles import Permission
from crossway.ports.demo import NOT_INSTALLED
from crossway.usecases.operating import demo

# Selectable numbers of payments, with the usual time to generate them.
_LASTS = {
    demo.DEFAULT_PAYMENTS: "about 20 seconds",
    500: "about a minute",
    3_000: "about six minutes",
}


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
        "Generates a month of demo data up to now: merchants, payments on every chain, failures, "
        "ramp orders, webhooks and requests. The real engine produces it, so the books balance and "
        f"match the chains. {counts}"
    )
    allowed = operator().can(Permission.MANAGE)
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        size = st.selectbox(
            "Payments",
            list(_LASTS),
            key="demo_size",
            width=140,
            format_func="{:,}".format,
        )
        if st.button(
            "Generate demo data",
            icon=":material/calendar_month:",
            type="primary",
            disabled=not allowed,
            help=None if allowed else _WHY_NOT,
        ):
            _fill_dialog(size, bool(payments or orders))
        if st.button(
            "Delete all data",
            icon=":material/delete_sweep:",
            disabled=not allowed,
            help=None if allowed else _WHY_NOT,
        ):
            _empty_dialog()


_WHY_NOT = "Only admins can replace or delete data"


@st.dialog("Generate demo data", width="medium")
def _fill_dialog(size: int, has_data: bool) -> None:
    st.markdown(
        f"Generating about {size:,} payments takes {_LASTS[size]}. Payments, orders, books and the "
        "simulated chains are replaced; staff, merchants, keys and the audit log are kept."
    )
    agreed = not has_data or st.checkbox("Existing data may be lost", key="demo_agreed")
    if st.button("Generate", type="primary", key="demo_fill", disabled=not agreed):
        bar = st.progress(0.0, "Starting")

        def on_progress(done: float, text: str) -> None:
            bar.progress(min(done, 1.0), text)

        with notices.show_errors():
            filled = demo.fill_demo(
                services(), operator(), size, confirmed=agreed, on_progress=on_progress
            )
            notices.queue_toast(
                f"Generated {filled.payments:,} payments and {filled.orders:,} ramp orders."
            )
            st.rerun()


@st.dialog("Delete all data", width="medium")
def _empty_dialog() -> None:
    st.markdown(
        "All payments, orders, ledger entries and blocks are deleted, and the clock is reset. "
        "Staff "
        "and the audit log are kept."
    )
    keep = st.checkbox("Keep merchants and their API keys", value=True, key="demo_keep")
    agreed = st.checkbox("Existing data may be lost", key="demo_lost")
    if st.button("Delete everything", type="primary", key="demo_empty", disabled=not agreed):
        run_action(lambda: _delete_all(keep))


def _delete_all(keep: bool) -> str:
    demo.reset_simulation(services(), operator(), confirmed=True, keep_clients=keep)
    return "All data is deleted."
