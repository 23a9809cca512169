"""Which bridge goes where: the picture of who is joined, and what is switched off."""

from collections import Counter
from collections.abc import Sequence

from crossway.dashboard.views.cells import Cell, Chip, Row
from crossway.dashboard.views.figures import chain_name, millis
from crossway.domain.catalogue import Catalogue
from crossway.domain.quotes import BridgeName, Route, bridge_title
from crossway.ports.records import SwitchedOff

BRIDGES = tuple(BridgeName)
OFF = Chip("Off", "gray", "block")


def links(catalogue: Catalogue, routes: Sequence[Route]) -> list[tuple[str, str, int]]:
    """Each pair of chains once, whichever way, with its number of open routes, for the picture."""
    counts = Counter(
        tuple(sorted((chain_name(catalogue, r.source), chain_name(catalogue, r.destination))))
        for r in routes
        if r.enabled and r.source != r.destination
    )
    return [(pair[0], pair[1], count) for pair, count in sorted(counts.items())]


def off_rows(catalogue: Catalogue, off: Sequence[SwitchedOff]) -> tuple[Row, ...]:
    """What is switched off, each with its reason, who did it and when."""
    return tuple(
        Row(
            one.subject,
            (
                Cell(subject_words(catalogue, one.subject), chips=(OFF,)),
                Cell(one.reason),
                Cell(one.by),
                Cell(at=millis(one.at)),
            ),
        )
        for one in off
    )


def subject_words(catalogue: Catalogue, subject: str) -> str:
    """A switch's subject in words: `Across from Base to Arbitrum One`."""
    kind, *rest = subject.split(":")
    if kind == "route" and len(rest) == 3:
        source, to = (chain_name(catalogue, chain) for chain in rest[1:])
        return f"{bridge_title(rest[0])} from {source} to {to}"
    return chain_name(catalogue, rest[0]) if kind == "chain" else f"Bridge {bridge_title(rest[0])}"
