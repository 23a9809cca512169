"""Routes: filters, charts, one corridor with its switch, the table, and bridge health."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import streamlit as st

from crossway.dashboard import charts, push, route_charts
from crossway.dashboard.components import kill_switches, live_fragment, notices, widget
from crossway.dashboard.components.actions import run_action
from crossway.dashboard.components.asset_inputs import chain_select
from crossway.dashboard.components.charting import theme_shade
from crossway.dashboard.session import current_mode, operator, services
from crossway.dashboard.views import bridges as bridge_view
from crossway.dashboard.views import corridors as view
from crossway.dashboard.views import routes
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.corridor_matrix import Measure, build_matrix
from crossway.dashboard.views.estimates import MATRIX_LEGEND
from crossway.dashboard.views.formatting import chain_name
from crossway.dashboard.views.links import page_href, pair_href
from crossway.domain.catalogue import Catalogue
from crossway.domain.money import MICRO_USD_DECIMALS
from crossway.domain.quotes import bridge_title
from crossway.domain.typed_amounts import parse_typed_amount
from crossway.ports.records import KillSwitch
from crossway.usecases.pricing import corridor_quotes
from crossway.usecases.pricing.corridor_quotes import CorridorSummary, Window

FRESH_SECONDS = 15.0
_NETWORKS = ("Mainnets", "Testnets")
VOLUME, COST = "Volume", "Cost"


@dataclass(frozen=True, slots=True)
class RouteFilters:
    """What the filters of the page select."""

    testnets: bool
    symbol: str | None
    amount_micro_usd: int
    window: Window
    source: str | None
    destination: str | None
    bridges: tuple[str, ...]
    picture: str


def filters() -> RouteFilters:
    """Environment, token, amount, period, chains and bridges."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        network = _segments("Network", _NETWORKS, "network")
        picture = _segments("Weighted by", (VOLUME, COST), "weight")
        window = _segments("Period", tuple(Window), "window")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        amount = st.text_input("Amount in USD", "1000", key="amount", bind="query-params")
        symbol = st.selectbox(
            "Token",
            services().catalogue.symbols,
            index=None,
            key="route_token",
            placeholder="Any",
            bind="query-params",
        )
        source = chain_select("From chain", "route_from")
        destination = chain_select("To chain", "route_to")
        bridges = st.pills(
            "Bridges",
            routes.list_bridges(services()),
            format_func=bridge_title,
            selection_mode="multi",
            key="bridges",
            bind="query-params",
        )
    units = parse_typed_amount("amount", amount, MICRO_USD_DECIMALS, "USD")
    return RouteFilters(
        network == _NETWORKS[1],
        symbol,
        units,
        Window(window),
        source,
        destination,
        tuple(bridges),
        picture,
    )


def _segments(label: str, options: Sequence[str], key: str) -> str:
    return st.segmented_control(
        label, options, key=key, default=options[0], required=True, bind="query-params"
    )


def list_corridors(filters: RouteFilters) -> list[CorridorSummary]:
    """All corridors of these filters, shared by all sessions in one mode."""
    principal = operator()
    key = (filters.testnets, filters.symbol, filters.amount_micro_usd, filters.window)
    name = f"corridors {principal.mode} {key}"
    return push.cached(
        name,
        lambda: corridor_quotes.list_corridors(
            services(),
            principal,
            filters.window,
            filters.amount_micro_usd,
            filters.testnets,
            filters.symbol,
        ),
        max_age_seconds=FRESH_SECONDS,
    )


def describe_coverage(filters: RouteFilters, corridors: Sequence[CorridorSummary]) -> str:
    """How many routes match, and which pairs of chains no bridge serves."""
    return routes.describe_coverage([c.route for c in corridors], filters.symbol)


def describe_no_match(filters: RouteFilters) -> tuple[str, str]:
    """The title and the next step where no route matches."""
    catalogue = services().catalogue
    return routes.describe_no_match(catalogue, filters.symbol, filters.source, filters.destination)


def overview_charts(filters: RouteFilters, corridors: Sequence[CorridorSummary]) -> None:
    """Volumes or costs on the left, the matrix of best routes on the right."""
    catalogue = services().catalogue
    left, right = st.columns(2, gap="large")
    with left:
        if filters.picture == VOLUME:
            _volume_chart(catalogue, filters, corridors)
        else:
            _cost_chart(catalogue, corridors)
    with right:
        st.header("Best route per pair")
        measure = cast(Measure, _segments("Shown", ("Cost", "Time"), "measure"))
        unit = "USD" if measure == "Cost" else "seconds"
        result = build_matrix(catalogue, corridors, measure)
        amount = f"{filters.amount_micro_usd / 1_000_000:,.2f} USD"
        legend = f" {MATRIX_LEGEND}" if result.estimates else ""
        st.caption(f"{unit} for {amount}, rows: from, columns: to.{legend}")
        picked = _clickable_chart(
            route_charts.heatmap(result, theme_shade(), unit),
            110 + 32 * len(result.names),
            "matrix",
            f"Best cost or time of {amount} between {len(result.names)} chains",
        )
        for index in picked.get("indices", ()):
            if index < len(result.pairs):
                _select_pair(*result.pairs[index])


def _volume_chart(
    catalogue: Catalogue, filters: RouteFilters, corridors: Sequence[CorridorSummary]
) -> None:
    st.header("Volume")
    streams = view.build_flows(catalogue, corridors)
    if not streams:
        st.caption(
            f"No volume in the last {filters.window}. The chart shows chains connected by a bridge."
        )
        options = routes.count_links(catalogue, [c.route for c in corridors])
        text = f"{len(options)} pairs of chains are connected"
        st.echarts_chart(charts.chord(options, theme_shade()), height=520, key="chord", alt=text)
        return
    st.caption(
        f"{current_mode().capitalize()} volume from chain via bridge to chain. Click to filter "
        "the table."
    )
    option = route_charts.sankey(streams, theme_shade())
    text = "; ".join(
        f"{s.source} by {s.bridge} to {s.destination}: {s.usd:,.0f} USD" for s in streams[:12]
    )
    picked = _clickable_chart(option, 540, "sankey", text)
    series = option["series"][0]
    for index in picked.get("indices", ()):
        if picked.get("type") == "edge" and index < len(series["links"]):
            flow = series["links"][index]
            _select_nodes(catalogue, [flow["source"], flow["target"]])
        elif index < len(series["data"]):
            _select_nodes(catalogue, [series["data"][index]["name"]])


def _cost_chart(catalogue: Catalogue, corridors: Sequence[CorridorSummary]) -> None:
    st.header("Cheapest bridges")
    ties = view.build_cheapest_links(catalogue, corridors)
    st.caption("The cheapest bridge per pair of chains; wider is cheaper. Click to filter.")
    option = route_charts.cheapest_links_ring(ties, theme_shade())
    text = "; ".join(f"{t.a} and {t.b}: {t.bridge}, {t.usd:,.2f} USD" for t in ties[:12])
    picked = _clickable_chart(option, 560, "ring", text or "No bridge available")
    series = option["series"][0]
    for index in picked.get("indices", ()):
        if picked.get("type") == "edge" and index < len(ties):
            _select_nodes(catalogue, [ties[index].a, ties[index].b + "\u200b"])
        elif index < len(series["data"]):
            _select_nodes(catalogue, [series["data"][index]["name"]])


def _clickable_chart(option: charts.Option, height: int, key: str, alt: str) -> Mapping[str, Any]:
    """A clickable chart; returns the new selection once."""
    state = st.echarts_chart(option, height=height, key=key, alt=alt, on_select="rerun")
    selected = state["selection"]["selected"] if state else []
    seen_key = f"{key}_seen"
    if not selected:
        # A cleared selection may be clicked again.
        st.session_state.pop(seen_key, None)
        return {}
    if st.session_state.get(seen_key) == selected:
        return {}
    st.session_state[seen_key] = selected
    first = selected[0]
    return {"indices": first.get("data_indices", ()), "type": first.get("data_type", "")}


def _select_nodes(catalogue: Catalogue, names: Sequence[str]) -> None:
    """Filter by the clicked chains, as source or destination, or bridges."""
    chains = {chain.name: chain.id for chain in catalogue.chains.values()}
    bridges = {bridge_title(bridge): bridge for bridge in routes.list_bridges(services())}
    chosen: dict[str, Any] = {}
    for name in names:
        plain = route_charts.node_label(name)
        if plain in bridges:
            chosen["bridges"] = [bridges[plain]]
        elif plain in chains:
            chosen["route_to" if route_charts.is_destination(name) else "route_from"] = chains[
                plain
            ]
    _store_selection(chosen)


def _select_pair(source: str, destination: str) -> None:
    _store_selection({"route_from": source, "route_to": destination})


def _store_selection(chosen: Mapping[str, Any]) -> None:
    """Store a selection, which the next rerun writes into the filters."""
    st.session_state["routes_chosen"] = dict(chosen)
    st.rerun()


def apply_chart_selection() -> None:
    """Write a stored selection into the filters; call it before drawing them."""
    for key, value in st.session_state.pop("routes_chosen", {}).items():
        st.session_state[key] = value


def corridor_detail(
    filters: RouteFilters, result: CorridorSummary, off: Sequence[KillSwitch]
) -> None:
    """One corridor, and its switch."""
    catalogue = services().catalogue
    text = routes.describe_subject(catalogue, f"route:{view.corridor_id(result)}")
    with st.container(border=True):
        st.header(text)
        widget.details(view.build_details(catalogue, result, filters.window, off), "corridor", text)
        kill_switches.switch_button(f"route:{view.corridor_id(result)}", text, off)
        ends = (result.route.source, result.route.destination)
        compare = pair_href(*(chain_name(catalogue, chain) for chain in ends))
        buttons = (
            LinkButton("Compare the pair's bridges", compare, "stacked_bar_chart"),
            LinkButton("Close", page_href("routes"), "close"),
        )
        widget.link_buttons(buttons, "corridor_close", "content")


def table(corridors: Sequence[CorridorSummary]) -> None:
    """All corridors that match the filters."""
    catalogue = services().catalogue
    limit = view.MAX_ROWS
    if len(corridors) > limit and st.toggle(f"All {len(corridors):,} rows", key="routes_all"):
        limit = len(corridors)
    rows = view.build_rows(catalogue, corridors, limit)
    widget.table(rows, view.TABLE_COLUMNS, "pairs", "Corridors")


@live_fragment.fragment(refresh_seconds=5.0)
def bridges(filters: RouteFilters) -> None:
    """The recent response times and errors of each bridge."""
    with notices.show_errors():
        states = corridor_quotes.list_bridge_statuses(services(), operator(), filters.window)
        rows = bridge_view.build_rows(states, list_corridors(filters))
        widget.table(rows, bridge_view.COLUMNS, "bridge_health", "Bridges")
    if st.button("Check all bridges", icon=":material/network_ping:", key="probe"):
        run_action(_probe)


def _probe() -> str:
    filters = corridor_quotes.probe_bridges(services(), operator())
    return f"{filters} bridges were asked for a quote of 100 USD."
