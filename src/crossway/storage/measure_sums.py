"""Adds up measures and network fees by key, as they are read from sums or single payments."""

from collections.abc import Iterable, Sequence
from operator import add
from typing import Final, Generic, TypeVar

from crossway.domain.analytics import COUNTED, Measures
from crossway.storage.analytics_tables import group_figures
from crossway.storage.figure_rows import UNITS

K = TypeVar("K")
TOTALS: Final = tuple(c.name for c in group_figures.columns if not c.primary_key)
"""The columns of sums: the fields of `COUNTED`, the first amounts in two columns each."""
NO_TOTALS: Final = (0,) * len(TOTALS)
_FIRST_AMOUNT: Final = COUNTED.index("requested_micro_usd")


def split_amounts(counts: Sequence[int]) -> list[int]:
    """The values of `TOTALS` for those of `COUNTED`. Nobody has to own what is requested, so that
    its sum may exceed 64 bits."""
    requested, volume, *fees = counts[_FIRST_AMOUNT:]
    amounts = (*divmod(requested, UNITS), *divmod(volume, UNITS))
    return [*counts[:_FIRST_AMOUNT], *amounts, *fees]


def _join_amounts(totals: Sequence[int]) -> list[int]:
    """The values of `COUNTED` for those of `TOTALS`."""
    requested, requested_rest, volume, volume_rest, *fees = totals[_FIRST_AMOUNT:]
    amounts = (requested * UNITS + requested_rest, volume * UNITS + volume_rest)
    return [*totals[:_FIRST_AMOUNT], *amounts, *fees]


class MeasureSums(Generic[K]):
    """Measures by key."""

    def __init__(self) -> None:
        self._totals: dict[K, list[int]] = {}
        self._network_fees: dict[K, dict[str, int]] = {}

    def add(
        self, key: K, more: Sequence[int], network_fees: Iterable[tuple[str, int, int]] = ()
    ) -> None:
        """Add a value for each of `TOTALS`, and network fees: chain, whole and rest."""
        totals = self._totals.setdefault(key, list(NO_TOTALS))
        # PostgreSQL sums integers as decimals.
        totals[:] = map(add, totals, map(int, more))
        fees = self._network_fees.setdefault(key, {})
        for chain, whole, rest in network_fees:
            fees[chain] = fees.get(chain, 0) + int(whole) * UNITS + int(rest)

    def measures(self) -> dict[K, Measures]:
        """The measures of each key that has payments."""
        measures = {
            key: Measures(
                **dict(zip(COUNTED, _join_amounts(totals), strict=True)),
                network_fees={c: n for c, n in self._network_fees[key].items() if n},
            )
            for key, totals in self._totals.items()
        }
        return {key: of for key, of in measures.items() if of.created}
