"""Ranks ramp quotes by total cost and recommends one."""

from collections.abc import Collection, Iterable, Sequence
from typing import Final, Protocol, TypeVar

from crossway.domain.ramps import Direction, ProviderName

NEAR_PERCENT: Final = 1
OUTLIER_FACTOR: Final = 2


class RankableQuote(Protocol):
    """A quote to compare: amounts in minor units of one currency, `seconds` the usual time."""

    @property
    def provider(self) -> ProviderName: ...
    @property
    def fiat_minor(self) -> int: ...
    @property
    def total_fees_minor(self) -> int: ...
    @property
    def seconds(self) -> int: ...


Q = TypeVar("Q", bound=RankableQuote)


def total_fees(direction: Direction, fiat_minor: int, reference_minor: int) -> int:
    """The total fees of a quote against the reference rate, in minor units.

    `reference_minor` is the value of the crypto that the user gets (on-ramp) or deposits including
    fees (off-ramp). Negative when the provider's rate beats the reference.
    """
    return (
        fiat_minor - reference_minor if direction is Direction.ON else reference_minor - fiat_minor
    )


def rank_quotes(quotes: Iterable[Q]) -> tuple[Q, ...]:
    """Rank quotes: cheapest first, then faster, then by name."""
    return tuple(sorted(quotes, key=lambda q: (q.total_fees_minor, q.seconds, q.provider)))


def near_cheapest(quotes: Sequence[Q]) -> tuple[Q, ...]:
    """The ranked quotes that cost at most 1 % of the cheapest amount more than the cheapest."""
    if not quotes:
        return ()
    best = quotes[0]
    return tuple(
        quote
        for quote in quotes
        if (quote.total_fees_minor - best.total_fees_minor) * 100 <= best.fiat_minor * NEAR_PERCENT
    )


def recommend(quotes: Sequence[Q], passed: Collection[ProviderName]) -> Q | None:
    """The cheapest ranked quote, or a near-cheapest one of a provider where the user has `passed`
    KYC already."""
    for quote in near_cheapest(quotes):
        if quote.provider in passed:
            return quote
    return quotes[0] if quotes else None


def is_price_outlier(fiat_minor: int, reference_minor: int) -> bool:
    """Whether a price is so far from the reference, either way, that it must be wrong."""
    return (
        fiat_minor > reference_minor * OUTLIER_FACTOR
        or fiat_minor * OUTLIER_FACTOR < reference_minor
    )
