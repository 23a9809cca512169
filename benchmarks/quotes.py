"""How long quotes take: from every chain at once (about 200 options), and from one bridge."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import median
from types import SimpleNamespace
from typing import Any

from crossway.adapters.bridges.across import Across
from crossway.adapters.bridges.cctp import Cctp
from crossway.adapters.bridges.gateway import Gateway
from crossway.adapters.bridges.rhinofi import Rhinofi
from crossway.adapters.chains.addresses import canonical
from crossway.adapters.prices.fixed import FixedPrices
from crossway.catalogue import load, reference_prices
from crossway.ports.services import Services
from crossway.usecases import quotes

GOAL_MULTI_SOURCE_MS = 2.0
GOAL_SINGLE_MS = 1.0
ROUNDS = 300


@dataclass(frozen=True, slots=True)
class _Parts:
    """A clock that shows the machine's time and a store in which nothing is switched off."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    machine = now

    @contextmanager
    def read(self) -> Any:
        yield SimpleNamespace(network=SimpleNamespace(switches=dict))


def run() -> list[tuple[str, str, str, bool]]:
    """(what, figure, goal, whether it is met) by measurement, on the catalogue as it is."""
    with ThreadPoolExecutor(16) as pool:
        services = _services(pool)
        usdc = services.catalogue.tokens["BASE_MAINNET", "USDC"].address
        other = services.catalogue.tokens["POLYGON_MAINNET", "USDC"].address
        found = quotes.multi_source(services, None, "BASE_MAINNET", "25.5", usdc)
        options = sum(len(source.options) for source in found.options)
        return [
            _row(
                f"multi-source quote, {options} options, median",
                lambda: quotes.multi_source(services, None, "BASE_MAINNET", "25.5", usdc),
                GOAL_MULTI_SOURCE_MS,
            ),
            _row(
                "single-bridge quote, median",
                lambda: quotes.single(
                    services, None, usdc, other, "BASE", "POLYGON", "25500000", "CCTP"
                ),
                GOAL_SINGLE_MS,
            ),
        ]


def _row(name: str, work: Callable[[], object], goal_ms: float) -> tuple[str, str, str, bool]:
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    figure = median(times) * 1000
    return name, f"{figure:.2f} ms", f"≤ {goal_ms:g} ms", figure <= goal_ms


def _services(pool: ThreadPoolExecutor) -> Services:
    catalogue, parts = load(), _Parts()
    reference = {symbol: price.pico_usd for symbol, price in reference_prices().items()}
    chains: Any = {
        chain.id: SimpleNamespace(
            canonical_address=lambda text, kind=chain.kind: canonical(kind, text)
        )
        for chain in catalogue.chains.values()
    }
    bridges = [bridge(catalogue) for bridge in (Across, Cctp, Gateway, Rhinofi)]
    store: Any = parts
    prices = FixedPrices(reference, parts.now())
    return Services(catalogue, chains, bridges, prices, parts, store, pool, "simulated")


if __name__ == "__main__":
    for name, figure, goal, met in run():
        print(f"{name}: {figure} (goal {goal}) {'met' if met else 'MISSED'}")
