"""The network map: its filters, and the map itself, which browsers keep up to date."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import streamlit as st

from crossway.dashboard import background_cache, shared_query
from crossway.dashboard.components import live_fragment, notices, widget
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import network_map as view
from crossway.dashboard.views.map_links import AMOUNT_MICRO_USD
from crossway.domain.clients import Principal
from crossway.ports.services import Services
from crossway.ports.topics import Topic
from crossway.usecases.chains.kill_switches import active_kill_switches
from crossway.usecases.operating import network_map as figures
from crossway.usecases.operating import overview
from crossway.usecases.pricing import corridor_quotes
from crossway.usecases.pricing.corridor_quotes import CorridorSummary, Window
from crossway.usecases.pricing.router import with_enabled_flag

# Quotes ask the bridges, states the nodes: both are read in the background.
QUOTES_MAX_AGE_SECONDS: Final = 60.0
STATUS_MAX_AGE_SECONDS: Final = 5.0
# However many browsers and payments there are.
MIN_AGE_SECONDS: Final = 1.0
_STATUSES: Final = "chain statuses"
_TOPICS: Final = (Topic.PAYMENTS, Topic.ALERTS, Topic.REST)
_NETWORKS: Final = ("Mainnets", "Testnets")


def filters() -> tuple[Window, bool]:
    """The period of volumes, and whether testnets are shown instead of mainnets."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        window = _segments("Period", tuple(Window), "window")
        network = _segments("Network", _NETWORKS, "network")
    return Window(window), network == _NETWORKS[1]


def _segments(label: str, options: tuple[str, ...], key: str) -> str:
    return st.segmented_control(
        label, options, key=key, default=options[0], required=True, bind="query-params"
    )


@live_fragment.fragment(shared=True)
def network_map(
    window: Window = Window.DAY,
    testnets: bool = False,
    large: bool = False,
    key: str = "network_map",
) -> None:
    """The map; `large` is its type on a presentation."""
    caller = operator()

    def render(data: dict[str, Any]) -> shared_query.RenderState:
        return shared_query.RenderState({key: widget.map_data(data, large=large)})

    with notices.show_errors():
        data = shared_query.read(
            f"network map {caller.mode} {window} {testnets} {large} {key}",
            map_reader(services(), caller, window, testnets),
            _TOPICS,
            render,
            MIN_AGE_SECONDS,
        )
        widget.network_map(data, key, large=large)


def read_nodes_again() -> None:
    """Let the map show at once what has just been done to a node."""
    background_cache.forget(_STATUSES)


def map_reader(
    of: Services, caller: Principal, window: Window = Window.DAY, testnets: bool = False
) -> Callable[[], dict[str, Any]]:
    """A function that reads the JSON of the map, for a shared query: it never waits for a node or a
    bridge again once it has returned."""
    return partial(_read, of, caller, window, testnets)


def _read(of: Services, caller: Principal, window: Window, testnets: bool) -> dict[str, Any]:
    disabled = active_kill_switches(of)
    corridors = current_corridors(of, caller, window, testnets)
    sources = view.MapSources(
        chains=[
            chain
            for chain in of.catalogue.chains.values()
            if chain.id in of.chains and chain.testnet == testnets
        ],
        statuses=background_cache.read_latest(
            _STATUSES, partial(overview.list_chain_statuses, of), STATUS_MAX_AGE_SECONDS
        ),
        # Switches act at once, however old the quotes are.
        corridors=[replace(c, route=with_enabled_flag(c.route, disabled)) for c in corridors],
        bridges=corridor_quotes.list_bridge_statuses(of, caller, window),
        figures=figures.get_network_figures(of, caller, window),
        window=window,
        disabled=disabled,
    )
    return view.build_map(of.catalogue, sources)


def current_corridors(
    of: Services, caller: Principal, window: Window, testnets: bool
) -> Sequence[CorridorSummary]:
    """All corridors with the quotes of the last minute, without waiting for the bridges again."""
    return background_cache.read_latest(
        f"corridors of the map {caller.mode} {window} {testnets}",
        lambda: corridor_quotes.list_corridors(of, caller, window, AMOUNT_MICRO_USD, testnets),
        QUOTES_MAX_AGE_SECONDS,
    )
