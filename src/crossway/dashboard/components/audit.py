"""The audit log: whether it is whole, its filters, its list, its export."""

from datetime import date

import streamlit as st

from crossway.dashboard.components import living, notices, paging, widget
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import audit as view
from crossway.usecases.people import audit

Asked = tuple[str | None, str | None, str, date | None, date | None]
_FRESH_SECONDS = 30


@st.cache_data(ttl=_FRESH_SECONDS, max_entries=4, show_spinner="Reading the whole log…")
def _checked(known: str) -> audit.Checked:
    return audit.check(services(), operator(), known)


def wholeness() -> None:
    """Whether anybody has changed the log, worked out anew at most every half minute."""
    with notices.in_words():
        known = st.session_state.get("known_hash", "").strip()
        checked = _checked(known)
        good, words = view.verdict(checked, known)
        tell, icon = (st.success, "verified") if good else (st.error, "gpp_bad")
        tell(notices.as_text(words), icon=f":material/{icon}:")
        with st.expander("Prove it later", icon=":material/fingerprint:"):
            st.markdown(
                "Keep the newest hash somewhere else. Given here later, it shows that the log was "
                "not written anew as a whole, and not cut short before it."
            )
            if checked.newest:
                st.code(checked.newest, language=None, wrap_lines=True)
            st.text_input("A hash that you kept", key="known_hash", autocomplete="off")


def filters() -> Asked:
    """Who, what, about what, and between which days."""
    who, what = audit.names(services(), operator())
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        by = _choice("Who", who, "who")
        done = _choice("What", what, "what")
        about = st.text_input(
            "About", key="about", bind="query-params", placeholder="intent:12, key:3, webhook:1"
        )
        first = st.date_input("From", None, key="first_day", help="Days of UTC")
        last = st.date_input("To", None, key="last_day", help="This day included")
    return by, done, about, first, last


def _choice(label: str, known: list[str], key: str) -> str | None:
    if st.session_state.get(key) not in (None, *known):
        del st.session_state[key]
    return st.selectbox(
        label, known, index=None, key=key, placeholder="Any", bind="query-params"
    )  # fmt: skip


@living.part()
def rows(asked: Asked) -> None:
    """Entries, newest first, live."""
    with notices.in_words():
        wanted = view.wanted(*asked, paging.before("audit", asked))
        found = view.listing(services(), operator(), wanted)
        if found.rows:
            widget.table(found.rows, view.COLUMNS, "audit", "Audit log")
        elif any(asked):
            notices.empty("No entry matches", "Take a filter away.", "filter_alt_off")
        else:
            notices.empty("Nothing was changed yet", "Every change will stand here.", "history")
        paging.turn("audit", found.older_than)


def export(asked: Asked) -> None:
    """The filtered entries as a file."""
    filters = view.wanted(*asked, None)
    st.download_button(
        "Export as CSV",
        lambda: view.export(services(), operator(), filters),
        file_name="audit.csv",
        mime="text/csv",
        icon=":material/download:",
        on_click="ignore",
        help=f"The entries that the filters leave with their hashes, at most {view.EXPORT_MOST:,}.",
    )
