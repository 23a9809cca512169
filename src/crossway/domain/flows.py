"""How money flowed between chains: what ended in which way, counted and timed."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from math import log2

_STEPS_PER_DOUBLING = 10
_LEAST_SECONDS = 0.1


class Ended(StrEnum):
    """How a payment that had been paid for ended: the recipient got the money, or cannot get it."""

    PAID = "paid"
    FAILED = "failed"


class Span(StrEnum):
    """The stretches of time in which flows are counted."""

    HOUR = "hour"
    DAY = "day"


SECONDS: dict[Span, int] = {Span.HOUR: 3_600, Span.DAY: 86_400}


@dataclass(frozen=True, slots=True)
class Flow:
    """Payments of one corridor that ended alike, `n` of them in `bucket`'s time; money in
    micro-USD, `fee_micro_usd` being what bridge and service were quoted to cost."""

    source: str
    destination: str
    bridge: str
    symbol: str
    ended: Ended
    bucket: int
    n: int
    micro_usd: int
    fee_micro_usd: int


@dataclass(frozen=True, slots=True)
class HourOfFlows:
    """Payments of all corridors that ended alike in one hour, counted in hours from 1970."""

    hour: int
    ended: Ended
    bucket: int
    n: int
    micro_usd: int


def bucket_of(seconds: float) -> int:
    """Times that differ by less than a fourteenth share a bucket."""
    return round(_STEPS_PER_DOUBLING * log2(max(seconds, _LEAST_SECONDS)))


def seconds_of(bucket: int) -> float:
    """The time in the middle of a bucket."""
    return float(2 ** (bucket / _STEPS_PER_DOUBLING))


def share_of_time(counts: Iterable[tuple[int, int]], share: float) -> float | None:
    """The time within which this share of all ended, of (bucket, n); None where none did."""
    ordered = sorted(counts)
    whole = sum(n for _, n in ordered)
    if whole <= 0:
        return None
    reached = 0
    for bucket, n in ordered:
        reached += n
        if reached >= share * whole:
            return seconds_of(bucket)
    return seconds_of(ordered[-1][0])
