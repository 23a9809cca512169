"""The network map: chains, the connections of bridges between them, and what is wrong with each."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from crossway.dashboard.views.bridges import state_badge
from crossway.dashboard.views.chains import PROBLEMS, is_gas_low
from crossway.dashboard.views.colors import bridge_stroke
from crossway.dashboard.views.formatting import (
    format_duration,
    format_usd,
)
from crossway.dashboard.views.links import page_href
from crossway.dashboard.views.map_flights import build_flights
from crossway.dashboard.views.map_links import (
    AMOUNT_MICRO_USD,
    OFF,
    OK,
    SILENT,
    SLOW,
    MarkedLinks,
    build_links,
    corridor_of,
)
from crossway.domain.catalogue import Catalogue, Chain
from crossway.domain.corridor_stats import CorridorTotals
from crossway.domain.quotes import bridge_title
from crossway.usecases.operating.network_map import Corridor, NetworkFigures
from crossway.usecases.operating.overview import ChainProblem, ChainStatus
from crossway.usecases.pricing.corridor_quotes import BridgeStatus, CorridorSummary


@dataclass(frozen=True, slots=True)
class MapSources:
    """What the map is drawn from: the chains in their order, their states, the corridors between
    them with their quotes now, the bridges, the figures of the window, and the subjects of
    active kill switches."""

    chains: Sequence[Chain]
    statuses: Sequence[ChainStatus]
    corridors: Sequence[CorridorSummary]
    bridges: Sequence[BridgeStatus]
    figures: NetworkFigures
    window: str
    disabled: Collection[str] = ()


def build_map(catalogue: Catalogue, sources: MapSources) -> dict[str, Any]:
    """The JSON of the map."""
    shown = {chain.id for chain in sources.chains}
    bridges = _build_bridges(sources)
    flights = [
        flight
        for flight in build_flights(catalogue, sources.figures.flights, _usual_seconds(sources))
        if set(flight["link"].split("|")[:2]) <= shown
    ]
    down = {bridge["id"] for bridge in bridges if bridge["state"] == SILENT}
    links = build_links(
        catalogue,
        sources.corridors,
        sources.figures.totals,
        MarkedLinks({flight["link"] for flight in flights}, sources.disabled, down),
    )
    keys = {link["key"] for link in links}
    return {
        "label": "Network map",
        "window": sources.window,
        "amount": format_usd(AMOUNT_MICRO_USD, 0),
        "summary": _summarise(sources, flights),
        "chains": _build_chains(sources),
        "bridges": bridges,
        "links": links,
        "flights": [flight for flight in flights if flight["link"] in keys],
    }


def _usual_seconds(sources: MapSources) -> dict[Corridor, float]:
    """How long a payout over each corridor is expected to take: as quoted now, else as measured."""
    usual = {
        corridor: totals.median_seconds
        for corridor, totals in sources.figures.totals.items()
        if totals.median_seconds is not None
    }
    quoted = {corridor_of(c): float(c.seconds) for c in sources.corridors if c.seconds is not None}
    return usual | quoted


def _summarise(sources: MapSources, drawn: Sequence[Mapping[str, Any]]) -> str:
    chains = {chain.id for chain in sources.chains}
    totals = [of for (_, *ends), of in sources.figures.totals.items() if set(ends) <= chains]
    paid, micro_usd = sum(of.paid for of in totals), sum(of.micro_usd for of in totals)
    carried = "No payments were paid out"
    if paid:
        carried = f"{_count(paid)} paid out, {format_usd(micro_usd, 0)}"
    refunds = sum(1 for flight in drawn if flight["refund"])
    flights = len(drawn) - refunds
    hidden = sources.figures.open - flights
    newest = f" (the newest {flights} are drawn)" if hidden > 0 and flights else ""
    verb = "waits" if refunds == 1 else "wait"
    waiting = f" {_count(refunds)} not paid out {verb} for a refund." if refunds else ""
    under_way = f"{sources.figures.open:,} under way{newest}."
    return f"{carried} in the last {sources.window}. {under_way}{waiting}"


def _count(payments: int) -> str:
    return f"{payments:,} payment{'' if payments == 1 else 's'}"


def _build_chains(sources: MapSources) -> list[dict[str, Any]]:
    carried: dict[str, list[CorridorTotals]] = defaultdict(list)
    for (_, source, destination), totals in sources.figures.totals.items():
        for chain in {source, destination}:
            carried[chain].append(totals)
    volumes = {chain: sum(of.micro_usd for of in totals) for chain, totals in carried.items()}
    most = max((volumes.get(chain.id, 0) for chain in sources.chains), default=0)
    states = {status.chain: status for status in sources.statuses}
    return [
        {
            "id": chain.id,
            "name": chain.name,
            "size": round(sqrt(volumes.get(chain.id, 0) / most), 2) if most else 0,
            "volume": format_usd(volumes.get(chain.id, 0), 0),
            "payments": _count(sum(of.paid for of in carried.get(chain.id, ()))),
            **_chain_state(states.get(chain.id)),
            "href": page_href("chains", chain=chain.id),
        }
        for chain in sources.chains
    ]


def _chain_state(status: ChainStatus | None) -> dict[str, str]:
    """The state of a chain as the map draws it, a note for its label and a sentence."""
    if status is None:
        return {"state": OK, "note": "", "reason": ""}
    if status.height is None:
        return {"state": SILENT, "note": _name_problem(status), "reason": status.problem}
    if status.disabled_reason:
        return {"state": OFF, "note": "Disabled", "reason": status.disabled_reason}
    if status.problem:
        return {"state": SLOW, "note": _name_problem(status), "reason": status.problem}
    if is_gas_low(status):
        runway = f"The relayer's gas pays for {status.gas_runway:,} more transactions."
        return {"state": SLOW, "note": "Low gas", "reason": runway}
    return {"state": OK, "note": "", "reason": ""}


def _name_problem(status: ChainStatus) -> str:
    """The name that the Chains page has for a problem; of a lag, how long it is."""
    if status.cause is ChainProblem.LAGGING:
        return f"{format_duration(status.lag_seconds or 0)} behind"
    return PROBLEMS[status.cause].badge.text


def _build_bridges(sources: MapSources) -> list[dict[str, Any]]:
    """The legend: every bridge with its stroke, its volume and its state in words."""
    unquoted = {c.route.bridge for c in sources.corridors if c.estimate_reason and c.route.enabled}
    volumes: dict[str, int] = defaultdict(int)
    for (bridge, *_), totals in sources.figures.totals.items():
        volumes[bridge] += totals.micro_usd
    bridges = []
    for status in sources.bridges:
        badge, stroke = state_badge(status), bridge_stroke(status.name)
        is_silent = status.off is None and (status.name in unquoted or badge.color == "red")
        state = OFF if status.off else SILENT if is_silent else OK
        bridges.append(
            {
                "id": status.name,
                "name": bridge_title(status.name),
                "color": stroke.color,
                "dashes": stroke.dashes,
                "state": state,
                "note": "not answering" if is_silent else badge.text.lower(),
                "volume": format_usd(volumes[status.name], 0),
            }
        )
    return bridges
