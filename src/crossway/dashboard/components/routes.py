"""Routes: filters, the pictures, one corridor with its switch, the table, how bridges answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import streamlit as st

from crossway.dashboard import charts, live, route_charts
from crossway.dashboard.components import living, notices, switches, widget
from crossway.dashboard.components.actions import perform
from crossway.dashboard.components.charting import shade
from crossway.dashboard.components.filters import chain_select
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import bridges as bridge_view
from crossway.dashboard.views import corridors as view
from crossway.dashboard.views import routes
from crossway.dashboard.views.cells import Way
from crossway.dashboard.views.corridors import Measure
from crossway.dashboard.views.links import link
from crossway.domain.catalogue import Catalogue
from crossway.domain.money import MICRO_USD_DECIMALS, parse_decimal
from crossway.domain.quotes import bridge_title
from crossway.ports.records import SwitchedOff
from crossway.usecases.pricing import corridors
from crossway.usecases.pricing.corridors import Corridor, Window

FRESH_SECONDS = 15.0
_NETWORKS = ("Mainnets", "Test networks")
VOLUME, COST = "Volume", "Cost"


@dataclass(frozen=True, slots=True)
class Asked:
    """What the filters ask for."""

    testnets: bool
    symbol: str | None
    amount_micro_usd: int
    window: Window
    source: str | None
    destination: str | None
    bridges: tuple[str, ...]
    picture: str


def filters() -> Asked:
    """Which chains, which token, how much, over how long."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        network = _segments("Network", _NETWORKS, "network")
        picture = _segments("Weighted by", (VOLUME, COST), "weight")
        window = _segments("Flows of the last", tuple(Window), "window")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        amount = st.text_input("Amount in USD", "1000", key="amount", bind="query-params")
        symbol = st.selectbox(
            "Token", services().catalogue.symbols, index=None, key="route_token",
            placeholder="Any", bind="query-params",
        )  # fmt: skip
        source = chain_select("From chain", "route_from")
        destination = chain_select("To chain", "route_to")
        bridges = st.pills(
            "Bridges",
            routes.BRIDGES,
            format_func=bridge_title,
            selection_mode="multi",
            key="bridges",
            bind="query-params",
        )
    units = parse_decimal("amount", amount.strip().replace(",", ""), MICRO_USD_DECIMALS)
    return Asked(
        network == _NETWORKS[1], symbol, units, Window(window), source, destination,
        tuple(bridges), picture,
    )  # fmt: skip


def _segments(label: str, known: Sequence[str], key: str) -> str:
    return st.segmented_control(
        label, known, key=key, default=known[0], required=True, bind="query-params"
    )


def every(asked: Asked) -> list[Corridor]:
    """All corridors of a network, worked out once for all who ask the same."""
    who = operator()
    name = f"corridors:{asked.testnets}:{asked.symbol}:{asked.amount_micro_usd}:{asked.window}"
    return live.shared(
        name,
        lambda: corridors.corridors(
            services(), who, asked.window, asked.amount_micro_usd, asked.testnets, asked.symbol
        ),
        fresh_seconds=FRESH_SECONDS,
    )


def pictures(asked: Asked, shown: Sequence[Corridor]) -> None:
    """The flows or the costs at the left, the matrix of the best at the right."""
    catalogue = services().catalogue
    left, right = st.columns(2, gap="large")
    with left:
        if asked.picture == VOLUME:
            _flows(catalogue, asked, shown)
        else:
            _costs(catalogue, shown)
    with right:
        st.header("Every pair at best")
        measure = cast(Measure, _segments("Shown", ("Cost", "Time"), "measure"))
        unit = "USD" if measure == "Cost" else "seconds"
        found = view.heat(catalogue, shown, measure)
        amount = f"{asked.amount_micro_usd / 1_000_000:,.2f} USD"
        st.caption(f"{unit} for {amount}, from the chain at the left to the chain below.")
        picked = _drawn(
            route_charts.heat(found, shade(), unit), 110 + 32 * len(found.names), "matrix",
            f"What moving {amount} costs or takes at best between {len(found.names)} chains",
        )  # fmt: skip
        for index in picked.get("indices", ()):
            if index < len(found.pairs):
                _filter(*found.pairs[index])


def _flows(catalogue: Catalogue, asked: Asked, shown: Sequence[Corridor]) -> None:
    st.header("Where money flows")
    streams = view.streams(catalogue, shown)
    if not streams:
        st.caption(
            f"Nothing flowed in the last {asked.window}. A ribbon joins two chains that some "
            "bridge serves."
        )
        known = routes.links(catalogue, [c.route for c in shown])
        words = f"{len(known)} pairs of chains are joined"
        st.echarts_chart(charts.chord(known, shade()), height=520, key="chord", alt=words)
        return
    st.caption("From chain by bridge to chain, as wide as its volume. A click filters the table.")
    option = route_charts.sankey(streams, shade())
    words = "; ".join(
        f"{s.source} by {s.bridge} to {s.destination}: {s.usd:,.0f} USD" for s in streams[:12]
    )
    picked = _drawn(option, 540, "sankey", words)
    series = option["series"][0]
    for index in picked.get("indices", ()):
        if picked.get("type") == "edge" and index < len(series["links"]):
            one = series["links"][index]
            _filter_nodes(catalogue, [one["source"], one["target"]])
        elif index < len(series["data"]):
            _filter_nodes(catalogue, [series["data"][index]["name"]])


def _costs(catalogue: Catalogue, shown: Sequence[Corridor]) -> None:
    st.header("Who is cheapest")
    ties = view.ties(catalogue, shown)
    st.caption("The cheapest bridge of two chains, wider where it is cheaper. A click filters.")
    option = route_charts.ring(ties, shade())
    words = "; ".join(f"{t.a} and {t.b}: {t.bridge}, {t.usd:,.2f} USD" for t in ties[:12])
    picked = _drawn(option, 560, "ring", words or "No bridge answers")
    series = option["series"][0]
    for index in picked.get("indices", ()):
        if picked.get("type") == "edge" and index < len(ties):
            _filter_nodes(catalogue, [ties[index].a, ties[index].b + "\u200b"])
        elif index < len(series["data"]):
            _filter_nodes(catalogue, [series["data"][index]["name"]])


def _drawn(option: charts.Option, height: int, key: str, alt: str) -> Mapping[str, Any]:
    """A chart that can be clicked: what was clicked just now, once."""
    state = st.echarts_chart(option, height=height, key=key, alt=alt, on_select="rerun")
    selected = state["selection"]["selected"] if state else []
    seen = f"{key}_seen"
    if not selected:
        # What is let go of may be clicked again.
        st.session_state.pop(seen, None)
        return {}
    if st.session_state.get(seen) == selected:
        return {}
    st.session_state[seen] = selected
    first = selected[0]
    return {"indices": first.get("data_indices", ()), "type": first.get("data_type", "")}


def _filter_nodes(catalogue: Catalogue, names: Sequence[str]) -> None:
    """Filter by what was clicked: chains by the side they were clicked at, or bridges."""
    chains = {chain.name: chain.id for chain in catalogue.chains.values()}
    bridges = {bridge_title(bridge): bridge for bridge in routes.BRIDGES}
    chosen: dict[str, Any] = {}
    for name in names:
        plain = route_charts.plain_name(name)
        if plain in bridges:
            chosen["bridges"] = [bridges[plain]]
        elif plain in chains:
            chosen["route_to" if route_charts.arrives(name) else "route_from"] = chains[plain]
    _choose(chosen)


def _filter(source: str, destination: str) -> None:
    _choose({"route_from": source, "route_to": destination})


def _choose(chosen: Mapping[str, Any]) -> None:
    """Put a choice into the filters, which the next run draws."""
    st.session_state["routes_chosen"] = dict(chosen)
    st.rerun()


def apply_choice() -> None:
    """Set the filters as a picture was clicked; before they are drawn."""
    for key, value in st.session_state.pop("routes_chosen", {}).items():
        st.session_state[key] = value


def one(asked: Asked, found: Corridor, off: Sequence[SwitchedOff]) -> None:
    """One corridor, and its switch."""
    catalogue = services().catalogue
    words = routes.subject_words(catalogue, f"route:{view.subject_of(found)}")
    with st.container(border=True):
        st.header(words)
        widget.facts(view.facts(catalogue, found, asked.window, off), "corridor", words)
        switches.one(f"route:{view.subject_of(found)}", words, off)
        widget.ways((Way("Close", link("routes"), "close"),), "corridor_close", "content")


def table(shown: Sequence[Corridor]) -> None:
    """Every corridor that the filters leave."""
    catalogue = services().catalogue
    limit = view.MOST_ROWS
    if len(shown) > limit and st.toggle(f"All {len(shown):,} lines", key="routes_all"):
        limit = len(shown)
    rows = view.rows(catalogue, shown, limit)
    widget.table(rows, view.TABLE_COLUMNS, "pairs", "Corridors")


@living.part(every=5.0)
def bridges(asked: Asked) -> None:
    """How each bridge answered lately."""
    with notices.in_words():
        states = corridors.bridges(services(), operator())
        rows = bridge_view.rows(states, every(asked))
        widget.table(rows, bridge_view.COLUMNS, "bridge_health", "Bridges")
    if st.button("Ask all bridges now", icon=":material/network_ping:", key="probe"):
        perform(_probe)


def _probe() -> str:
    asked = corridors.probe(services(), operator())
    return f"{asked} bridges were asked for a price of 100 USD."
