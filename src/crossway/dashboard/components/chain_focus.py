"""One chain on top of the Chains page: what is wrong with it, what waits, and the ways out."""

from functools import partial

import streamlit as st

from crossway.dashboard import push
from crossway.dashboard.components import kill_switches, live_fragment, notices, widget
from crossway.dashboard.components.actions import run_action
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import chain_focus as view
from crossway.dashboard.views import payment_columns, simulator
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.chains import COLUMNS, build_rows
from crossway.dashboard.views.formatting import chain_name
from crossway.domain.roles import Permission
from crossway.ports.topics import Topic
from crossway.usecases.simulator import chain_controls


def chosen_chain() -> str:
    """The chain that the page's link asks for; empty for none or an unknown one."""
    chain = st.query_params.get("chain", "")
    return chain if chain in services().chains else ""


def focus(chain: str) -> None:
    """A chain's state, its alerts, the payments under way there, and the buttons."""
    name = chain_name(services().catalogue, chain)
    st.header(name)
    _buttons(chain, name)
    _state(chain)


def _buttons(chain: str, name: str) -> None:
    with st.container(horizontal=True, gap="small"):
        _reset_button(chain, name)
        kill_switches.switch_button(f"chain:{chain}", name, kill_switches.list_disabled(), True)


def _reset_button(chain: str, name: str) -> None:
    """On the simulated network a fault is ended where it is seen."""
    if services().sandbox is None or not operator().can(Permission.OPERATE):
        return
    active = simulator.list_faults(services(), chain)
    if active and st.button(
        f"Reset {name}'s faults",
        icon=":material/healing:",
        type="primary",
        key=f"reset_{chain}",
        help="; ".join(f"{fact.label}: {fact.cell.text}" for fact in active),
    ):
        run_action(partial(_reset, chain, name))


def _reset(chain: str, name: str) -> str:
    ended = chain_controls.reset_chain_faults(services(), operator(), chain)
    return f"{name} has no faults now." if ended else f"{name} had no faults."


@live_fragment.fragment(Topic.ALERTS, Topic.PAYMENTS, refresh_seconds=2.0)
def _state(chain: str) -> None:
    with notices.show_errors():
        catalogue = services().catalogue
        statuses = [status for status in push.chain_statuses() if status.chain == chain]
        widget.table(build_rows(catalogue, statuses), COLUMNS, "chain_state", "State")
        alerts = view.build_alert_rows(services(), operator(), chain)
        if alerts:
            widget.table(alerts, view.ALERT_COLUMNS, "chain_alerts", "Active alerts")
        else:
            st.markdown(":material/check_circle: No active alerts about this chain.")
        payments = view.load_payments(services(), operator(), chain)
        if not payments.rows:
            st.markdown(
                "No payment is under way here. "
                "Payments from and to this chain appear here until they end."
            )
            return
        widget.table(
            payments.rows,
            payment_columns.COLUMNS,
            "chain_payments",
            "Payments under way",
            f"Under way from or to this chain: {payments.count}, newest first.",
        )
        button = LinkButton("All of them under Payments", payments.href, "list_alt")
        widget.link_buttons((button,), "chain_payments_all", width="content")
