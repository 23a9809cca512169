"""Payments: the live list with its filters, its saved views and its export."""

import streamlit as st

from crossway.dashboard.components import listing, notices, payments, widget
from crossway.dashboard.components.conditions import builder
from crossway.dashboard.views import conditions
from crossway.dashboard.views.cells import Way
from crossway.dashboard.views.links import exports, link

PARAMS = ("show", "all", "any")
st.title("Payments")
given: dict[str, str] = {}
with notices.in_words():
    given = listing.params("intents", PARAMS)
    listing.quick("Show", "show", list(conditions.QUICK), PARAMS)
    builder(PARAMS, given)
    listing.views("intents", PARAMS, given)

payments.rows(given)
way = Way("New payment", link("new_intent"), "add_circle", main=True)
widget.ways((way, *exports("payments", given)), "intents_ways", width="content")
