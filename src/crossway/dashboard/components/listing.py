"""Filters of a list, kept in the page's URL, and the saved views of the list."""

from collections.abc import Callable, Mapping, Sequence
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from crossway.dashboard.components.actions import run_action
from crossway.dashboard.components.date_range import period_control
from crossway.dashboard.components.notices import escape_markdown
from crossway.dashboard.mode_choice import keep_mode
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import periods
from crossway.dashboard.views.formatting import format_utc
from crossway.dashboard.views.links import MODE_PARAM
from crossway.domain.roles import Permission
from crossway.ports.search_repository import SavedView
from crossway.usecases.payments import notes_and_saved_views

# The query parameter that shows everything instead of the team's default view.
SHOW_ALL = "view"
Text = Callable[[str], str]


def read_filters(screen: str, names: Sequence[str]) -> dict[str, str]:
    """The filters in the URL; without any, those of the team's default view."""
    filters = {name: st.query_params[name] for name in names if st.query_params.get(name)}
    if not filters and SHOW_ALL not in st.query_params:
        for view in notes_and_saved_views.list_views(services(), operator(), screen):
            if view.is_default:
                write_filters(names, dict(parse_qsl(view.query)))
                return dict(parse_qsl(view.query))
    return filters


def write_filters(names: Sequence[str], filters: Mapping[str, str]) -> None:
    """Set exactly these filters in the URL, and the mode that they were chosen in."""
    for name in names:
        value = filters.get(name, "")
        if value:
            st.query_params[name] = value
        elif name in st.query_params:
            del st.query_params[name]
    if any(filters.values()):
        st.query_params.pop(SHOW_ALL, None)
        keep_mode()
    else:
        st.query_params[SHOW_ALL] = "all"
        st.query_params.pop(MODE_PARAM, None)


def segmented_filter(label: str, name: str, choices: Sequence[str], names: Sequence[str]) -> None:
    """A filter with a few options side by side; the first one filters nothing."""
    value = st.query_params.get(name, "")
    st.session_state[f"asked_{name}"] = value if value in choices else choices[0]
    st.segmented_control(
        label,
        choices,
        key=f"asked_{name}",
        required=True,
        label_visibility="collapsed",
        on_change=_apply_filter,
        args=(name, names, choices[0]),
    )


def period_filter(names: Sequence[str]) -> None:
    """The period in which what is listed was created."""

    def write(changed: Mapping[str, str]) -> None:
        filters = {one: st.query_params.get(one, "") for one in names}
        write_filters(names, filters | dict(changed))

    period_control(periods.NAMES_OF_LISTS, periods.ALL_TIME, write, "Created (UTC)")


def tabs(label: str, name: str, choices: Sequence[str]) -> str:
    """The selected tab of a page, kept in its URL; the first by default."""
    value = st.query_params.get(name, "")
    key = f"asked_{name}"
    st.session_state[key] = value if value in choices else choices[0]

    def turn() -> None:
        st.query_params[name] = st.session_state[key]

    st.segmented_control(
        label, choices, key=key, required=True, label_visibility="collapsed", on_change=turn
    )
    return str(st.session_state[key])


def select_filter(
    label: str, name: str, choices: Sequence[str], names: Sequence[str], show: Text = str
) -> None:
    """A filter with one of many options, or any."""
    value = st.query_params.get(name, "")
    st.session_state[f"asked_{name}"] = value if value in choices else None
    st.selectbox(
        label,
        choices,
        index=None,
        key=f"asked_{name}",
        format_func=show,
        placeholder="Any",
        on_change=_apply_filter,
        args=(name, names, None),
    )


def text_filter(label: str, name: str, names: Sequence[str], placeholder: str) -> None:
    """A filter with free text."""
    st.session_state[f"asked_{name}"] = st.query_params.get(name, "")
    st.text_input(
        label,
        key=f"asked_{name}",
        type="search",
        placeholder=placeholder,
        on_change=_apply_filter,
        args=(name, names, ""),
    )


def _apply_filter(name: str, names: Sequence[str], nothing: str | None) -> None:
    value = st.session_state.get(f"asked_{name}")
    filters = {one: st.query_params.get(one, "") for one in names}
    write_filters(names, filters | {name: "" if value == nothing else str(value or "")})


def saved_views_bar(screen: str, names: Sequence[str], filters: Mapping[str, str]) -> None:
    """The team's saved views of a list: select, save, change and remove."""
    caller = operator()
    saved = notes_and_saved_views.list_views(services(), caller, screen)
    text = urlencode({name: filters[name] for name in names if filters.get(name)})
    current = next((view for view in saved if view.query == text), None)
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        if saved:
            _select_view(screen, saved, current, names)
        if not caller.can(Permission.OPERATE):
            return
        if current is not None:
            _manage_view(current)
        elif text:
            _save_view(screen, text)


def _select_view(
    screen: str, saved: Sequence[SavedView], current: SavedView | None, names: Sequence[str]
) -> None:
    by_id = {view.id: view for view in saved}
    key = f"{screen}_view"
    st.session_state[key] = current.id if current else None

    def follow() -> None:
        chosen = by_id.get(st.session_state[key])
        write_filters(names, dict(parse_qsl(chosen.query)) if chosen else {})

    st.selectbox(
        "Saved view",
        list(by_id),
        index=None,
        key=key,
        placeholder="Select a view",
        format_func=lambda name: _view_label(by_id[name]),
        on_change=follow,
        width=320,
    )


def _view_label(view: SavedView) -> str:
    return f"{view.name} (default)" if view.is_default else f"{view.name}, by {view.author}"


def _save_view(screen: str, text: str) -> None:
    with st.popover("Save this view", icon=":material/bookmark_add:"):
        name = st.text_input("Name", key=f"{screen}_view_name")
        first = st.checkbox("Default view for everyone", key=f"{screen}_view_first")
        if st.button("Save view", key=f"{screen}_view_save", type="primary"):

            def save() -> str:
                notes_and_saved_views.save_view(services(), operator(), screen, name, text, first)
                return f"The view “{name}” is saved for the whole team."

            run_action(save)


def _manage_view(view: SavedView) -> None:
    with st.popover("This view", icon=":material/bookmark:"):
        st.caption(escape_markdown(f"Saved by {view.author}, {format_utc(view.at)}."))
        name = st.text_input("Name", view.name, key=f"view_{view.id}_name")
        first = st.checkbox(
            "Default view for everyone", view.is_default, key=f"view_{view.id}_first"
        )
        with st.container(horizontal=True, gap="small"):
            if st.button("Save changes", key=f"view_{view.id}_save", type="primary"):
                run_action(lambda: _update(view, name, first))
            if st.button("Delete view", key=f"view_{view.id}_remove"):
                run_action(lambda: _delete(view))


def _update(view: SavedView, name: str, first: bool) -> str:
    notes_and_saved_views.update_view(services(), operator(), view.id, name, first)
    return f"The view is renamed to “{name}”." if name != view.name else "The view is updated."


def _delete(view: SavedView) -> str:
    notes_and_saved_views.delete_view(services(), operator(), view.id)
    return f"The view “{view.name}” is deleted. Its payments are not affected."
