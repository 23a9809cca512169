"""The matrix of chains: the best cost or time of each pair, over all bridges."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from crossway.dashboard.views.formatting import chain_name
from crossway.domain.catalogue import Catalogue
from crossway.usecases.pricing.corridor_quotes import CorridorSummary

Measure = Literal["Cost", "Time"]


@dataclass(frozen=True, slots=True)
class CorridorMatrix:
    """The best cost or time per pair of chains: `cells` are (column, row, value), `pairs` the
    (source, destination) of each cell in the same order, and `estimates` those pairs of which no
    bridge gives a quote."""

    names: tuple[str, ...]
    cells: tuple[tuple[int, int, float], ...]
    pairs: tuple[tuple[str, str], ...]
    estimates: frozenset[tuple[str, str]] = frozenset()


def build_matrix(
    catalogue: Catalogue, corridors: Sequence[CorridorSummary], measure: Measure
) -> CorridorMatrix:
    """The best quote of all enabled bridges per pair, in dollars or seconds; the best estimate
    where there is no quote."""
    ids = sorted(
        {end for c in corridors for end in (c.route.source, c.route.destination)},
        key=lambda chain: chain_name(catalogue, chain).lower(),
    )
    index_of = {chain: index for index, chain in enumerate(ids)}
    best: dict[tuple[str, str], tuple[bool, float]] = {}
    for c in corridors:
        if c.fee_micro_usd is None or c.seconds is None or not c.route.enabled:
            continue
        value = c.fee_micro_usd / 1_000_000 if measure == "Cost" else float(c.seconds)
        pair, figure = (c.route.source, c.route.destination), (bool(c.estimate_reason), value)
        best[pair] = min(figure, best.get(pair, figure))
    pairs = sorted(best)
    return CorridorMatrix(
        names=tuple(chain_name(catalogue, chain) for chain in ids),
        cells=tuple(
            (index_of[pair[1]], index_of[pair[0]], _round_for_cell(best[pair][1])) for pair in pairs
        ),
        pairs=tuple(pairs),
        estimates=frozenset(pair for pair in pairs if best[pair][0]),
    )


def _round_for_cell(value: float) -> float:
    """A value rounded to fit into a cell of the matrix."""
    return round(value, 2) if value < 10 else float(round(value))
