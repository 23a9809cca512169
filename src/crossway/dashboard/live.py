"""What many fragments ask for every second, worked out once for all of them."""

from typing import Any
from uuid import uuid4

import streamlit as st

from crossway.dashboard.session import operator, services
from crossway.dashboard.views.figures import millis
from crossway.usecases import operations

FRESH_SECONDS = 0.8
_APART_MILLIS = 1000
_CLOCK = "clock_anchor"


def clock() -> dict[str, Any]:
    """The service's time for this session's browser, which counts on from it by itself.

    The answer stays the same until somebody moves or stops the clock: what has not changed is
    not sent to the browser again, and its own clock need not be right.
    """
    now, machine = services().clock.now(), services().clock.machine()
    sandbox = services().sandbox
    stands = sandbox is not None and sandbox.clock()[1]
    # A clock that stands is told by where it stands, one that runs by how far it is ahead.
    place = millis(now) if stands else millis(now) - millis(machine)
    anchor: dict[str, Any] = st.session_state.get(_CLOCK) or {"stands": None}
    if anchor["stands"] != stands or abs(anchor["place"] - place) > _APART_MILLIS:
        anchor = {"place": place, "id": uuid4().hex, "now": millis(now), "stands": stands}
        st.session_state[_CLOCK] = anchor
    return {name: anchor[name] for name in ("id", "now", "stands")}


@st.cache_data(ttl=FRESH_SECONDS, max_entries=1, show_spinner=False)
def overview() -> operations.Overview:
    """The numbers of the day."""
    return operations.overview(services(), operator())


@st.cache_data(ttl=FRESH_SECONDS, max_entries=1, show_spinner=False)
def chains() -> list[operations.ChainStatus]:
    """How every chain stands."""
    return operations.chain_statuses(services())
