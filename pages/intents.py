"""Payments: the live list with its filters, its saved views and its export."""

import streamlit as st

from crossway.dashboard import live
from crossway.dashboard.components import listing, living, notices, paging, widget
from crossway.dashboard.components.conditions import builder
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import conditions, intents
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


@living.part()
def rows() -> None:
    with notices.in_words():
        before = paging.before("intents", tuple(given.items()))
        wanted = conditions.asked(given)
        found = live.shared(
            f"payments {before} {wanted}",
            lambda: intents.listing(services(), operator(), wanted, before),
        )
        if found.searched_to is not None:
            words = f"Looked through the payments down to #{found.searched_to:,}."
            st.caption(f"{words} Few of them match, so older ones are looked at when you ask.")
        elif found.rows:
            st.caption(
                f"{found.count}{paging.place('intents', found.older_than)}. Newest first, live."
            )
        elif given:
            notices.empty("No payment matches", "Take a filter away, or choose another.")
        else:
            notices.empty("No payments yet", "Make the first one with New payment.")
        if found.rows:
            widget.table(found.rows, intents.COLUMNS, "intents", "Payments")
        older = "Look further back" if found.searched_to is not None else "Older"
        paging.turn("intents", found.older_than, older)


rows()
way = Way("New payment", link("new_intent"), "add_circle", main=True)
widget.ways((way, *exports("payments", given)), "intents_ways", width="content")
