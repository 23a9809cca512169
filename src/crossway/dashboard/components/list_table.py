"""Tables that people work with: their own columns and order, selecting rows and acting on them."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, TypeVar

import streamlit as st

from crossway.dashboard.components import widget
from crossway.dashboard.components.actions import Action, run_action
from crossway.dashboard.components.date_range import write_to_url
from crossway.dashboard.components.notices import error_sentence, queue_toast
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import list_columns
from crossway.dashboard.views.cells import Column, Row, RowAction, to_json
from crossway.dashboard.views.links import MAX_SELECTED, is_record_id
from crossway.dashboard.views.list_columns import ListColumn
from crossway.domain.errors import DomainError
from crossway.usecases.staff import table_preferences as preferences

T = TypeVar("T")
# The parameter of the URL that holds the order; a page has one list with controls.
_SORT: Final = "sort"


@dataclass(frozen=True, slots=True)
class OwnView(Generic[T]):
    """How the viewer sees a list: which of its columns, in which order of rows. `names` tells views
    with different columns apart."""

    list_name: str
    chosen: tuple[ListColumn[T], ...]
    sort: str
    menu: Sequence[Mapping[str, Any]]

    @property
    def sort_of_all(self) -> str:
        """The order that the database is asked for; empty for the usual one."""
        all_by = {one.name for one in self.columns if one.sorts_all}
        return self.sort if self.sort.removeprefix("-") in all_by else ""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns shown."""
        return tuple(one.column.name for one in self.chosen)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The headers of the columns shown."""
        return list_columns.columns_of(self.chosen)


@dataclass(frozen=True, slots=True)
class SelectedRows:
    """The action that somebody chose, and the keys of the rows that they had selected."""

    action: str
    keys: tuple[str, ...]

    @property
    def ids(self) -> list[int]:
        """The keys of rows that are numbered records."""
        return [int(key) for key in self.keys if is_record_id(key)]


def own_view(list_name: str, offered: Sequence[ListColumn[T]] = ()) -> OwnView[T]:
    """How the viewer wants a list, as they chose in any browser; without `offered` columns, only
    its order. An order in the page's URL comes first."""
    preference = preferences.get_preference(services(), operator(), list_name)
    sort = st.query_params.get(_SORT) or preference.sort
    if not offered:
        return OwnView(list_name, (), sort, ())
    chosen = list_columns.choose(offered, preference.columns)
    menu = list_columns.describe_choice(offered, chosen)
    return OwnView(list_name, chosen, sort, menu)


def table(
    data: Mapping[str, Any],
    key: str,
    view: OwnView[Any],
    actions: Sequence[RowAction] = (),
    scope: Hashable = "",
    whole: bool = False,
) -> None:
    """A table, of `widget.table_data`, that can be sorted by its named columns, and whose rows can
    be selected for these actions. Another `scope`, such as other filters, empties the selection.
    Without the `whole` list, it says that only this page is sorted.

    The whole page runs again with what was chosen, which it takes by `pop_selected` before it draws
    the table: a dialog that a live fragment opens would close when that is redrawn.
    """
    controls = {
        "actions": [to_json(one) for one in actions],
        "scope": f"{st.session_state.get(_done(key), 0)} {scope}",
        "sortable": True,
        "sort": view.sort,
        "menu": list(view.menu),
        "whole": whole,
    }
    widget.table_with_controls(
        data,
        key,
        controls,
        on_act=lambda: _take(key, actions),
        on_prefer=lambda: _keep(view.list_name, key),
    )
    if _waiting(key) in st.session_state:
        st.rerun()


def row_table(
    rows: Sequence[Row],
    columns: Sequence[Column],
    key: str,
    label: str,
    caption: str = "",
    actions: Sequence[RowAction] = (),
    scope: Hashable = "",
    list_name: str = "",
    whole: bool = False,
) -> None:
    """As `table`, of a small list whose rows are built whole, with all of these named columns."""
    own = own_view(list_name or key, list_columns.of_rows(columns))
    shown = [replace(row, cells=list_columns.cells_of(own.chosen, row)) for row in rows]
    data = widget.table_data(shown, own.columns, label, caption)
    table(data, key, own, actions, scope, whole)


def pop_selected(key: str) -> SelectedRows | None:
    """What somebody has chosen to do with rows of this table, once."""
    selected: SelectedRows | None = st.session_state.pop(_waiting(key), None)
    return selected


def run(key: str, work: Action) -> None:
    """As `run_action`; the selection is empty afterwards."""
    run_action(lambda: done(key, work()))


def done(key: str, message: str) -> str:
    """Empty the selection of a table, as its action was carried out; returns the message."""
    st.session_state[_done(key)] = st.session_state.get(_done(key), 0) + 1
    return message


def _keep(list_name: str, key: str) -> None:
    """Keep the columns or the order that somebody has chosen in the browser."""
    sent = st.session_state[key].get("prefer")
    if not isinstance(sent, Mapping):
        return
    caller = operator()
    preference = preferences.get_preference(services(), caller, list_name)
    if isinstance(sent.get("columns"), Sequence):
        preference = replace(preference, columns=tuple(map(str, sent["columns"])))
    if "sort" in sent:
        preference = replace(preference, sort=str(sent["sort"]))
        write_to_url({_SORT: preference.sort})
    try:
        preferences.save_preference(services(), caller, list_name, preference)
    except DomainError as error:
        queue_toast(error_sentence(error), ":material/block:")


def _take(key: str, actions: Sequence[RowAction]) -> None:
    """Keep what somebody has chosen for the run that carries it out, if it makes sense."""
    sent = st.session_state[key].get("act")
    if not isinstance(sent, Mapping) or not isinstance(sent.get("keys"), Sequence):
        return
    keys = tuple(str(one) for one in sent["keys"])[:MAX_SELECTED]
    if keys and sent.get("name") in {action.name for action in actions}:
        st.session_state[_waiting(key)] = SelectedRows(str(sent["name"]), keys)


def _waiting(key: str) -> str:
    return f"{key}_selected"


def _done(key: str) -> str:
    return f"{key}_selections_done"
