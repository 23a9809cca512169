"""Statistics per corridor: how many payments ended how, their value and duration."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from math import log2

_STEPS_PER_DOUBLING = 10
_MIN_SECONDS = 0.1


class Outcome(StrEnum):
    """How a payment that was funded has ended: its recipient was paid, or was not."""

    PAID = "paid"
    FAILED = "failed"


class Period(StrEnum):
    """The periods over which statistics are counted."""

    HOUR = "hour"
    DAY = "day"


SECONDS: dict[Period, int] = {Period.HOUR: 3_600, Period.DAY: 86_400}


@dataclass(frozen=True, slots=True)
class CorridorVolume:
    """Payments of one mode and corridor with the same outcome and duration bucket; amounts in
    micro-USD.

    `fee_micro_usd` is the quoted cost of bridge and service.
    """

    mode: str
    source: str
    destination: str
    bridge: str
    symbol: str
    outcome: Outcome
    bucket: int
    count: int
    micro_usd: int
    fee_micro_usd: int


@dataclass(frozen=True, slots=True)
class PeriodVolume:
    """Payments of all corridors with the same outcome in one hour or day, counted since 1970."""

    number: int
    outcome: Outcome
    bucket: int
    count: int
    micro_usd: int


@dataclass(frozen=True, slots=True)
class CorridorTotals:
    """Payments that ended: how many recipients were paid and how many were not, the value paid and
    what it was charged in micro-USD, and the seconds from complete deposit to payout; None without
    a paid payment."""

    paid: int = 0
    failed: int = 0
    micro_usd: int = 0
    charged_micro_usd: int = 0
    median_seconds: float | None = None
    p95_seconds: float | None = None


def bucket_of(seconds: float) -> int:
    """The logarithmic bucket of a duration; durations within about 7 % share one."""
    return round(_STEPS_PER_DOUBLING * log2(max(seconds, _MIN_SECONDS)))


def seconds_of(bucket: int) -> float:
    """The duration at the centre of a bucket."""
    return float(2 ** (bucket / _STEPS_PER_DOUBLING))


def quantile_seconds(counts: Iterable[tuple[int, int]], share: float) -> float | None:
    """The duration within which `share` of all ended, from (bucket, count); None without any."""
    sorted_counts = sorted(counts)
    total = sum(n for _, n in sorted_counts)
    if total <= 0:
        return None
    cumulative = 0
    for bucket, n in sorted_counts:
        cumulative += n
        if cumulative >= share * total:
            return seconds_of(bucket)
    return seconds_of(sorted_counts[-1][0])


def sum_volumes(volumes: Iterable[CorridorVolume]) -> CorridorTotals:
    """The totals of these payments."""
    volumes = list(volumes)
    paid = [volume for volume in volumes if volume.outcome is Outcome.PAID]
    durations = [(volume.bucket, volume.count) for volume in paid]
    return CorridorTotals(
        paid=sum(volume.count for volume in paid),
        failed=sum(volume.count for volume in volumes if volume.outcome is Outcome.FAILED),
        micro_usd=sum(volume.micro_usd for volume in paid),
        charged_micro_usd=sum(volume.fee_micro_usd for volume in paid),
        median_seconds=quantile_seconds(durations, 0.5),
        p95_seconds=quantile_seconds(durations, 0.95),
    )
