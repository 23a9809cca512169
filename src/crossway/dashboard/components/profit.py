"""Profit and loss: period, figures, margins by group, and files."""

from datetime import date, timedelta
from functools import partial
from urllib.parse import urlencode

import streamlit as st

from crossway.dashboard import profit_charts
from crossway.dashboard.components import notices, widget
from crossway.dashboard.components.date_range import period_control
from crossway.dashboard.components.plotly_charts import plotly_chart
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import profit as view
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.formatting import name_month
from crossway.dashboard.views.links import page_href
from crossway.usecases.money import profit_and_loss
from crossway.usecases.money.profit_and_loss import ProfitReport

_MONTHS = 24


def period() -> tuple[date, date]:
    """The chosen period of whole UTC days."""
    params, now = period_control(view.PERIODS, view.DEFAULT_PERIOD), services().clock.now()
    with notices.show_errors():
        return view.parse_days(params, now)
    return view.parse_days({}, now)


def report(days: tuple[date, date], testnets: bool) -> None:
    """Figures, lines, chart and margins by group of a period."""
    with notices.show_errors():
        made = profit_and_loss.get_report(services(), operator(), *days, testnets)
        if not made.is_complete:
            st.caption("Some postings are not counted yet; the figures follow within moments.")
        if not made.results:
            way = LinkButton("New payment", page_href("new_intent"), "add_circle")
            notices.empty_state(
                "Nothing earned or spent in this period",
                "The first completed payment makes the first entry. Choose another period or other "
                "networks to see older ones.",
                "trending_flat",
                partial(widget.link_buttons, (way,), "first_entry", width="content"),
            )
            return
        _headline(made)
        _lines(made)
        st.header("By day")
        of = f"profit {made.first} {made.last} {testnets} {made.total}"
        figure = profit_charts.by_day(view.build_days(made))
        plotly_chart(figure, "profit_days", "Revenue, costs and result in USD by day", of)
        st.caption("A payment may earn on one chain and cost on another.")
        for grouped in view.build_groups(services(), made):
            _group(grouped)


def _headline(made: ProfitReport) -> None:
    with st.container(horizontal=True, gap="small"):
        for kpi in view.build_kpis(made):
            st.metric(kpi.label, kpi.value, help=kpi.help, border=True)


def _lines(made: ProfitReport) -> None:
    for section, rows in view.build_line_rows(made).items():
        if rows:
            st.subheader(section)
            widget.table(rows, view.LINE_COLUMNS, f"profit_{section}", section)
    unpriced = view.build_unpriced_rows(services(), made)
    if unpriced:
        st.subheader("Without a known price")
        st.warning(
            "The value of these amounts is unknown, as no price was recorded in their hour. They "
            "are in no sum in USD.",
            icon=":material/money_off:",
        )
        widget.table(unpriced, view.UNPRICED_COLUMNS, "profit_unpriced", "Without a known price")


def _group(grouped: view.Grouped) -> None:
    title = f"By {grouped.title.lower()}"
    st.header(title)
    if not grouped.rows:
        st.markdown("No payments in this period.")
        return
    widget.table(grouped.rows, grouped.columns, f"profit_{grouped.title}", title)
    if grouped.left_out:
        st.caption(f"{grouped.left_out:,} more are in the statement.")


def files(days: tuple[date, date], network: str) -> None:
    """The statement of a month and the journal of the period."""
    st.header("Statement and journal")
    months = _last_months(services().clock.now().date())
    month = st.selectbox(
        "Statement of", months, key="profit_month", width=180, format_func=name_month
    )
    of_month = urlencode({"month": month, view.NETWORK_PARAM: network})
    of_days = urlencode({"from": days[0].isoformat(), "to": days[1].isoformat()})
    buttons = [
        LinkButton(
            f"{title} as {kind.upper()}", f"download/money/{name}.{kind}?{query}", "download",
            download=True,
        )
        for title, name, query in (
            ("Statement", "statement", of_month), ("Journal", "journal", of_days),
        )
        for kind in ("csv", "xlsx")
    ]  # fmt: skip
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        widget.link_buttons(tuple(buttons), "profit_files", width="content")
        st.link_button(
            "Printable statement",
            f"download/money/statement.html?{of_month}",
            icon=":material/print:",
            width="content",
        )
    st.caption(
        "The journal has two balanced lines for each posting of the period, of all networks, with "
        "the price of its hour."
    )


def _last_months(today: date) -> list[str]:
    first, months = today.replace(day=1), []
    for _ in range(_MONTHS):
        months.append(f"{first:%Y-%m}")
        first = (first - timedelta(days=1)).replace(day=1)
    return months
