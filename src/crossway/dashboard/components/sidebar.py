"""The sidebar: which of its sections are folded, and its style."""

import streamlit as st

from crossway.dashboard.components import widget
from crossway.dashboard.page_registry import FOLDED_FIRST, pages_by_section, section_of
from crossway.dashboard.session import services

# Links are 24 pixels high, the least that can be hit well; taller where there is room.
_STYLE = """<style>
[data-testid="stSidebarHeader"] { height: 2.25rem; padding-bottom: 0; margin-bottom: 0; }
[data-testid="stSidebarContent"] { display: flex; flex-direction: column; }
[data-testid="stSidebarNav"] { flex: 1 1 auto; min-height: 8rem; overflow-y: auto; }
[data-testid="stSidebarNav"] ul { padding: 0; }
[data-testid="stSidebarNavItems"] > div { padding: 0; margin: 0; }
[data-testid="stSidebarNav"] li { margin: 0; }
[data-testid="stNavSectionHeader"] { min-height: 24px; margin: 0; padding: 0; gap: .25rem; }
[data-testid="stNavSectionHeader"] > span { flex: 1 1 auto; }
[data-testid="stNavSectionHeader"] > div { opacity: 1; visibility: visible; }
[data-testid="stNavSectionHeader"] [role="button"]:focus-visible {
  outline: 2px solid var(--st-primary-color, #0f8290); border-radius: 4px;
}
[data-testid="stSidebarNavLink"] { height: 24px; min-height: 24px; }
[data-testid="stSidebarNavLink"] { padding-block: 0; margin-block: 0; }
[data-testid="stSidebarUserContent"] { flex: none; padding: 0; }
@media (min-height: 1000px) {
  [data-testid="stSidebarNavLink"] { height: 28px; }
  [data-testid="stSidebarNavItems"] > div { margin-bottom: .5rem; }
}
</style>"""


def sidebar(page: str) -> None:
    """Open the section of the current page, and fold others until all fit."""
    st.html(_STYLE)
    sections = pages_by_section(services().environment == "simulated")
    listed = {
        title: sum(1 for one in entries if one.section) for title, entries in sections.items()
    }
    widget.sidebar(
        {
            "sections": listed,
            "current": section_of(page or "overview"),
            "folded_first": FOLDED_FIRST,
        }
    )
