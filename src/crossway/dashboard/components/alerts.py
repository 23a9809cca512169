"""Alerts: the strip on every page, the lists of active and resolved alerts, and their actions."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import streamlit as st

from crossway.dashboard import push
from crossway.dashboard.components import list_table, live_fragment, notices, pagination, widget
from crossway.dashboard.components.actions import run_action
from crossway.dashboard.components.alert_triage import TABLE
from crossway.dashboard.session import operator, rerun_unattended, services
from crossway.dashboard.views import alert_triage
from crossway.dashboard.views import alerts as view
from crossway.dashboard.views.clients import client_names
from crossway.dashboard.views.merchant_names import drop_lone_merchant
from crossway.domain.roles import Permission
from crossway.ports.topics import Topic
from crossway.usecases.operating import alerts


class AlertFilters(NamedTuple):
    """What the filters of the page select."""

    resolved: bool
    kind: str | None
    owner: str


def alert_strip() -> None:
    """The unacknowledged alerts, on every page. Not a fragment, as it belongs to the frame."""
    widget.alert_strip(push.alert_strip())


def filters() -> AlertFilters:
    """Active or resolved, the kind, and whether they were acknowledged."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        which = st.segmented_control(
            "Show",
            [view.ACTIVE, view.RESOLVED],
            key="which",
            default=view.ACTIVE,
            required=True,
            label_visibility="collapsed",
            bind="query-params",
        )
        if st.session_state.get("kind") not in (None, *view.list_kinds()):
            del st.session_state["kind"]
        kind = st.selectbox(
            "Kind",
            view.list_kinds(),
            index=None,
            key="kind",
            placeholder="Any kind",
            format_func=view.kind_title,
            bind="query-params",
        )
        past = which == view.RESOLVED
        whom = view.ALL
        if past:
            whom = st.selectbox(
                "Acknowledged", list(view.ACKNOWLEDGEMENT), key="whom", bind="query-params"
            )
    return AlertFilters(past, kind, whom or view.ALL)


def active_alerts(kind: str | None) -> None:
    """All active alerts, live, and the buttons to acknowledge and to resolve them."""
    found = view.list_active(services(), operator(), kind)
    _rows(kind, _available_actions(found))
    _actions(kind, found)


@live_fragment.fragment(Topic.ALERTS, Topic.PAYMENTS)
def _rows(kind: str | None, drawn_actions: tuple[bool, bool]) -> None:
    """`drawn_actions` are the buttons outside of this fragment, which the page draws again when
    there is something else to acknowledge or to resolve."""
    with notices.show_errors():
        found = view.list_active(services(), operator(), kind)
        if _available_actions(found) != drawn_actions:
            rerun_unattended()
        if found:
            names = client_names(services())
            rows = view.build_active_rows(services(), found, names)
            columns, shown = drop_lone_merchant(names, view.ACTIVE_COLUMNS, rows)
            may_act = operator().can(Permission.OPERATE)
            offered = alert_triage.offered_actions(rows) if may_act else ()
            list_table.row_table(
                shown,
                columns,
                TABLE,
                "Active alerts",
                actions=offered,
                scope=kind,
                list_name="alerts",
                whole=True,
            )
        elif kind:
            notices.empty_state(
                "No active alerts of this kind", "Choose another kind or view resolved alerts."
            )
        else:
            notices.empty_state(
                "No active alerts", "Anything that needs attention appears here.", "check_circle"
            )


@live_fragment.fragment(Topic.ALERTS)
def resolved_alerts(selected: AlertFilters) -> None:
    """Resolved alerts, newest first, live."""
    with notices.show_errors():
        before = pagination.cursor("past_alarms", selected)
        page = view.load_resolved(services(), operator(), selected.kind, selected.owner, before)
        if page.rows:
            widget.table(page.rows, view.RESOLVED_COLUMNS, "past", "Resolved alerts")
        else:
            notices.empty_state("No resolved alerts", "Resolved alerts appear here.", "history")
        pagination.page_buttons("past_alarms", page.older_than)


def _available_actions(found: Sequence[view.ActiveAlert]) -> tuple[bool, bool]:
    """Whether there are alerts to acknowledge, and alerts to resolve by hand."""
    return bool(view.unacknowledged(found)), bool(view.manually_resolvable(found))


def _actions(kind: str | None, found: Sequence[view.ActiveAlert]) -> None:
    """The buttons, for those with permission."""
    if not operator().can(Permission.OPERATE):
        return
    with st.container(horizontal=True, gap="small"):
        if view.unacknowledged(found) and st.button(
            "Acknowledge…", icon=":material/visibility:", type="primary"
        ):
            ask_acknowledgement(kind)
        to_settle = view.manually_resolvable(found)
        if to_settle and st.button("Resolve manually…", icon=":material/done_all:"):
            _open_dialog(
                "Resolve alerts manually",
                "These alerts cannot be resolved automatically. Describe the cause and the "
                "solution in the note.",
                to_settle,
                "Resolve",
                "No active alert needs to be resolved manually.",
                _resolve,
            )


def ask_acknowledgement(kind: str | None = None) -> None:
    """Ask in a dialog which alerts, of a kind or any, the person becomes the owner of."""
    _open_dialog(
        "Acknowledge alerts",
        "You become the owner of the selected alerts. They leave the strip above every page and "
        "stay on the page Alerts until they are resolved.",
        view.unacknowledged(view.list_active(services(), operator(), kind)),
        "Acknowledge",
        "All alerts are acknowledged.",
        _acknowledge,
    )


@st.dialog("Alerts", width="large")
def _open_dialog(
    title: str,
    text: str,
    options: Mapping[str, str],
    label: str,
    empty_text: str,
    action: Callable[[list[str], str], str],
) -> None:
    if not options:
        st.markdown(empty_text)
        return
    st.subheader(title)
    st.markdown(text)
    chosen = st.multiselect(
        "Alerts", list(options), list(options), key="alarms_chosen", format_func=options.__getitem__
    )
    note = st.text_input("Note", key="alarms_note", max_chars=alerts.MAX_NOTE_CHARACTERS)
    if st.button(label, key="alarms_do", type="primary", disabled=not chosen):
        run_action(lambda: action(chosen, note))


def _acknowledge(keys: list[str], note: str) -> str:
    number = alerts.acknowledge_alerts(services(), operator(), keys, note)
    return f"You own {number} alert{'' if number == 1 else 's'} now."


def _resolve(keys: list[str], note: str) -> str:
    number = alerts.resolve_alerts(services(), operator(), keys, note)
    return f"{number} alert{' is' if number == 1 else 's are'} resolved."
