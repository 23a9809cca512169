"""Payment options on the chart of fee against time."""

from collections.abc import Sequence
from dataclasses import dataclass

from crossway.dashboard.views.formatting import chain_name, format_duration, format_usd
from crossway.domain.catalogue import Catalogue
from crossway.domain.quotes import SourceOption


@dataclass(frozen=True, slots=True)
class ChartPoint:
    """One payment option; `mark` says whether it is `cheapest` or `fastest`, and `text` has its fee
    and time in words."""

    name: str
    seconds: int
    fee_usd: float
    mark: str
    text: str


def build_points(
    catalogue: Catalogue,
    options: Sequence[SourceOption],
    cheapest: SourceOption | None,
    fastest: SourceOption | None,
) -> tuple[ChartPoint, ...]:
    """The points of these options."""
    points = []
    for option in options:
        name, fee = chain_name(catalogue, option.source), format_usd(option.fee_micro_usd)
        mark = "cheapest" if option is cheapest else "fastest" if option is fastest else ""
        text = f"{name}, {fee} in {format_duration(option.fill_seconds)}"
        fee_usd = option.fee_micro_usd / 1_000_000
        points.append(ChartPoint(name, option.fill_seconds, fee_usd, mark, text))
    return tuple(points)
