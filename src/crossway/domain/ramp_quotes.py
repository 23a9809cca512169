"""Comparing ramp quotes: what one costs in all, which is cheapest, and which is recommended."""

from collections.abc import Collection, Iterable, Sequence
from typing import Final, Protocol, TypeVar

from crossway.domain.ramps import Direction, ProviderName

NEAR_PERCENT: Final = 1
FAR_FACTOR: Final = 2


class Ranked(Protocol):
    """What is compared: amounts in minor units of one currency, `seconds` the usual time."""

    @property
    def provider(self) -> ProviderName: ...
    @property
    def fiat_minor(self) -> int: ...
    @property
    def total_fees_minor(self) -> int: ...
    @property
    def seconds(self) -> int: ...


Q = TypeVar("Q", bound=Ranked)


def total_fees(direction: Direction, fiat_minor: int, reference_minor: int) -> int:
    """What a quote costs against the reference rate: what is paid beyond the worth of what is got.

    `reference_minor` is the worth of the crypto that the user gets (on-ramp) or deposits, fees
    included (off-ramp). Below zero when the provider's rate is the better one.
    """
    return (
        fiat_minor - reference_minor if direction is Direction.ON else reference_minor - fiat_minor
    )


def ranked(quotes: Iterable[Q]) -> tuple[Q, ...]:
    """Cheapest first; at equal cost the faster one, then by name."""
    return tuple(sorted(quotes, key=lambda q: (q.total_fees_minor, q.seconds, q.provider)))


def near_cheapest(quotes: Sequence[Q]) -> tuple[Q, ...]:
    """Of ranked quotes, those that cost at most 1 % of the cheapest one's amount more than it."""
    if not quotes:
        return ()
    best = quotes[0]
    return tuple(
        quote
        for quote in quotes
        if (quote.total_fees_minor - best.total_fees_minor) * 100 <= best.fiat_minor * NEAR_PERCENT
    )


def recommended(quotes: Sequence[Q], passed: Collection[ProviderName]) -> Q | None:
    """The cheapest of ranked quotes, unless the user has `passed` identity checks with a provider
    that costs hardly more: then the cheapest of those."""
    for quote in near_cheapest(quotes):
        if quote.provider in passed:
            return quote
    return quotes[0] if quotes else None


def is_far(fiat_minor: int, reference_minor: int) -> bool:
    """Whether a price is so far from the reference, either way, that something must be wrong."""
    return fiat_minor > reference_minor * FAR_FACTOR or fiat_minor * FAR_FACTOR < reference_minor
