"""The audit log: its verification, filters, list and export."""

from collections.abc import Callable

import streamlit as st

from crossway.dashboard.components import list_table, live_fragment, notices, pagination
from crossway.dashboard.components.date_range import PeriodParams, list_period
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import audit as view
from crossway.dashboard.views import periods
from crossway.ports.logs import AuditFilter
from crossway.usecases.staff import audit

AuditFilters = tuple[str | None, str | None, str, PeriodParams]
_FRESH_SECONDS = 30


@st.cache_data(ttl=_FRESH_SECONDS, max_entries=4, show_spinner="Verifying the log…")
def _verify(known_hash: str) -> audit.AuditVerification:
    return audit.verify_log(services(), operator(), known_hash)


def integrity() -> None:
    """Whether the log is intact, verified at most every 30 seconds."""
    with notices.show_errors():
        known_hash = st.session_state.get("known_hash", "").strip()
        verification = _verify(known_hash)
        intact, text = view.describe_verification(verification, known_hash)
        show, icon = (st.success, "verified") if intact else (st.error, "gpp_bad")
        show(notices.escape_markdown(text), icon=f":material/{icon}:")
        with st.expander("Export proof", icon=":material/fingerprint:"):
            st.markdown(
                "Store the latest hash outside of Crossway. Enter it here later to prove that the "
                "log was not rewritten or truncated before it."
            )
            if verification.newest:
                st.code(verification.newest, language=None, wrap_lines=True)
            st.text_input("Stored hash", key="known_hash", autocomplete="off")


def filters() -> AuditFilters:
    """Actor, action, subject and period."""
    actors, actions = audit.list_actors_and_actions(services(), operator())
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        actor = _select("Actor", actors, "actor", str)
        action = _select("Action", actions, "action", view.describe_action)
        about = st.text_input(
            "Subject", key="about", bind="query-params", placeholder="intent:12, key:3, webhook:1"
        )
    return actor, action, about, list_period("Time (UTC)")


def _select(
    label: str, options: list[str], key: str, format_option: Callable[[str], str]
) -> str | None:
    if st.session_state.get(key) not in (None, *options):
        del st.session_state[key]
    return st.selectbox(
        label,
        options,
        index=None,
        format_func=format_option,
        key=key,
        placeholder="Any",
        bind="query-params",
    )


@live_fragment.fragment()
def rows(selected: AuditFilters) -> None:
    """Entries, newest first, live."""
    with notices.show_errors():
        entry_filter = _filter(selected, pagination.cursor("audit", selected))
        page = view.load_page(services(), operator(), entry_filter)
        if page.rows:
            list_table.row_table(page.rows, view.COLUMNS, "audit", "Audit log")
        elif any(selected):
            notices.empty_state("No matching entries", "Remove a filter.", "filter_alt_off")
        else:
            notices.empty_state("No entries yet", "Every change appears here.", "history")
        pagination.page_buttons("audit", page.older_than)


def export(selected: AuditFilters) -> None:
    """The filtered entries as a CSV file."""
    with notices.show_errors():
        _export(_filter(selected, None))


def _filter(selected: AuditFilters, before_id: int | None) -> AuditFilter:
    actor, action, about, period = selected
    made = periods.parse_list_range(dict(period), services().clock.now())
    return view.build_filter(actor, action, about, made, before_id)


def _export(filters: AuditFilter) -> None:
    st.download_button(
        "Export as CSV",
        lambda: view.export_csv(services(), operator(), filters),
        file_name="audit.csv",
        mime="text/csv",
        icon=":material/download:",
        on_click="ignore",
        help=f"The filtered entries with their hashes, at most {view.MAX_EXPORT_ROWS:,}.",
    )
