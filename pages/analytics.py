"""Analytics: figures of any period by group and over time, and the payments behind them."""

from functools import partial

import streamlit as st

from crossway.dashboard.components import analytics, analytics_controls, notices, widget
from crossway.dashboard.components.analytics_exports import export_links
from crossway.dashboard.components.analytics_report import load, period_and_freshness
from crossway.dashboard.session import operator, services
from crossway.dashboard.views.analytics import describe_empty
from crossway.dashboard.views.analytics_selection import parse_selection
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.links import page_href

st.title("Analytics")
with notices.show_errors():
    params = analytics_controls.controls()
    selection = parse_selection(services(), operator().mode, params)
    counted = load(selection)
    if counted is not None:
        period_and_freshness(selection, counted)
        report = counted.report
        if report.total.measures.created:
            analytics.headline(report)
            measure = analytics_controls.measure()
            analytics.over_time(selection, report, measure)
            analytics_controls.grouping()
            analytics.by_group(selection, report, measure)
            analytics.funnel(selection, report)
            analytics.failures(selection, report)
            analytics.durations(selection, report)
            export_links(selection)
        else:
            advice = describe_empty(report, bool(selection.filters))
            way = LinkButton("New payment", page_href("new_intent"), "add_circle")
            draw = partial(widget.link_buttons, (way,), "first_figures", width="content")
            notices.empty_state("No payments in this period", advice, "event_busy", draw)
