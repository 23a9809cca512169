"""Alerts: active alerts with owner and next step, and resolved alerts."""

import streamlit as st

from crossway.dashboard.components import alert_triage, alerts

st.title("Alerts")
filters = alerts.filters()
if filters.resolved:
    alerts.resolved_alerts(filters)
else:
    alert_triage.act_on_selected()
    alerts.active_alerts(filters.kind)
