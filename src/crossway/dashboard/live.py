"""Answers that many screens and fragments ask for every second, worked out once for all of them."""

import streamlit as st

from crossway.dashboard.session import operator, services
from crossway.dashboard.views.figures import millis
from crossway.usecases import operations

FRESH_SECONDS = 0.8


def now() -> int:
    """The service's time in epoch milliseconds."""
    return millis(services().clock.now())


@st.cache_data(ttl=FRESH_SECONDS, max_entries=1, show_spinner=False)
def overview() -> operations.Overview:
    """The numbers of the day."""
    return operations.overview(services(), operator())


@st.cache_data(ttl=FRESH_SECONDS, max_entries=1, show_spinner=False)
def chains() -> list[operations.ChainStatus]:
    """How every chain stands."""
    return operations.chain_statuses(services())
