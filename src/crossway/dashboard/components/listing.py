"""What a list is asked, kept in the address of its page, and the views of it that are saved."""

from collections.abc import Callable, Mapping, Sequence
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from crossway.dashboard.components.actions import perform
from crossway.dashboard.components.notices import as_text
from crossway.dashboard.session import operator, services
from crossway.domain.roles import Right
from crossway.ports.finding_records import SavedView
from crossway.usecases.payments import saved_views

# Says that everything is to be shown, though the list would open with a view of the team's.
PLAIN = "view"
Text = Callable[[str], str]


def params(screen: str, names: Sequence[str]) -> dict[str, str]:
    """What the address asks; a list that is opened plainly opens with the team's first view."""
    asked = {name: st.query_params[name] for name in names if st.query_params.get(name)}
    if not asked and PLAIN not in st.query_params:
        for view in saved_views.of_screen(services(), operator(), screen):
            if view.first:
                ask(names, dict(parse_qsl(view.asked)))
                return dict(parse_qsl(view.asked))
    return asked


def ask(names: Sequence[str], asked: Mapping[str, str]) -> None:
    """Let the address ask this and nothing else."""
    for name in names:
        value = asked.get(name, "")
        if value:
            st.query_params[name] = value
        elif name in st.query_params:
            del st.query_params[name]
    if any(asked.values()):
        st.query_params.pop(PLAIN, None)
    else:
        st.query_params[PLAIN] = "all"


def quick(label: str, name: str, choices: Sequence[str], names: Sequence[str]) -> None:
    """One of a few, side by side; the first asks nothing."""
    value = st.query_params.get(name, "")
    st.session_state[f"asked_{name}"] = value if value in choices else choices[0]
    st.segmented_control(
        label, choices, key=f"asked_{name}", required=True, label_visibility="collapsed",
        on_change=_take, args=(name, names, choices[0]),
    )  # fmt: skip


def tabs(label: str, name: str, choices: Sequence[str]) -> str:
    """Which part of a screen is shown, the first unless the address says otherwise."""
    value = st.query_params.get(name, "")
    key = f"asked_{name}"
    st.session_state[key] = value if value in choices else choices[0]

    def turn() -> None:
        st.query_params[name] = st.session_state[key]

    st.segmented_control(
        label, choices, key=key, required=True, label_visibility="collapsed", on_change=turn
    )
    return str(st.session_state[key])


def choice(
    label: str, name: str, choices: Sequence[str], names: Sequence[str], show: Text = str
) -> None:
    """One of many, or any."""
    value = st.query_params.get(name, "")
    st.session_state[f"asked_{name}"] = value if value in choices else None
    st.selectbox(
        label, choices, index=None, key=f"asked_{name}", format_func=show, placeholder="Any",
        on_change=_take, args=(name, names, None),
    )  # fmt: skip


def line(label: str, name: str, names: Sequence[str], placeholder: str) -> None:
    """Something typed."""
    st.session_state[f"asked_{name}"] = st.query_params.get(name, "")
    st.text_input(
        label, key=f"asked_{name}", type="search", placeholder=placeholder,
        on_change=_take, args=(name, names, ""),
    )  # fmt: skip


def _take(name: str, names: Sequence[str], nothing: str | None) -> None:
    value = st.session_state.get(f"asked_{name}")
    asked = {one: st.query_params.get(one, "") for one in names}
    ask(names, asked | {name: "" if value == nothing else str(value or "")})


def views(screen: str, names: Sequence[str], asked: Mapping[str, str]) -> None:
    """The views that the team keeps of a list: choose one, keep what is asked now, tidy up."""
    caller = operator()
    known = saved_views.of_screen(services(), caller, screen)
    text = urlencode({name: asked[name] for name in names if asked.get(name)})
    current = next((view for view in known if view.asked == text), None)
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        if known:
            _choose(screen, known, current, names)
        if not caller.may(Right.WORK):
            return
        if current is not None:
            _manage(current)
        elif text:
            _keep(screen, text)


def _choose(
    screen: str, known: Sequence[SavedView], current: SavedView | None, names: Sequence[str]
) -> None:
    by_id = {view.id: view for view in known}
    key = f"{screen}_view"
    st.session_state[key] = current.id if current else None

    def follow() -> None:
        chosen = by_id.get(st.session_state[key])
        ask(names, dict(parse_qsl(chosen.asked)) if chosen else {})

    st.selectbox(
        "Saved view", list(by_id), index=None, key=key, placeholder="Choose a view",
        format_func=lambda one: _name(by_id[one]), on_change=follow, width=320,
    )  # fmt: skip


def _name(view: SavedView) -> str:
    return f"{view.name} (opens first)" if view.first else f"{view.name}, by {view.who}"


def _keep(screen: str, text: str) -> None:
    with st.popover("Save this view", icon=":material/bookmark_add:"):
        name = st.text_input("Name of the view", key=f"{screen}_view_name")
        first = st.checkbox("The list opens with it, for everybody", key=f"{screen}_view_first")
        if st.button("Save view", key=f"{screen}_view_save", type="primary"):

            def save() -> str:
                saved_views.save(services(), operator(), screen, name, text, first)
                return f"The view “{name}” is saved; everybody in the team sees it."

            perform(save)


def _manage(view: SavedView) -> None:
    with st.popover("This view", icon=":material/bookmark:"):
        st.caption(as_text(f"Saved by {view.who}, {view.at:%Y-%m-%d %H:%M} UTC."))
        name = st.text_input("Name", view.name, key=f"view_{view.id}_name")
        first = st.checkbox(
            "The list opens with it, for everybody", view.first, key=f"view_{view.id}_first"
        )
        with st.container(horizontal=True, gap="small"):
            if st.button("Save changes", key=f"view_{view.id}_save", type="primary"):
                perform(lambda: _changed(view, name, first))
            if st.button("Remove this view", key=f"view_{view.id}_remove"):
                perform(lambda: _removed(view))


def _changed(view: SavedView, name: str, first: bool) -> str:
    saved_views.change(services(), operator(), view.id, name, first)
    return f"The view is called “{name}” now." if name != view.name else "The view is changed."


def _removed(view: SavedView) -> str:
    saved_views.remove(services(), operator(), view.id)
    return f"The view “{view.name}” is removed. The payments themselves are untouched."
