"""The connections on the network map: which are drawn, and the cost, time and state of each."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final

from crossway.dashboard.views.estimates import explain_estimate
from crossway.dashboard.views.formatting import (
    chain_name,
    format_duration_or_dash,
    format_share,
    format_usd,
)
from crossway.dashboard.views.links import pair_href
from crossway.dashboard.views.map_flights import link_key
from crossway.domain.catalogue import Catalogue
from crossway.domain.corridor_stats import CorridorTotals
from crossway.domain.quotes import bridge_title
from crossway.usecases.operating.network_map import Corridor
from crossway.usecases.pricing.corridor_quotes import CorridorSummary

AMOUNT_MICRO_USD: Final = 1_000_000_000
"""The amount that the costs on the map are for."""
MAX_LINKS: Final = 60
OK, OFF, SILENT, SLOW = "ok", "off", "silent", "slow"


@dataclass(frozen=True, slots=True)
class MarkedLinks:
    """What else than volume brings a connection onto the map or marks it: payments that are under
    way over it (`flown`), subjects of kill switches, and bridges that do not answer (`down`)."""

    flown: Collection[str]
    disabled: Collection[str]
    down: Collection[str]


def corridor_of(c: CorridorSummary) -> Corridor:
    """The corridor of a summary."""
    return c.route.bridge, c.route.source, c.route.destination


def build_links(
    catalogue: Catalogue,
    corridors: Sequence[CorridorSummary],
    totals: Mapping[Corridor, CorridorTotals],
    marked: MarkedLinks,
) -> list[dict[str, Any]]:
    """The JSON of the connections that carried something in the window, those with payments under
    way, those that were disabled one by one, and the cheapest of each chain, so that none stands
    alone."""
    ways: dict[str, list[CorridorSummary]] = defaultdict(list)
    for c in corridors:
        ways[link_key(*corridor_of(c))].append(c)
    volumes: dict[str, int] = defaultdict(int)
    for corridor, of in totals.items():
        volumes[link_key(*corridor)] += of.micro_usd
    flown = set(marked.flown)
    wanted = flown | (set(volumes) | _disabled(marked)) & set(ways) | _cheapest(corridors)
    ordered = sorted(wanted, key=lambda key: (key not in flown, -volumes[key], key))[:MAX_LINKS]
    most = max((volumes[key] for key in ordered), default=0)
    return [
        _link(catalogue, key, ways.get(key, ()), totals, marked.down)
        | {"width": round(sqrt(volumes[key] / most), 2) if most else 0}
        for key in sorted(ordered)
    ]


def _disabled(marked: MarkedLinks) -> set[str]:
    parts = (subject.split(":") for subject in marked.disabled)
    return {link_key(*part[1:]) for part in parts if part[0] == "route" and len(part) == 4}


def _cheapest(corridors: Sequence[CorridorSummary]) -> set[str]:
    """The cheapest connection of each chain by the quotes of now."""
    best: dict[str, CorridorSummary] = {}
    for c in corridors:
        if c.fee_micro_usd is None or not c.route.enabled:
            continue
        for chain in (c.route.source, c.route.destination):
            known = best.get(chain)
            if known is None or _cost(c) < _cost(known):
                best[chain] = c
    return {link_key(*corridor_of(c)) for c in best.values()}


def _cost(c: CorridorSummary) -> tuple[int, Corridor]:
    return c.fee_micro_usd or 0, corridor_of(c)


def _link(
    catalogue: Catalogue,
    key: str,
    ways: Sequence[CorridorSummary],
    totals: Mapping[Corridor, CorridorTotals],
    down: Collection[str],
) -> dict[str, Any]:
    a, b, bridge = key.split("|")
    names = [chain_name(catalogue, chain) for chain in (a, b)]
    return {
        "key": key,
        "a": a,
        "b": b,
        "bridge": bridge,
        "name": bridge_title(bridge) if bridge else "Within the chain",
        "title": " – ".join(dict.fromkeys(names)),
        **_state(ways, bridge, down),
        "href": pair_href(*names),
        "ways": [_way(catalogue, c, totals) for c in sorted(ways, key=corridor_of)],
    }


def _state(ways: Sequence[CorridorSummary], bridge: str, down: Collection[str]) -> dict[str, str]:
    """The state of a connection, and a sentence where something is wrong with it."""
    enabled = [c for c in ways if c.route.enabled]
    if ways and not enabled:
        return {"state": OFF, "reason": "Disabled: not quoted, and nothing is sent over it."}
    estimated = [c for c in enabled if c.estimate_reason]
    if estimated:
        return {"state": SILENT, "reason": explain_estimate(estimated[0].estimate_reason)}
    if bridge in down:
        return {"state": SILENT, "reason": "The bridge's service does not answer."}
    one_way = len(enabled) < len(ways)
    return {"state": OK, "reason": "One direction is disabled." if one_way else ""}


def _way(
    catalogue: Catalogue, c: CorridorSummary, totals: Mapping[Corridor, CorridorTotals]
) -> dict[str, str]:
    """One direction of a connection in words; a dash for what is unknown."""
    of = totals.get(corridor_of(c), CorridorTotals())
    ended = of.paid + of.failed
    cost = "–" if c.fee_micro_usd is None else format_usd(c.fee_micro_usd)
    return {
        "from": chain_name(catalogue, c.route.source),
        "to": chain_name(catalogue, c.route.destination),
        "cost": f"≈ {cost}" if c.estimate_reason else cost,
        "quoted": format_duration_or_dash(c.seconds),
        "median": format_duration_or_dash(of.median_seconds),
        "p95": format_duration_or_dash(of.p95_seconds),
        "success": format_share(of.paid, ended) if ended else "–",
        "volume": format_usd(of.micro_usd, 0) if of.micro_usd else "–",
        "payments": f"{ended:,}" if ended else "–",
        "state": "Enabled" if c.route.enabled else "Disabled",
    }
