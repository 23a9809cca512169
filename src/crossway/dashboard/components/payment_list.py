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
from crossway.ports.search_repository import PaymentOrder

_NAME, _LABEL = "intents", "Payments"


@live_fragment.fragment(shared=True)
def rows(filters: Mapping[str, str]) -> None:
    """One page of the payments that match the filters, newest first if not asked otherwise."""
    with notices.show_errors():
        names = client_names(services())
        own = list_table.own_view(
            _NAME, merchant_names.offer_columns(names, payment_columns.OFFERED)
        )
        order = payment_columns.ORDERS.get(own.sort_of_all, PaymentOrder.NEWEST)
        after = pagination.cursor(_NAME, (tuple(filters.items()), order))
        intent_filter, caller, number = (
            payment_filters.parse_params(filters, services().clock.now()),
            operator(),
            pagination.page_number(_NAME),
        )

        def read() -> ListPage:
            # Shared by all who see the same columns in the same order.
            return shared_query.read(
                f"{caller.mode} payments {order} {after} {number} {intent_filter} {own.names}",
                lambda: intents.load_page(
                    services(), caller, intent_filter, after, own.chosen, order
                ),
                render=lambda of: _render(of, number, own.columns),
            )

        page = read()
        if page.searched:
            st.caption(f"{page.searched} Few of them match; continue to search the others.")
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
        usual = order is PaymentOrder.NEWEST
        older, newer = pagination.button_labels(usual)
        if page.searched:
            older = "Search older payments" if usual else "Search other payments"
        # Evaluated when pressed, as rows may have moved since the button was drawn.
        pagination.page_buttons(_NAME, page.older_than, older, lambda: read().older_than, newer)


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
    return f"{of.count}{page}. {of.description}"
