"""Merchants: the filter of every list by one of them, their list, and the page of one."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from crossway.dashboard import charts
from crossway.dashboard.components import (
    branding,
    clients,
    keys,
    list_table,
    listing,
    live_fragment,
    notices,
    widget,
)
from crossway.dashboard.components.charting import chart, theme_shade
from crossway.dashboard.mode_choice import keep_mode
from crossway.dashboard.session import current_mode, operator, services
from crossway.dashboard.views import clients as client_view
from crossway.dashboard.views import (
    intents,
    list_columns,
    merchant_names,
    merchants,
    payment_columns,
)
from crossway.dashboard.views import webhooks as webhook_view
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.links import page_href
from crossway.domain.clients import Client
from crossway.domain.filters import Filter, FilterField, FilterSet
from crossway.usecases.operating.merchants import MerchantReport, get_report

PARAM = "client"
TABS = ("Overview", "Integration", "Settings")
_MIN_CHART_SECONDS = 10.0
_MAX_PAYMENTS = 10


def merchant_filter(
    names: Sequence[str] = (), *, resets: str = "", alone: bool = False
) -> str | None:
    """The merchant whose records a list shows, None for all; kept by id in the page's URL, as
    links give it. `names` are the parameters of the list's filters, and `resets` that of its page,
    which another merchant does not have. With a single merchant there is nothing to choose, except
    where `alone`."""
    known = client_view.client_names(services())
    chosen = st.query_params.get(PARAM) or None
    if len(known) < 2 and not alone and chosen in (None, *known):
        return chosen
    options = list(known) if chosen in (None, *known) else [*known, str(chosen)]
    st.session_state[PARAM] = chosen
    st.selectbox(
        "Merchant",
        options,
        index=None,
        key=PARAM,
        format_func=lambda one: known.get(one, "Unknown merchant"),
        placeholder="Any merchant",
        on_change=partial(_write, names, resets),
        width=260,
    )
    return chosen


def _write(names: Sequence[str], resets: str) -> None:
    st.query_params.pop(resets, None)
    value = st.session_state.get(PARAM) or ""
    if names:
        filters = {name: st.query_params.get(name, "") for name in names}
        listing.write_filters(names, filters | {PARAM: value})
    elif value:
        st.query_params[PARAM] = value
        keep_mode()
    else:
        st.query_params.pop(PARAM, None)


@live_fragment.fragment()
def merchant_list() -> None:
    """All merchants with their figures, live."""
    with notices.show_errors():
        rows = merchants.build_rows(services(), operator())
        if not rows:
            notices.empty_state(
                "No merchants yet", "Create the first one below; then create an API key for it."
            )
            return
        text = f"In {current_mode()} mode, by volume of the last 30 days; updates by itself."
        list_table.row_table(rows, merchants.COLUMNS, "merchants", "Merchants", text, whole=True)


def page(client: Client) -> None:
    """Everything about one merchant."""
    tab = listing.tabs("View", "tab", TABS)
    if tab == TABS[0]:
        _figures(client.id)
        _records(client.id)
    elif tab == TABS[1]:
        _integration(client)
    else:
        clients.form(client)
        st.header("Checkout branding")
        branding.form(client)


@live_fragment.fragment(min_interval_seconds=_MIN_CHART_SECONDS)
def _figures(client_id: str) -> None:
    with notices.show_errors():
        report = get_report(services(), operator(), client_id)
        widget.kpis(merchants.build_kpis(report), "merchant_figures", "Figures of the merchant")
        widget.link_buttons(merchants.record_links(report), "merchant_ways", width="content")
        _alerts(client_id)
        left, right = st.columns([2, 3], gap="large")
        with left:
            st.header("Last 30 days")
            _chart(report)
        with right:
            st.header("Top routes")
            _routes(report)


def _alerts(client_id: str) -> None:
    rows = merchants.build_alert_rows(services(), operator(), client_id)
    if rows:
        st.header("Needs attention")
        widget.table(rows, merchants.ALERT_COLUMNS, "merchant_alerts", "Active alerts")


def _chart(report: MerchantReport) -> None:
    days = merchants.list_days(report)
    if any(completed for _, completed, _ in days):
        alt = "Completed payments and their volume per day of the last 30 days"
        chart(charts.completed_and_volume(days, theme_shade()), 320, "merchant_days", alt)
    else:
        st.markdown(f"No completed {current_mode()} payments in the last 30 days.")


def _routes(report: MerchantReport) -> None:
    rows = merchants.build_route_rows(services().catalogue, report)
    if rows:
        text = merchants.describe_routes(report)
        widget.table(rows, merchants.ROUTE_COLUMNS, "merchant_routes", "Top routes", text)
    else:
        st.markdown("The routes appear with the first payment.")


@live_fragment.fragment()
def _records(client_id: str) -> None:
    """The merchant's latest payments."""
    st.header("Latest payments")
    with notices.show_errors():
        chosen = FilterSet((Filter(FilterField.CLIENT, (client_id,)),), ())
        columns = list_columns.without(payment_columns.USUAL, merchant_names.MERCHANT_COLUMN)
        found = intents.load_page(services(), operator(), chosen, None, columns)
        if not found.rows:
            notices.empty_state(
                f"No {current_mode()} payments yet", "Create one with New payment, or by the API."
            )
            return
        headers = list_columns.columns_of(columns)
        rows = found.rows[:_MAX_PAYMENTS]
        widget.table(rows, headers, "merchant_payments", "Latest payments")
        href = page_href("intents", client=client_id)
        way = LinkButton(f"All {found.count} of this merchant", href, "list_alt")
        widget.link_buttons((way,), "merchant_payments_all", width="content")


def _integration(client: Client) -> None:
    """How the merchant's systems are connected: keys and webhooks."""
    st.header("API keys")
    keys.key_table(False, client.id, "client_keys")
    _webhooks(client.id)
    ways = (
        LinkButton("New key", page_href("keys"), "key", primary=True),
        LinkButton("Webhooks", page_href("webhooks", client=client.id), "webhook"),
        LinkButton("API requests", page_href("requests", client=client.id), "swap_horiz"),
    )
    widget.link_buttons(ways, "client_ways")


@live_fragment.fragment()
def _webhooks(client_id: str) -> None:
    st.header("Webhooks")
    with notices.show_errors():
        rows = webhook_view.build_rows(services(), operator(), client_id)
        if rows:
            columns, rows = merchant_names.drop_merchant(webhook_view.COLUMNS, rows)
            widget.table(rows, columns, "client_webhooks", "Webhooks")
        else:
            text = "Add one under Webhooks, and the merchant is told of each payment."
            notices.empty_state(f"No {current_mode()} webhooks yet", text, "webhook")
