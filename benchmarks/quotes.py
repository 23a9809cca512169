"""Duration of quotes: from every chain at once (about 200 options), and from one bridge."""

import time
from collections.abc import Callable
from statistics import median

from benchmarks.worlds import DESTINATION, SOURCE, caller, service
from crossway.usecases.pricing import multi_source, quotes
from crossway.usecases.pricing.priced_request import QuoteRequest

GOAL_MULTI_SOURCE_MS = 2.0
GOAL_SINGLE_MS = 1.0
ROUNDS = 300


def run() -> list[tuple[str, str, str, bool]]:
    """(name, figure, goal, met) of the use cases of a whole service, including its store."""
    with service() as built:
        services, who = built.services, caller(built)
        usdc = services.catalogue.tokens[DESTINATION, "USDC"].address
        other = services.catalogue.tokens[SOURCE, "USDC"].address

        def every_chain() -> int:
            comparison = multi_source.quote_multi_source(services, who, DESTINATION, "25.5", usdc)
            return sum(len(source.options) for source in comparison.options)

        def one_bridge() -> object:
            asked = QuoteRequest(other, usdc, SOURCE, DESTINATION, "25500000")
            return quotes.quote_with_bridge(services, who, asked, "CCTP")

        return [
            _row(
                f"multi-source quote, {every_chain()} options, median",
                every_chain,
                GOAL_MULTI_SOURCE_MS,
            ),
            _row("single-bridge quote, median", one_bridge, GOAL_SINGLE_MS),
        ]


def _row(name: str, work: Callable[[], object], goal_ms: float) -> tuple[str, str, str, bool]:
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    figure = median(times) * 1000
    return name, f"{figure:.2f} ms", f"≤ {goal_ms:g} ms", figure <= goal_ms


if __name__ == "__main__":
    for name, figure, goal, met in run():
        print(f"{name}: {figure} (goal {goal}) {'met' if met else 'MISSED'}")
