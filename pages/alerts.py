"""Alerts: active alerts with owner and next step, and resolved alerts."""

import streamlit as st

from crossway.dashboard.components import alerts

st.title("Alerts")
filters = alerts.filters()
if filters.resolved:
    alerts.resolved_alerts(filters)
else:
    alerts.active_alerts(filters.kind, alerts.available_actions(filters.kind))
    alerts.actions(filters.kind)
