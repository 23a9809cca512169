"""Quotes of Circle Gateway on live networks: what Circle takes now of the unified balance."""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Executor
from datetime import datetime
from typing import Final

from crossway.adapters.bridges.answer_cache import AnswerCache
from crossway.adapters.bridges.base import (
    PCT_PER_HUNDREDTH,
    BridgeModel,
    BridgeRoute,
    encode_words,
    list_symbols,
    load_data,
    parse_rate,
)
from crossway.adapters.bridges.gateway.api import TITLE, Refused
from crossway.adapters.bridges.gateway.gateway_end import GatewayEnd
from crossway.adapters.bridges.gateway.networks import (
    USDC,
    GatewayApis,
    final_seconds,
    mint_seconds,
    offered_fee,
    transfer_fee,
)
from crossway.adapters.bridges.gateway.specs import spec_between
from crossway.adapters.bridges.service_limits import load_limits
from crossway.adapters.chains.words import WORD
from crossway.domain.bridge_transfer import Custody
from crossway.domain.catalogue import Catalogue
from crossway.domain.errors import Unreachable
from crossway.domain.quotes import (
    BridgeName,
    BridgeQuote,
    BridgeUnavailable,
    QuoteRejected,
    RouteRequest,
)

MAX_WAIT_SECONDS: Final = 0.6
"""Less than a comparison waits for a bridge (`ports.policy`), so that what has come is used."""
# What Circle is asked about: of its estimate, what is not the share of this amount is gas.
_SAMPLE: Final = 1_000_000

ChainPair = tuple[str, str]


class GatewayQuotes(BridgeModel):
    """`ports.bridge.Bridge` by Circle's estimates: USDC between the chains of `ends`. The operator
    pays out of inventory, to which Gateway mints where it lacks, so the payer trusts the operator.

    An estimate is asked for in `executor` for each pair of chains, with the payer's chain as the
    one whose deposits are burnt, and counts for
    `cache_seconds`, by default as the data file says. In the details, `pctFee` is Circle's
    documented share as a fraction of 10**18, and `gasFee` its charge for the burn in USDC units.
    """

    name = BridgeName.GATEWAY
    runs_in_process = False

    def __init__(
        self,
        catalogue: Catalogue,
        ends: Mapping[str, GatewayEnd],
        apis: GatewayApis,
        executor: Executor,
        timer: Callable[[], float] = time.monotonic,
        wait_seconds: float = MAX_WAIT_SECONDS,
        cache_seconds: float | None = None,
    ) -> None:
        data = load_data(self.name)
        served = [chain for chain in catalogue.chains.values() if chain.id in ends]
        tokens = list_symbols(catalogue, {chain.id: (USDC,) for chain in served})
        super().__init__(data, served, tokens, Custody.OPERATOR)
        self._rate = parse_rate(data["transfer_bps"])
        self._ends, self._apis = ends, apis
        self._executor, self._wait_seconds = executor, wait_seconds
        keep_seconds = cache_seconds or load_limits(self.name).cache_seconds
        self._gas = AnswerCache(TITLE, self._fetch_gas, executor, keep_seconds, timer)

    def close(self) -> None:
        """End the questions under way, and close the connections."""
        self._executor.shutdown(wait=False, cancel_futures=True)
        self._apis.close()

    def get_quotes(
        self, requests: Sequence[RouteRequest], now: datetime
    ) -> Sequence[BridgeQuote | QuoteRejected]:
        self._gas.prefetch(_pairs(requests, self._served), self._wait_seconds)
        outcomes = [self._answer(request, now) for request in requests]
        failures = [outcome for outcome in outcomes if isinstance(outcome, BridgeUnavailable)]
        if failures and not any(isinstance(outcome, BridgeQuote) for outcome in outcomes):
            raise Unreachable(failures[0].reason)
        return outcomes

    def _answer(self, request: RouteRequest, now: datetime) -> BridgeQuote | QuoteRejected:
        try:
            return super()._answer(request, now)
        except Unreachable as error:
            return BridgeUnavailable(self.name, request, str(error))

    def _quote(self, request: RouteRequest, route: BridgeRoute, now: datetime) -> BridgeQuote:
        gas_fee = self._gas.get((request.source, request.destination))
        share = transfer_fee(route.source, route.destination, request.amount_micro_usd)
        pct_fee = self._rate * PCT_PER_HUNDREDTH
        return BridgeQuote(
            bridge=self.name,
            request=request,
            fee_micro_usd=share + gas_fee + route.network_cost,
            fill_seconds=mint_seconds(),
            settle_seconds=final_seconds(route.source),
            details={"pctFee": pct_fee, "gasFee": str(gas_fee)},
            extra_data=encode_words(pct_fee, gas_fee),
            network_micro_usd=route.network_cost,
            custody=Custody.OPERATOR,
        )

    def _fetch_gas(self, pair: ChainPair) -> int:
        """Circle's charge for a burn towards another chain, in units of USDC."""
        source, target = (self._ends[name] for name in pair)
        spec = spec_between(source, target, _SAMPLE, bytes(WORD))
        try:
            estimate = self._apis.of(source.chain.testnet).estimate_fee(spec)
        except Refused as refusal:
            raise Unreachable(f"{TITLE} refuses to estimate its fee: {refusal}") from None
        if offered_fee(source.chain, target.chain, _SAMPLE, estimate) is None:
            raise Unreachable(f"{TITLE} estimates a fee far above what it documents")
        return max(estimate - transfer_fee(source.chain, target.chain, _SAMPLE), 0)


def _pairs(
    requests: Sequence[RouteRequest], served: Collection[ChainPair]
) -> Collection[ChainPair]:
    """The pairs of chains about which Circle has to be asked for these requests."""
    return {
        pair
        for request in requests
        if request.symbol_in == request.symbol_out == USDC
        if (pair := (request.source, request.destination)) in served
    }
