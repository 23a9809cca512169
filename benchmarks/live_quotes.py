"""Quotes from every chain at once over services of bridges, against the same by models in process.

CCTP, Across, Gateway and rhino.fi are asked as on a live network, of services of ours in this
process; how long real ones take is not measured here.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import repeat
from statistics import median, quantiles
from types import SimpleNamespace
from typing import cast

from benchmarks.worlds import DESTINATION, caller, service
from crossway.adapters.bridges.across.api import AcrossApi, AcrossApis
from crossway.adapters.bridges.across.quotes import AcrossQuotes
from crossway.adapters.bridges.cctp.iris import Iris
from crossway.adapters.bridges.cctp.networks import AttestationServices
from crossway.adapters.bridges.cctp.quotes import CctpQuotes
from crossway.adapters.bridges.gateway.api import GatewayApi
from crossway.adapters.bridges.gateway.gateway_end import GatewayEnd
from crossway.adapters.bridges.gateway.networks import GatewayApis, gateway_contracts, has_gateway
from crossway.adapters.bridges.gateway.quotes import GatewayQuotes
from crossway.adapters.bridges.live_models import live_models
from crossway.adapters.bridges.models import Across, Cctp, Gateway, Rhinofi
from crossway.adapters.bridges.rhinofi.api import RhinofiApi
from crossway.adapters.bridges.rhinofi.networks import bridge_contracts, rhinofi_terms
from crossway.adapters.bridges.rhinofi.quotes import RhinofiQuotes
from crossway.adapters.bridges.rhinofi.transfer_quotes import TransferQuotes
from crossway.adapters.bridges.service_limits import load_limits
from crossway.adapters.chains.evm.contracts import default_deployment
from crossway.domain.catalogue import Catalogue
from crossway.domain.clients import Principal
from crossway.domain.quotes import (
    BridgeName,
    BridgeQuote,
    Comparison,
    QuoteRejected,
    RouteRequest,
)
from crossway.ports.bridge import Bridge
from crossway.ports.prices import Prices
from crossway.ports.services import Services
from crossway.usecases.pricing.multi_source import quote_multi_source
from tests.bridges.across_service import AcrossService, running_across
from tests.bridges.attestation_service import AttestationService, running_service
from tests.bridges.gateway_service import GatewayService, running_gateway
from tests.bridges.rhinofi_service import KEY, RhinofiService, listed, running_rhinofi

ROUNDS, UNLIMITED, HOUR = 60, 1_000, 3_600.0
# A comparison waits for 700 ms; what remains is its own work on a busy machine.
GOAL_P99_MS, GOAL_SILENT_MS = 800.0, 800.0
GOAL_ADDED_MS = 100.0
ASKED = (BridgeName.CCTP, BridgeName.ACROSS, BridgeName.RHINOFI, BridgeName.GATEWAY)
ACCOUNT = "0x8617E340B3D01FA5F11F306F4090FD50E238070D"
Row = tuple[str, str, str, bool]


@dataclass
class _Loopback:
    """The live bridges, and the services of ours that they ask. Kept fees are older by
    `skipped_seconds` than they are."""

    bridges: Sequence[Bridge]
    across: AcrossService
    iris: AttestationService
    rhinofi: RhinofiService
    gateway: GatewayService
    skipped_seconds: float = 0.0


def run(rounds: int = ROUNDS) -> list[Row]:
    """(name, figure, goal, met)."""
    with service() as built:
        services, who = built.services, caller(built)
        catalogue = services.catalogue
        enforced = Cctp(catalogue, enforced=True), Across(catalogue, enforced=True)
        by_operator = Rhinofi(catalogue), _OnEvm(catalogue)
        in_process = replace(services, bridges=[*enforced, *by_operator])
        with _loopback(catalogue, services.prices) as live:
            over_http = replace(
                services,
                bridges=live.bridges,
                bridge_models=live_models(catalogue, live.bridges),
            )
            return list(_rows(live, in_process, over_http, who, rounds))


def _rows(
    live: _Loopback, in_process: Services, over_http: Services, who: Principal, rounds: int
) -> Iterator[Row]:
    by_models, _ = _measure(lambda: _compare(in_process, who), rounds)
    _compare(over_http, who)  # Opens the connections, and asks for the fees that are kept.
    seconds, comparisons = _measure(lambda: _compare(over_http, who), rounds)
    options = sum(len(option.options) for option in comparisons[-1].options)
    missed = sum(_bridges(one) != _bridges(comparisons[-1]) for one in comparisons)
    p50, p99 = median(seconds) * 1_000, quantiles(seconds, n=100)[98] * 1_000
    what = f"multi-source quote, {options} options, {len(ASKED)} of 4 bridges by loopback services"
    shown = f"p50 {p50:.0f}, p99 {p99:.0f} ms, {missed} of {rounds} differ"
    yield what, shown, f"p99 ≤ {GOAL_P99_MS:.0f} ms, none", p99 <= GOAL_P99_MS and not missed
    base = median(by_models) * 1_000
    yield (
        "the same against models in process",
        f"{p50 / base:.0f} times ({base:.1f} ms), {p50 - base:.0f} ms more",
        f"≤ {GOAL_ADDED_MS:.0f} ms more",
        p50 - base <= GOAL_ADDED_MS,
    )
    live.across.delay_seconds, live.iris.delays = 5.0, repeat(5.0)
    live.rhinofi.delay_seconds, live.gateway.silent = 5.0, True
    live.skipped_seconds += HOUR
    yield _silent(_measure(lambda: _compare(over_http, who), max(rounds // 10, 2)))


def _silent(measured: tuple[Sequence[float], Sequence[Comparison]]) -> Row:
    seconds, comparisons = measured
    worst = max(seconds) * 1_000
    told = all(
        option.estimate_reason for one in comparisons for option in one.options if option.bridge
    )
    what = "the same while the services say nothing, all by estimates"
    return (
        what,
        f"at most {worst:.0f} ms",
        f"≤ {GOAL_SILENT_MS:.0f} ms",
        (told and worst <= GOAL_SILENT_MS),
    )


def _compare(services: Services, who: Principal) -> Comparison:
    usdc = services.catalogue.tokens[DESTINATION, "USDC"].address
    return quote_multi_source(services, who, DESTINATION, "25.5", usdc, with_estimates=True)


def _bridges(comparison: Comparison) -> set[tuple[str, BridgeName | None]]:
    return {(option.source, option.bridge) for option in comparison.options}


def _measure(
    work: Callable[[], Comparison], rounds: int
) -> tuple[Sequence[float], Sequence[Comparison]]:
    seconds, results = [], []
    for _ in range(rounds):
        began = time.perf_counter()
        results.append(work())
        seconds.append(time.perf_counter() - began)
    return seconds, results


@contextmanager
def _loopback(catalogue: Catalogue, prices: Prices) -> Iterator[_Loopback]:
    """The four on all chains that they reach, as fast as they may be asked. Each quote of
    rhino.fi's lapses at once, so that it is asked for anew."""
    with ExitStack() as ends:
        across = ends.enter_context(running_across())
        iris = ends.enter_context(running_service())
        rhinofi = ends.enter_context(
            running_rhinofi(
                chains={chain: listed(chain) for chain in bridge_contracts()},
                lifetime_seconds=rhinofi_terms().expiry_margin_seconds,
            )
        )
        limits = [replace(load_limits(name), requests_per_second=UNLIMITED) for name in ASKED]
        attestations, api = Iris(iris.url, limits[0]), AcrossApi(across.url, limits[1])
        every, bridger = list(catalogue.chains), default_deployment().bridges[BridgeName.ACROSS]
        services = AttestationServices(attestations, attestations)
        gateway = ends.enter_context(running_gateway({}))
        found = _Loopback([], across, iris, rhinofi, gateway)
        cctp = CctpQuotes(
            catalogue,
            every,
            services,
            ThreadPoolExecutor(4),
            timer=lambda: time.monotonic() + found.skipped_seconds,
        )
        across_quotes = AcrossQuotes(
            catalogue, every, bridger, AcrossApis(api, api), prices, ThreadPoolExecutor(16)
        )
        rhinofi_api = RhinofiApi(rhinofi.url, limits[2], KEY)
        ends.callback(rhinofi_api.close)
        rhinofi_quotes = RhinofiQuotes(
            catalogue,
            every,
            TransferQuotes(rhinofi_api, dict.fromkeys(bridge_contracts(), ACCOUNT)),
            prices,
            ThreadPoolExecutor(16),
        )
        gateway_api = GatewayApi(gateway.url, limits[3])
        gateway_quotes = GatewayQuotes(
            catalogue,
            _gateway_ends(catalogue),
            GatewayApis(gateway_api, gateway_api),
            ThreadPoolExecutor(16),
            timer=lambda: time.monotonic() + found.skipped_seconds,
        )
        found.bridges = [cctp, across_quotes, rhinofi_quotes, gateway_quotes]
        for bridge in (cctp, across_quotes, rhinofi_quotes, gateway_quotes):
            ends.callback(bridge.close)
        yield found


def _gateway_ends(catalogue: Catalogue) -> Mapping[str, GatewayEnd]:
    """What quotes read of the ends: no node is asked."""
    contracts = gateway_contracts(testnet=False)
    return {
        chain.id: cast(
            GatewayEnd,
            SimpleNamespace(
                chain=chain,
                domain=chain.cctp_domain,
                wallet=contracts.wallet,
                minter=contracts.minter,
                usdc=catalogue.tokens[chain.id, "USDC"].address,
                relayer=ACCOUNT,
                depositor=ACCOUNT,
            ),
        )
        for chain in catalogue.chains.values()
        if has_gateway(chain) and not chain.testnet
    }


class _OnEvm(Gateway):
    """The model of Gateway on the chains where the live adapter is."""

    def get_quotes(
        self, requests: Sequence[RouteRequest], now: datetime
    ) -> Sequence[BridgeQuote | QuoteRejected]:
        answers = super().get_quotes(requests, now)
        return [
            QuoteRejected(self.name, one, "not on a live network", supported=False, param="")
            if "SOLANA" in one.source + one.destination
            else answer
            for one, answer in zip(requests, answers, strict=True)
        ]
