"""Rebalancing: the switch, suggestions, approvals, what is on its way, what ended and its cost."""

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from crossway.dashboard import push
from crossway.dashboard.components import live_fragment, notices, widget
from crossway.dashboard.components.actions import confirm, confirm_with_text, run_action
from crossway.dashboard.components.treasury import inventory_now
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import rebalancing as view
from crossway.dashboard.views.formatting import format_token_amount
from crossway.domain.rebalancing import (
    Location,
    PlannedTransfer,
    RebalancingMode,
    RebalancingState,
    RebalancingTransfer,
)
from crossway.domain.roles import Permission
from crossway.usecases.money import rebalancing_policies, rebalancing_transfers
from crossway.usecases.money.rebalancing_plan import PlanOfNow, read_plan
from crossway.usecases.money.rebalancing_records import (
    TransferLists,
    list_costs,
    list_transfers,
)
from crossway.usecases.money.unserved_lacks import explain_lacks
from crossway.usecases.staff.second_person import identity_of

FRESH_SECONDS = 5.0
PLAN_SECONDS = 30.0
MAX_SUGGESTED = 10


def plan_of_now() -> PlanOfNow:
    """The plan, computed once for all sessions until a policy, a setting or a transfer changes."""
    principal = operator()
    settings = rebalancing_policies.get_settings(services(), principal)
    policies = rebalancing_policies.list_policies(services(), principal)
    open_ones = [(t.id, t.state) for t in _open(list_transfers(services(), principal))]
    key = f"rebalancing-{hash((settings, tuple(policies), tuple(open_ones)))}"
    return push.cached(key, lambda: read_plan(services(), principal), (), PLAN_SECONDS)


def _open(lists: TransferLists) -> list[RebalancingTransfer]:
    return [*lists.proposed, *(record.transfer for record in lists.under_way)]


@live_fragment.fragment(refresh_seconds=FRESH_SECONDS)
def switch() -> None:
    """Whether Crossway moves inventory, what that means, and how to change it."""
    with notices.show_errors():
        mode = rebalancing_policies.get_settings(services(), operator()).mode
        badge = view.MODES[mode]
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.badge(badge.text, icon=f":material/{badge.icon}:", color=badge.color)
            st.markdown(badge.hint)
            _mode_buttons(mode)


def _mode_buttons(mode: RebalancingMode) -> None:
    """The buttons to the other modes; every operator pauses, a treasurer does the rest."""
    treasurer, others = operator().can(Permission.MOVE_FUNDS), set(RebalancingMode) - {mode}
    if treasurer and RebalancingMode.AUTOMATIC in others and _mode_button("Switch to automatic…"):
        _confirm_automatic()
    if treasurer and RebalancingMode.SUGGEST in others and _mode_button("Suggest only"):
        run_action(partial(_set_mode, RebalancingMode.SUGGEST, ""))
    pauses = operator().can(Permission.SWITCH_ROUTES) and RebalancingMode.PAUSED in others
    if pauses and _mode_button("Pause"):
        run_action(_pause)


def _mode_button(label: str) -> bool:
    return st.button(label, key=f"rebalancing_{label.split()[0].lower()}")


def _confirm_automatic() -> None:
    asks = (
        "Crossway then moves inventory between the chains by itself, within the limits. To "
        f"confirm, type: {rebalancing_policies.CONFIRMATION}"
    )
    work = partial(_set_mode, RebalancingMode.AUTOMATIC)
    confirm_with_text("Switch to automatic?", asks, "Sentence", "Switch to automatic", work)


def _set_mode(mode: RebalancingMode, sentence: str) -> str:
    rebalancing_policies.set_mode(services(), operator(), mode, sentence)
    return f"Rebalancing: {view.MODES[mode].text.lower()}."


def _pause() -> str:
    rebalancing_policies.pause(services(), operator())
    return "Rebalancing is paused."


@live_fragment.fragment(refresh_seconds=PLAN_SECONDS)
def suggestions(testnets: bool) -> None:
    """What should be moved now, each with its button, and why the rest of what lacks is not
    served."""
    with notices.show_errors(), st.skeleton(height=120):
        now, catalogue = plan_of_now(), services().catalogue
        of_network = partial(view.is_of_network, catalogue, testnets=testnets)
        planned = [t for t in now.plan.transfers if of_network(t.source)]
        lacks = explain_lacks(now, inventory_now().positions)
        unserved = [lack for lack in lacks if of_network(lack.location)]
        if not planned and not unserved:
            st.markdown(
                "Nothing is below its target or above its maximum. Suggested transfers appear here."
            )
        if planned:
            st.subheader("Suggested")
        for transfer in planned[:MAX_SUGGESTED]:
            _suggestion(transfer)
        if len(planned) > MAX_SUGGESTED:
            st.caption(f"{len(planned) - MAX_SUGGESTED:,} more are not shown.")
        if unserved:
            st.subheader("Below target, not refilled")
            balances = {balance.location: balance for balance in now.inputs.balances}
            rows = view.build_unserved_rows(unserved, balances, catalogue)
            widget.table(rows, view.UNSERVED_COLUMNS, "unserved", "Below target, not refilled")


def _suggestion(transfer: PlannedTransfer) -> None:
    what = view.describe_planned(services().catalogue, transfer)
    work = partial(_carry_out, transfer)
    ends = "_".join((*transfer.source, *transfer.destination))
    _entry(what, transfer.reason, transfer.is_urgent, [("Carry out", f"carry_{ends}", work)])


def _carry_out(transfer: PlannedTransfer) -> None:
    what = view.describe_planned(services().catalogue, transfer)
    asks = f"{what}. At most {_most(transfer)} leave the source. {transfer.reason}"
    confirm("Carry out this transfer?", asks, "Carry out", partial(carry_out, transfer))


def _most(transfer: PlannedTransfer) -> str:
    catalogue = services().catalogue
    return format_token_amount(catalogue, *transfer.source, transfer.max_source_amount)


def carry_out(transfer: PlannedTransfer) -> str:
    """Carry a planned transfer out; returns what has become of it."""
    placed = rebalancing_transfers.carry_out(services(), operator(), transfer)
    if placed.state is RebalancingState.PROPOSED:
        return f"Rebalancing #{placed.id} waits for another person to approve it."
    return f"Rebalancing #{placed.id} has begun."


Button = tuple[str, str, Callable[[], None]]


def _entry(what: str, why: str, is_urgent: bool, buttons: Sequence[Button]) -> None:
    """One transfer in words, with the buttons of those who may act."""
    with st.container(border=True, horizontal=True, vertical_alignment="center", gap="small"):
        with st.container(gap=None):
            st.markdown(f"**{notices.escape_markdown(what)}**")
            st.caption(notices.escape_markdown(why))
        if is_urgent:
            st.badge("Payouts wait", icon=":material/hourglass_top:", color="red")
        for label, key, work in buttons if operator().can(Permission.MOVE_FUNDS) else ():
            if st.button(label, key=key):
                work()


@live_fragment.fragment(refresh_seconds=FRESH_SECONDS)
def approvals(testnets: bool) -> None:
    """The transfers that wait for a person; nothing where none does."""
    with notices.show_errors():
        catalogue = services().catalogue
        lists = list_transfers(services(), operator())
        proposed = [t for t in lists.proposed if view.is_of_network(catalogue, t.source, testnets)]
        if not proposed:
            return
        st.subheader("To approve")
        for transfer in proposed:
            decide(transfer)


def decide(transfer: RebalancingTransfer) -> None:
    """A transfer that waits for a person, with the buttons to decide; nothing for others."""
    if transfer.state is not RebalancingState.PROPOSED:
        return
    what, why = view.describe_proposed(services().catalogue, transfer)
    id, own = transfer.id, identity_of(operator()) == transfer.proposed_by_identity
    buttons = [("Approve", f"rebalancing_approve_{id}", partial(_confirm_approve, id, what))]
    if own:
        why += " You proposed it: another person has to approve it."
        buttons = []
    label = "Take back…" if own else "Decline…"
    decline = partial(_confirm_decline, id)
    _entry(what, why, transfer.is_urgent, [*buttons, (label, f"rebalancing_end_{id}", decline)])


def _confirm_approve(id: int, what: str) -> None:
    confirm("Approve this transfer?", f"{what}.", "Approve", partial(_approve, id))


def _confirm_decline(id: int) -> None:
    asks = "It does not take place. The reason stays with it."
    work = partial(_decline, id)
    confirm_with_text(f"End rebalancing #{id}?", asks, "Reason", "End it", work)


def _approve(id: int) -> str:
    rebalancing_transfers.approve(services(), operator(), id)
    return f"Rebalancing #{id} has begun."


def _decline(id: int, reason: str) -> str:
    rebalancing_transfers.decline(services(), operator(), id, reason)
    return f"Rebalancing #{id} is declined."


@live_fragment.fragment(refresh_seconds=FRESH_SECONDS)
def on_the_way(testnets: bool) -> None:
    """What bridges are moving to rebalance, oldest first."""
    with notices.show_errors():
        catalogue = services().catalogue
        records = [
            record
            for record in list_transfers(services(), operator()).under_way
            if _is_shown(record.transfer.source, testnets)
        ]
        if not records:
            st.markdown(
                "No rebalancing transfer is on its way. "
                "What was carried out appears here until it has arrived."
            )
            return
        rows = view.build_under_way_rows(catalogue, records, services().clock.now())
        widget.table(rows, view.UNDER_WAY_COLUMNS, "rebalancing_open", "On the way")


@live_fragment.fragment(refresh_seconds=FRESH_SECONDS)
def ended(testnets: bool) -> None:
    """The newest transfers that have ended."""
    with notices.show_errors():
        records = [
            record
            for record in list_transfers(services(), operator()).ended
            if _is_shown(record.transfer.source, testnets)
        ]
        if not records:
            st.markdown(
                "No rebalancing transfer has ended yet. "
                "Each appears here once it has arrived or failed."
            )
            return
        rows = view.build_ended_rows(services().catalogue, records)
        widget.table(rows, view.ENDED_COLUMNS, "rebalancing_ended", "Ended transfers")


@live_fragment.fragment(refresh_seconds=PLAN_SECONDS)
def costs() -> None:
    """What rebalancing has cost by day, on all networks, against the limit."""
    with notices.show_errors():
        settings = rebalancing_policies.get_settings(services(), operator())
        rows = view.build_cost_rows(list_costs(services(), operator()), settings)
        if not rows:
            st.markdown(
                "Nothing was moved in the last two weeks. What transfers cost appears here by day."
            )
            return
        widget.table(rows, view.COST_COLUMNS, "rebalancing_cost", "Cost by day")


def _is_shown(source: Location, testnets: bool) -> bool:
    return view.is_of_network(services().catalogue, source, testnets)
