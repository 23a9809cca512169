"""Which bridge goes where: the matrix of chains, the picture, and every route with its switch."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from crossway.dashboard.views.cells import Cell, Chip, Column, Row
from crossway.dashboard.views.figures import chain_name
from crossway.domain.catalogue import Catalogue
from crossway.domain.quotes import BridgeName, Route
from crossway.ports.services import Services
from crossway.usecases import router
from crossway.usecases.switches import switched_off

BRIDGES = tuple(BridgeName)
COLUMNS = (Column("From"), Column("To"), Column("Bridges"), Column("State"))
ON = Chip("On", "green", "check_circle")
OFF = Chip("Off", "gray", "block")


@dataclass(frozen=True, slots=True)
class Matrix:
    """How many bridges serve each pair: `cells` are (column, row, count), names in order."""

    names: tuple[str, ...]
    cells: tuple[tuple[int, int, int], ...]


def every(services: Services, testnets: bool) -> list[Route]:
    """All routes between configured chains, mainnets or test networks."""
    found = router.routes(services).bridges.values()
    chains = services.catalogue.chains
    return [r for of in found for r in of if chains[r.source].testnet == testnets]


def chosen(
    routes: Sequence[Route],
    source: str | None,
    destination: str | None,
    bridges: Sequence[str] = (),
) -> list[Route]:
    """The routes that the filters leave."""
    return [
        r
        for r in routes
        if (not source or r.source == source)
        and (not destination or r.destination == destination)
        and (not bridges or r.bridge in bridges)
    ]


def matrix(catalogue: Catalogue, routes: Sequence[Route]) -> Matrix:
    """Source chains down, destination chains across, the number of open bridges in each."""
    ids = sorted({c for r in routes for c in (r.source, r.destination)}, key=_named(catalogue))
    place = {chain: index for index, chain in enumerate(ids)}
    counts = Counter((place[r.destination], place[r.source]) for r in routes if r.enabled)
    return Matrix(
        tuple(chain_name(catalogue, chain) for chain in ids),
        tuple((column, row, count) for (column, row), count in sorted(counts.items())),
    )


def links(catalogue: Catalogue, routes: Sequence[Route]) -> list[tuple[str, str, int]]:
    """Each pair of chains once, whichever way, with its number of open routes, for the picture."""
    counts = Counter(
        tuple(sorted((chain_name(catalogue, r.source), chain_name(catalogue, r.destination))))
        for r in routes
        if r.enabled and r.source != r.destination
    )
    return [(pair[0], pair[1], count) for pair, count in sorted(counts.items())]


def rows(catalogue: Catalogue, routes: Sequence[Route], off: dict[str, str]) -> tuple[Row, ...]:
    """One line for each pair of chains, its bridges as chips."""
    pairs: dict[tuple[str, str], list[Route]] = {}
    for route in routes:
        pairs.setdefault((route.source, route.destination), []).append(route)
    order = sorted(pairs, key=lambda p: (_named(catalogue)(p[0]), _named(catalogue)(p[1])))
    return tuple(_pair(catalogue, pair, pairs[pair], off) for pair in order)


def _pair(
    catalogue: Catalogue, pair: tuple[str, str], routes: Sequence[Route], off: dict[str, str]
) -> Row:
    reasons = [why for route in routes if (why := why_off(route, off))]
    closed = [route for route in routes if not route.enabled]
    state = OFF if len(closed) == len(routes) else ON
    words = f"{', '.join(r.bridge for r in closed)} off" if closed and state is ON else ""
    return Row(
        key=f"{pair[0]}>{pair[1]}",
        cells=(
            Cell(chain_name(catalogue, pair[0])),
            Cell(chain_name(catalogue, pair[1])),
            Cell(chips=tuple(Chip(r.bridge, "blue" if r.enabled else "gray") for r in routes)),
            Cell(chips=(state,), sub="; ".join(dict.fromkeys(filter(None, [words, *reasons])))),
        ),
    )


def why_off(route: Route, off: dict[str, str]) -> str:
    """The operator's reason for which this route is closed, empty when it is open."""
    subjects = (
        f"chain:{route.source}",
        f"chain:{route.destination}",
        f"bridge:{route.bridge}",
        f"route:{route.bridge}:{route.source}:{route.destination}",
    )
    return next((off[subject] for subject in subjects if subject in off), "")


def closed(services: Services) -> dict[str, str]:
    """What is switched off, with the reasons."""
    return dict(switched_off(services))


def subject_words(catalogue: Catalogue, subject: str) -> str:
    """A switch's subject in words: `ACROSS from Base to Arbitrum One`."""
    kind, *rest = subject.split(":")
    if kind == "route" and len(rest) == 3:
        return (
            f"{rest[0]} from {chain_name(catalogue, rest[1])} to {chain_name(catalogue, rest[2])}"
        )
    return chain_name(catalogue, rest[0]) if kind == "chain" else f"Bridge {rest[0]}"


def _named(catalogue: Catalogue) -> Callable[[str], str]:
    return lambda chain: chain_name(catalogue, chain).lower()
