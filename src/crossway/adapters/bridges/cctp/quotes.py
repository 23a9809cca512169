"""Quotes of CCTP on live networks: what Circle charges now, and by which contract of ours."""

import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Executor
from datetime import datetime
from typing import Final

from crossway.adapters.bridges.answer_cache import AnswerCache
from crossway.adapters.bridges.base import (
    HUNDREDTHS_IN_WHOLE,
    BridgeModel,
    BridgeRoute,
    encode_words,
    list_symbols,
    load_data,
)
from crossway.adapters.bridges.cctp.iris import TITLE
from crossway.adapters.bridges.cctp.networks import AttestationServices, attestation_times
from crossway.adapters.bridges.service_limits import load_limits
from crossway.adapters.chains.words import address_word
from crossway.domain.bridge_transfer import Custody
from crossway.domain.catalogue import Catalogue, Chain
from crossway.domain.errors import Unreachable
from crossway.domain.quotes import (
    CCTP_MAX_FEE_DIVISOR,
    BridgeName,
    BridgeQuote,
    BridgeUnavailable,
    QuoteRejected,
    RouteRequest,
)

FAST_FINALITY: Final = 1000
FINAL: Final = 2000
USDC: Final = "USDC"
# An allowance is used up by others meanwhile.
ALLOWANCE_SECONDS: Final = 20.0
MAX_WAIT_SECONDS: Final = 0.6
"""Less than a comparison waits for a bridge (`ports.policy`), so that what has come is used."""
_PERCENT: Final = 100

DomainPair = tuple[bool, int, int]


class CctpQuotes(BridgeModel):
    """`ports.bridge.Bridge` by Circle's own figures: USDC between chains with our contracts, which
    alone decide where the deposit goes.

    A fast message is chosen where the source has them, Circle's allowance covers the amount, and
    its fee with a margin is no more than our contract offers, a 500th of the deposit; else a
    standard one. In the details, `maxFee` is what the quote charges for Circle's fee, in USDC
    units. `chains` are those where our contracts are. Circle is asked in `executor`, and its fees
    count for `cache_seconds`, by default as the data file says.
    """

    name = BridgeName.CCTP
    runs_in_process = False

    def __init__(
        self,
        catalogue: Catalogue,
        chains: Collection[str],
        services: AttestationServices,
        executor: Executor,
        timer: Callable[[], float] = time.monotonic,
        wait_seconds: float = MAX_WAIT_SECONDS,
        cache_seconds: float | None = None,
    ) -> None:
        data = load_data(self.name)
        served = [
            chain
            for chain in catalogue.chains.values()
            if chain.id in chains and chain.kind == "evm" and chain.cctp_domain is not None
        ]
        tokens = list_symbols(catalogue, {chain.id: (USDC,) for chain in served})
        super().__init__(data, served, tokens, Custody.BRIDGE)
        self._margin_percent: int = data["fee_margin_percent"]
        self._catalogue = catalogue
        self._services = services
        self._executor, self._wait_seconds = executor, wait_seconds
        keep_seconds = cache_seconds or load_limits(self.name).cache_seconds
        self._fees = AnswerCache(TITLE, self._fetch_fees, executor, keep_seconds, timer)
        self._allowances = AnswerCache(
            TITLE, self._fetch_allowance, executor, min(keep_seconds, ALLOWANCE_SECONDS), timer
        )

    def close(self) -> None:
        """End the questions under way, and close the connections."""
        self._executor.shutdown(wait=False, cancel_futures=True)
        self._services.close()

    def get_quotes(
        self, requests: Sequence[RouteRequest], now: datetime
    ) -> Sequence[BridgeQuote | QuoteRejected]:
        routes = {
            route
            for request in requests
            if (route := self._served.get((request.source, request.destination))) is not None
            if request.symbol_in == request.symbol_out == USDC
        }
        self._prefetch(routes)
        outcomes = [self._answer(request, now) for request in requests]
        failures = [r for r in outcomes if isinstance(r, BridgeUnavailable)]
        if failures and not any(isinstance(r, BridgeQuote) for r in outcomes):
            raise Unreachable(failures[0].reason)
        return outcomes

    def _prefetch(self, routes: Collection[BridgeRoute]) -> None:
        """Ask Circle for all figures that quotes of these routes need, at once."""
        until = time.monotonic() + self._wait_seconds
        self._allowances.prefetch({r.source.testnet for r in routes if _has_fast(r.source)}, 0)
        self._fees.prefetch({_domain_pair(route) for route in routes}, self._wait_seconds)
        left = max(until - time.monotonic(), 0)
        self._allowances.prefetch({r.source.testnet for r in routes if _has_fast(r.source)}, left)

    def _answer(self, request: RouteRequest, now: datetime) -> BridgeQuote | QuoteRejected:
        try:
            return super()._answer(request, now)
        except Unreachable as error:
            return BridgeUnavailable(self.name, request, str(error))
        except _TooExpensive:
            reason = "CCTP costs more now than our contracts offer"
            return QuoteRejected(self.name, request, reason, param="")

    def _quote(self, request: RouteRequest, route: BridgeRoute, now: datetime) -> BridgeQuote:
        rates = self._fees.get(_domain_pair(route))
        times = attestation_times(route.source)
        amount = request.amount_micro_usd
        fast_fee = self._fee(amount, rates.get(FAST_FINALITY))
        if (
            times.fast_seconds is not None
            and fast_fee is not None
            and self._allowances.get(route.source.testnet) >= amount + fast_fee
        ):
            return self._build(request, route, fast_fee, FAST_FINALITY, times.fast_seconds)
        fee = self._fee(amount, rates.get(FINAL, 0))
        if fee is None:
            raise _TooExpensive
        return self._build(request, route, fee, FINAL, times.standard_seconds)

    def _fee(self, amount: int, rate: int | None) -> int | None:
        """Circle's fee with the margin, which it takes of the whole deposit and so of the fee, too;
        None where our contract would not offer as much."""
        if rate is None:
            return None
        share = rate * (_PERCENT + self._margin_percent)
        rest = HUNDREDTHS_IN_WHOLE * _PERCENT - share
        if rest <= 0:
            return None
        fee = -(-amount * share // rest)
        return fee if fee * CCTP_MAX_FEE_DIVISOR <= amount + fee else None

    def _build(
        self, request: RouteRequest, route: BridgeRoute, fee: int, threshold: int, seconds: int
    ) -> BridgeQuote:
        target = route.destination
        usdc = address_word(target.kind, self._catalogue.tokens[target.id, USDC].address)
        network_cost = route.start_cost + route.arrival_cost
        return BridgeQuote(
            bridge=self.name,
            request=request,
            fee_micro_usd=fee + network_cost,
            fill_seconds=seconds,
            settle_seconds=seconds,
            details={"maxFee": str(fee), "minFinalityThreshold": threshold},
            extra_data=encode_words(
                fee, threshold, target.cctp_domain or 0, int.from_bytes(usdc, "big")
            ),
            network_micro_usd=network_cost,
            custody=Custody.BRIDGE,
            collector="CCTP_FAST" if threshold == FAST_FINALITY else "CCTP_STANDARD",
        )

    def _fetch_fees(self, pair: DomainPair) -> dict[int, int]:
        testnet, source, destination = pair
        return dict(self._services.of(testnet).get_fees(source, destination))

    def _fetch_allowance(self, testnet: bool) -> int:
        return self._services.of(testnet).get_fast_allowance()


class _TooExpensive(Exception):
    """Circle's fee is above what our contract offers."""


def _domain_pair(route: BridgeRoute) -> DomainPair:
    source, destination = route.source, route.destination
    return source.testnet, source.cctp_domain or 0, destination.cctp_domain or 0


def _has_fast(chain: Chain) -> bool:
    return attestation_times(chain).fast_seconds is not None
