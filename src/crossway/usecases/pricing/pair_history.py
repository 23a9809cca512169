"""What each bridge carried from one chain to another, hour by hour or day by day."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from crossway.domain.clients import Principal
from crossway.domain.corridor_stats import (
    SECONDS,
    CorridorTotals,
    CorridorVolume,
    Period,
    sum_volumes,
)
from crossway.domain.roles import Permission
from crossway.ports.services import Services
from crossway.usecases.pricing.corridor_quotes import LOOKBACK, Window


@dataclass(frozen=True, slots=True)
class PairHistory:
    """The periods of the window, oldest first, and by bridge the totals of each of them and of all
    together. Bridges without a payment that ended are left out. Times are measured, and what was
    charged is what was quoted when those payments were created: other quotes are not stored."""

    period: Period
    starts: tuple[datetime, ...]
    by_bridge: Mapping[str, tuple[CorridorTotals, ...]]
    whole: Mapping[str, CorridorTotals]


def get_pair_history(
    services: Services, caller: Principal, source: str, destination: str, window: Window
) -> PairHistory:
    """The history of a pair in the caller's mode."""
    caller.require_permission(Permission.VIEW)
    period, lookback = LOOKBACK[window]
    now, seconds = services.clock.now(), SECONDS[period]
    with services.store.read() as unit:
        rows = unit.corridor_stats.list_between(
            caller.mode, source, destination, period, now - lookback
        )
    first, last = ((int(at.timestamp()) // seconds) for at in (now - lookback, now))
    volumes: dict[str, dict[int, list[CorridorVolume]]] = defaultdict(lambda: defaultdict(list))
    for number, volume in rows:
        volumes[volume.bridge][number].append(volume)
    return PairHistory(
        period,
        tuple(datetime.fromtimestamp(n * seconds, tz=UTC) for n in range(first, last + 1)),
        {
            bridge: tuple(sum_volumes(of.get(n, ())) for n in range(first, last + 1))
            for bridge, of in volumes.items()
        },
        {
            bridge: sum_volumes(volume for part in of.values() for volume in part)
            for bridge, of in volumes.items()
        },
    )
