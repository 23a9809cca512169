"""Finds routes of main networks that cost more than they earn."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from crossway.domain.corridor_stats import Period
from crossway.ports.services import Services
from crossway.usecases.money.books import day_number
from crossway.usecases.money.profit_and_loss import Route, is_test_network, sum_by_route

DAYS: Final = 7
MIN_PAYMENTS: Final = 10
"""Fewer payments say little about a route."""


@dataclass(frozen=True, slots=True)
class RouteLoss:
    """A route (source chain, bridge, destination chain) whose result of the last days is below
    zero, in nano-USD, and how many payments ended on it."""

    route: Route
    nano_usd: int
    payments: int


def find_losses(services: Services) -> list[RouteLoss]:
    """The routes that ran at a loss in the last `DAYS` days, today included, on which at least
    `MIN_PAYMENTS` payments ended."""
    today = services.clock.now()
    since = today - timedelta(days=DAYS - 1)
    counts = defaultdict[Route, int](int)
    with services.store.read() as unit:
        results = unit.profit.list_days(day_number(since.date()), day_number(today.date()))
        for volume in unit.corridor_stats.sum_since(None, Period.DAY, since):
            counts[volume.source, volume.bridge, volume.destination] += volume.count
    return [
        RouteLoss(route, margin.result, counts[route])
        for route, margin in sorted(sum_by_route(results).items())
        if margin.result < 0
        and counts[route] >= MIN_PAYMENTS
        and not is_test_network(services, route[0])
    ]
