"""Network costs of live chains: what their nodes ask now, in USD, kept for a short time."""

import time
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Executor, Future, wait
from dataclasses import dataclass
from threading import Lock

from crossway.domain.catalogue import Catalogue
from crossway.domain.errors import Unreachable
from crossway.domain.money import Price, micro_usd_up
from crossway.domain.network_costs import ChainCosts, NetworkCostPolicy
from crossway.ports.chain import Chain
from crossway.ports.chain_calls import CallCosts
from crossway.ports.clock import Clock
from crossway.ports.network_costs import NetworkCostReport
from crossway.ports.prices import Prices

NO_ANSWER = "the chain does not answer"


@dataclass(frozen=True, slots=True)
class _Reading:
    """What a chain answered, and when; with `costs` None, the reason why it did not."""

    at: float
    costs: CallCosts | None
    reason: str = ""


class ChainNetworkCosts:
    """`ports.network_costs.NetworkCosts` over live chains; safe to share between threads.

    A figure that is due is read in the background; only where there is none that may still be used,
    a caller waits for it, all chains at once and for a short time. `timer` returns monotonic
    seconds.
    """

    def __init__(
        self,
        chains: Mapping[str, Chain],
        catalogue: Catalogue,
        prices: Prices,
        clock: Clock,
        executor: Executor,
        policy: NetworkCostPolicy,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self._chains, self._catalogue, self._prices = chains, catalogue, prices
        self._clock, self._executor, self._policy, self._timer = clock, executor, policy, timer
        self._lock = Lock()
        self._readings: dict[str, _Reading] = {}
        self._good: dict[str, _Reading] = {}
        self._running: dict[str, Future[None]] = {}

    def get_costs(self, chains: Collection[str]) -> NetworkCostReport:
        """The costs on these chains, and why those of others are unknown. Never raises."""
        if needed := self._start_reading(chains):
            wait(needed, timeout=self._policy.timeout_seconds)
        now, unknown = self._timer(), dict[str, str]()
        known: dict[str, CallCosts] = {}
        with self._lock:
            for chain in chains:
                good = self._good.get(chain)
                if good is not None and now - good.at <= self._policy.max_age_seconds:
                    assert good.costs is not None
                    known[chain] = good.costs
                else:
                    last = self._readings.get(chain)
                    unknown[chain] = (last.reason if last else "") or NO_ANSWER
        return self._convert(known, unknown)

    def _start_reading(self, chains: Collection[str]) -> list[Future[None]]:
        """Read what is due; the reads that a caller has to wait for."""
        now, policy, needed = self._timer(), self._policy, list[Future[None]]()
        with self._lock:
            for chain in chains:
                last, good = self._readings.get(chain), self._good.get(chain)
                running = self._running.get(chain)
                if running is None and (last is None or now - last.at >= policy.refresh_seconds):
                    running = self._running[chain] = self._executor.submit(self._read, chain)
                if running and (good is None or now - good.at > policy.max_age_seconds):
                    needed.append(running)
        return needed

    def _read(self, chain: str) -> None:
        reading = _Reading(self._timer(), None, NO_ANSWER)
        try:
            reading = _Reading(reading.at, self._chains[chain].call_costs())
        except Unreachable as error:
            reading = _Reading(reading.at, None, str(error))
        finally:
            with self._lock:
                self._readings[chain] = reading
                if reading.costs is not None:
                    self._good[chain] = reading
                self._running.pop(chain, None)

    def _convert(
        self, known: Mapping[str, CallCosts], unknown: dict[str, str]
    ) -> NetworkCostReport:
        """Native coins in micro-USD, with the margin."""
        symbols = {chain: self._catalogue.chains[chain].fee_symbol for chain in known}
        try:
            prices = self._prices.get_usd_prices(set(symbols.values())) if symbols else {}
        except Unreachable as error:
            return NetworkCostReport({}, unknown | dict.fromkeys(known, f"no prices: {error}"))
        costs = {}
        for chain, symbol in symbols.items():
            if (price := prices.get(symbol)) is None or self._is_stale(price):
                unknown[chain] = f"there is no current price of {symbol}"
            else:
                costs[chain] = self._to_usd(chain, known[chain], price)
        return NetworkCostReport(costs, unknown)

    def _is_stale(self, price: Price) -> bool:
        max_age = self._prices.max_age_seconds()
        age = (self._clock.now() - price.as_of).total_seconds()
        return max_age is not None and age > max_age

    def _to_usd(self, chain: str, costs: CallCosts, price: Price) -> ChainCosts:
        decimals, policy = self._catalogue.chains[chain].native_decimals, self._policy

        def charged(units: int) -> int:
            return policy.with_margin(micro_usd_up(units, decimals, price.pico_usd))

        refund = charged(costs.refund)
        return ChainCosts(
            start=charged(costs.start),
            fill=charged(costs.fill),
            settle=charged(costs.settle),
            refund=refund,
            refund_share=policy.share_of_refund(refund),
            delivery=charged(costs.deliver),
            send=charged(costs.send),
            swap=charged(costs.swap),
            pay_in=charged(costs.pay_in),
            forward=charged(costs.forward),
        )
