"""The live list of payments."""

from collections.abc import Mapping, Sequence

import streamlit as st

from crossway.dashboard import shared_query
from crossway.dashboard.components import (
    list_table,
    live_fragment,
    notices,
    pagination,
    resending,
    widget,
)
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import intents, merchant_names, payment_columns, payment_filters
from crossway.dashboard.views.cells import Column
from crossway.dashboard.views.clients import client_names
from crossway.dashboard.views.intents import ListPage

_NAME, _LABEL = "intents", "Payments"


@live_fragment.fragment(shared=True)
def rows(filters: Mapping[str, str]) -> None:
    """One page of the payments that match the filters, newest first."""
    with notices.show_errors():
        before = pagination.cursor(_NAME, tuple(filters.items()))
        intent_filter, caller, number = (
            payment_filters.parse_params(filters, services().clock.now()),
            operator(),
            pagination.page_number(_NAME),
        )

        names = client_names(services())
        own = list_table.own_view(
            _NAME, merchant_names.offer_columns(names, payment_columns.OFFERED)
        )

        def read() -> ListPage:
            # Shared by all who see the same columns.
            return shared_query.read(
                f"{caller.mode} payments {before} {number} {intent_filter} {own.names}",
                lambda: intents.load_page(services(), caller, intent_filter, before, own.chosen),
                render=lambda of: _render(of, number, own.columns),
            )

        page = read()
        if page.searched_to is not None:
            text = f"Searched payments down to #{page.searched_to:,}."
            st.caption(f"{text} Few of them match; continue to search older ones.")
        elif filters and not page.rows:
            notices.empty_state("No matching payments", "Remove or change a filter.")
        elif not page.rows:
            notices.empty_state(
                f"No {caller.mode} payments yet", "Create the first one with New payment."
            )
        if page.rows:
            data = widget.table_data(page.rows, own.columns, _LABEL, _caption(page, number))
            actions = intents.offered_actions(caller)
            list_table.table(data, _NAME, own, actions, (caller.mode, intent_filter))
        older = "Search older payments" if page.searched_to is not None else "Older"
        # Evaluated when pressed, as rows may have moved since the button was drawn.
        pagination.page_buttons(_NAME, page.older_than, older, lambda: read().older_than)


def act_on_selected() -> None:
    """Carry out what somebody has chosen to do with selected payments."""
    if (selected := list_table.pop_selected(_NAME)) is not None:
        resending.confirm_for_payments(_NAME, selected.ids)


def _render(of: ListPage, number: int, columns: Sequence[Column]) -> shared_query.RenderState:
    """Browsers redraw the rows; buttons and empty states belong to the frame."""
    table = widget.table_data(of.rows, columns, _LABEL, _caption(of, number))
    return shared_query.RenderState(
        {_NAME: table}, (bool(of.rows), of.older_than is None, of.searched_to)
    )


def _caption(of: ListPage, number: int) -> str:
    if of.searched_to is not None:
        return ""
    page = f", page {number}" if number > 1 or of.older_than else ""
    return f"{of.count}{page}. Newest first."
