"""Duration of ramp quotes of four providers, relative to the slowest provider alone."""

import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from statistics import median
from typing import Any

from benchmarks.worlds import caller, service
from crossway.domain.payment_channels import Channel
from crossway.domain.ramps import ProviderName
from crossway.ports.ramps import ProviderQuote, ProviderQuoteRequest, RampProvider
from crossway.usecases.ramps.quote_params import RampQuoteRequest
from crossway.usecases.ramps.quotes import compare_quotes

ANSWER_SECONDS = 0.2
GOAL_RATIO = 1.2
ROUNDS = 25
# Over a bridge, so that bridge quotes are included.
REQUEST = RampQuoteRequest("on-ramp", "NGN", "100", destination_chain="MONAD_MAINNET")


class SlowProvider:
    """A simulated provider with delayed prices."""

    runs_in_process = False

    def __init__(self, inner: RampProvider, name: ProviderName) -> None:
        self.inner, self.name = inner, name
        self.capabilities = replace(inner.capabilities, name=name)
        self.seconds = 0.0

    def get_quote(
        self, request: ProviderQuoteRequest, channels: Sequence[Channel], now: datetime
    ) -> ProviderQuote:
        began = time.perf_counter()
        time.sleep(ANSWER_SECONDS)
        quote = self.inner.get_quote(request, channels, now)
        self.seconds = time.perf_counter() - began
        return quote


def run(rounds: int = ROUNDS) -> list[tuple[str, str, str, bool]]:
    """(name, figure, goal, met) of the use case of a whole service, including its store."""
    with service() as built:
        inner = {provider.name: provider for provider in built.services.ramps}
        # No corridor has four providers, so one of them stands in for the hosted page.
        inner[ProviderName.ONRAMP_MONEY] = inner[ProviderName.YELLOW_CARD]
        slow: list[Any] = [SlowProvider(provider, name) for name, provider in inner.items()]
        services, client = replace(built.services, ramps=slow), caller(built)
        totals, ratios = [], []
        for _ in range(rounds):
            began = time.perf_counter()
            comparison = compare_quotes(services, client, REQUEST)
            totals.append(time.perf_counter() - began)
            assert len(comparison.quotes) == len(slow), comparison.excluded
            ratios.append(totals[-1] / max(provider.seconds for provider in slow))
    ratio, worst = median(ratios), max(ratios)
    figure = f"{ratio:.3f} × the slowest ({median(totals) * 1000:.0f} ms; worst {worst:.3f})"
    name = f"ramp quotes, four providers of {ANSWER_SECONDS * 1000:.0f} ms each, median"
    return [(name, figure, f"≤ {GOAL_RATIO:g} × the slowest", ratio <= GOAL_RATIO)]


if __name__ == "__main__":
    for name, figure, goal, met in run():
        print(f"{name}: {figure} (goal {goal}) {'met' if met else 'MISSED'}")
