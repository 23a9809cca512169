"""Routes on screen: the chart of connected chains and the disabled routes."""

from collections import Counter
from collections.abc import Sequence

from crossway.dashboard.views.cells import Badge, Cell, Row
from crossway.dashboard.views.formatting import chain_name, to_millis
from crossway.domain.catalogue import Catalogue
from crossway.domain.quotes import BridgeName, Route, bridge_title
from crossway.ports.records import KillSwitch
from crossway.ports.services import Services

OFF = Badge("Disabled", "gray", "block")


def list_bridges(services: Services) -> tuple[BridgeName, ...]:
    """The bridges that are offered here, in their usual order."""
    offered = {bridge.name for bridge in services.bridges}
    return tuple(name for name in BridgeName if name in offered)


def count_links(catalogue: Catalogue, routes: Sequence[Route]) -> list[tuple[str, str, int]]:
    """Each undirected pair of chains with its number of enabled routes, for the chart."""
    counts = Counter(
        tuple(sorted((chain_name(catalogue, r.source), chain_name(catalogue, r.destination))))
        for r in routes
        if r.enabled and r.source != r.destination
    )
    return [(pair[0], pair[1], count) for pair, count in sorted(counts.items())]


def build_disabled_rows(catalogue: Catalogue, off: Sequence[KillSwitch]) -> tuple[Row, ...]:
    """Rows of the disabled subjects with reason, operator and time."""
    return tuple(
        Row(
            switch.subject,
            (
                Cell(describe_subject(catalogue, switch.subject), badges=(OFF,)),
                Cell(switch.reason),
                Cell(switch.by),
                Cell(at=to_millis(switch.at)),
            ),
        )
        for switch in off
    )


def describe_subject(catalogue: Catalogue, subject: str) -> str:
    """The display name of a kill switch's subject: `Across from Base to Arbitrum One`."""
    kind, *parts = subject.split(":")
    if kind == "route" and len(parts) == 3:
        source, destination = (chain_name(catalogue, chain) for chain in parts[1:])
        return f"{bridge_title(parts[0])} from {source} to {destination}"
    if kind == "chain":
        return chain_name(catalogue, parts[0])
    title = bridge_title(parts[0])
    return title if parts[0] == BridgeName.INVENTORY else f"Bridge {title}"


def describe_coverage(routes: Sequence[Route], symbol: str | None) -> str:
    """How many routes are enabled, and which pairs of chains have nothing but the inventory."""
    enabled = sum(route.enabled for route in routes)
    bridges_of: dict[tuple[str, str], set[BridgeName]] = {}
    for route in routes:
        bridges_of.setdefault((route.source, route.destination), set()).add(route.bridge)
    text = f"{enabled:,} of {len(routes):,} routes are enabled, between {len(bridges_of):,} pairs."
    only = sum(bridges == {BridgeName.INVENTORY} for bridges in bridges_of.values())
    if only:
        served = f"carries {symbol} on" if symbol else "serves"
        text += f" No bridge {served} {only:,} of them: payments there come out of inventory."
    return text


def describe_no_match(
    catalogue: Catalogue, symbol: str | None, source: str | None, destination: str | None
) -> tuple[str, str]:
    """The title and the next step where no route matches the filters."""
    if symbol is None:
        return "No matching routes", "Remove a filter."
    ends = [
        f" {word} {chain_name(catalogue, chain)}"
        for word, chain in (("from", source), ("to", destination))
        if chain
    ]
    title = f"No bridge carries {symbol}{''.join(ends) or ' here'}"
    return title, "Remove a filter, or let payments out of inventory serve it."
