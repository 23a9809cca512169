"""Quotes of CCTP by Circle's own figures, from an attestation service of ours."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import pytest

from crossway.adapters.bridges.answer_cache import FAILURE_SECONDS
from crossway.adapters.bridges.cctp.iris import Iris
from crossway.adapters.bridges.cctp.networks import AttestationServices
from crossway.adapters.bridges.cctp.quotes import ALLOWANCE_SECONDS, CctpQuotes
from crossway.adapters.bridges.service_limits import load_limits
from crossway.domain.bridge_transfer import Custody
from crossway.domain.errors import Unreachable
from crossway.domain.quotes import BridgeName, BridgeQuote, QuoteRejected, RouteRequest
from tests.bridges.attestation_service import AttestationService, running_service
from tests.bridges.payments import ARBITRUM, BASE, CATALOGUE, NOW
from tests.processes import wait_until

ETHEREUM, AVALANCHE, POLYGON = "ETHEREUM_MAINNET", "AVALANCHE_MAINNET", "POLYGON_MAINNET"
SERVED = [c.id for c in CATALOGUE.chains.values() if c.kind == "evm" and c.cctp_domain is not None]
LIMITS = load_limits(BridgeName.CCTP)
THOUSAND = 1_000_000_000


@dataclass
class World:
    """Quotes by a main and a test service; time passes where a test says so."""

    main: AttestationService
    test: AttestationService
    quotes: CctpQuotes
    seconds: list[float]

    def ask(
        self, source: str = BASE, destination: str = ARBITRUM, micro_usd: int = THOUSAND
    ) -> BridgeQuote:
        (answer,) = self.quotes.get_quotes([RouteRequest(source, destination, micro_usd)], NOW)
        assert isinstance(answer, BridgeQuote), answer
        return answer

    def refused(self, request: RouteRequest) -> QuoteRejected:
        (answer,) = self.quotes.get_quotes([request], NOW)
        assert isinstance(answer, QuoteRejected), answer
        return answer


@pytest.fixture
def world() -> Iterator[World]:
    seconds = [0.0]

    def timer() -> float:
        return seconds[0]

    limits = replace(LIMITS, requests_per_second=1_000)
    with running_service() as main, running_service() as test, ThreadPoolExecutor(4) as pool:
        clients = [Iris(service.url, limits, timer) for service in (main, test)]
        quotes = CctpQuotes(CATALOGUE, SERVED, AttestationServices(*clients), pool, timer)
        yield World(main, test, quotes, seconds)
        for client in clients:
            client.close()


def test_every_pair_of_chains_with_our_contracts_is_served_with_usdc_alone(world: World) -> None:
    routes = world.quotes.routes()
    assert {(r.source, r.destination) for r in routes} == {
        (source, destination)
        for source in SERVED
        for destination in SERVED
        if source != destination
        and CATALOGUE.chains[source].testnet == CATALOGUE.chains[destination].testnet
    }
    assert {r.symbols for r in routes} == {frozenset({"USDC"})}
    assert {r.custody for r in routes} == {Custody.BRIDGE}


def test_chains_without_our_contracts_are_not_served() -> None:
    with ThreadPoolExecutor(1) as pool:
        iris = Iris("http://127.0.0.1:9", LIMITS)
        chains = [BASE, ARBITRUM, "SOLANA_MAINNET", "BSC_MAINNET"]
        quotes = CctpQuotes(CATALOGUE, chains, AttestationServices(iris, iris), pool)
        iris.close()
    pairs = {(r.source, r.destination) for r in quotes.routes()}
    assert pairs == {(BASE, ARBITRUM), (ARBITRUM, BASE)}


def test_a_fast_quote_has_circles_fee_with_a_margin(world: World) -> None:
    quote = world.ask()
    assert (quote.custody, quote.collector) == (Custody.BRIDGE, "CCTP_FAST")
    # 1.3 basis points and a fifth of that, of amount and fee.
    assert quote.details == {"maxFee": "156025", "minFinalityThreshold": 1000}
    assert (THOUSAND + 156_025) * 156 / 1_000_000 <= 156_025
    costs = [CATALOGUE.chains[chain].transfer_cost_micro_usd for chain in (BASE, ARBITRUM)]
    assert quote.network_micro_usd == sum(costs)
    assert quote.fee_micro_usd == 156_025 + sum(costs)
    assert quote.fill_seconds == 8
    words = bytes.fromhex(quote.extra_data[2:])
    numbers = [int.from_bytes(words[at : at + 32], "big") for at in range(0, 128, 32)]
    usdc = int(CATALOGUE.tokens[ARBITRUM, "USDC"].address, 16)
    assert numbers == [156_025, 1000, 3, usdc]


@pytest.mark.parametrize("micro_usd", [10_000, 1_000_000, 25_000_000, 10_000_000_000_000])
@pytest.mark.parametrize("bps", ["0", "0.01", "1.3", "1.301", "14", "16.6"])
def test_our_contract_offers_at_least_what_a_fast_quote_charges(
    micro_usd: int, bps: str, world: World
) -> None:
    world.main.fast_bps, world.main.allowance = bps, "99000000"
    quote = world.ask(micro_usd=micro_usd)
    fee = int(quote.details["maxFee"])
    total = micro_usd + quote.fee_micro_usd
    offered = min(total - micro_usd, total // 500)
    assert offered >= fee
    if quote.collector == "CCTP_FAST":
        assert fee >= world.main.fast_fee(total - quote.network_micro_usd)


def test_a_fee_above_a_500th_of_the_deposit_makes_it_a_standard_quote(world: World) -> None:
    world.main.fast_bps = "16.7"
    quote = world.ask()
    assert quote.collector == "CCTP_STANDARD"
    assert quote.details == {"maxFee": "0", "minFinalityThreshold": 2000}
    assert quote.fill_seconds == 1140


def test_an_allowance_below_the_amount_makes_it_a_standard_quote(world: World) -> None:
    world.main.allowance = "1000.15"
    assert world.ask().collector == "CCTP_STANDARD"
    world.main.allowance = "1000.16"
    world.seconds[0] += ALLOWANCE_SECONDS
    assert world.ask().collector == "CCTP_FAST"


@pytest.mark.parametrize(("source", "seconds"), [(AVALANCHE, 8), (POLYGON, 8)])
def test_a_source_without_fast_messages_has_standard_ones(
    source: str, seconds: int, world: World
) -> None:
    quote = world.ask(source)
    assert (quote.collector, quote.fill_seconds) == ("CCTP_STANDARD", seconds)
    assert not any("allowance" in request for request in world.main.requests)


def test_a_standard_fee_is_charged_and_one_that_is_not_offered_is_refused(world: World) -> None:
    world.main.standard_bps = "1"
    assert world.ask(AVALANCHE).details["maxFee"] == "120015"
    world.seconds[0] += LIMITS.cache_seconds
    world.main.standard_bps = "50"
    refusal = world.refused(RouteRequest(AVALANCHE, BASE, THOUSAND))
    assert refusal.reason == "CCTP costs more now than our contracts offer"


def test_test_networks_are_asked_of_their_own_service(world: World) -> None:
    world.test.fast_bps = "7"
    quote = world.ask("BASE_TESTNET", "ARBITRUM_TESTNET")
    assert int(quote.details["maxFee"]) == 840_707
    assert world.main.requests == []


@pytest.mark.parametrize(
    ("symbols", "param"), [(("WETH", "WETH"), "tokenIn"), (("USDC", "USDT"), "tokenOut")]
)
def test_other_tokens_are_refused_without_a_question(
    symbols: tuple[str, str], param: str, world: World
) -> None:
    refusal = world.refused(RouteRequest(BASE, ARBITRUM, THOUSAND, *symbols))
    assert (refusal.reason, refusal.param) == ("CCTP carries USDC only", param)
    assert world.main.requests == []


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (RouteRequest(BASE, "SOLANA_MAINNET", THOUSAND), "does not support"),
        (RouteRequest(BASE, "ARBITRUM_TESTNET", THOUSAND), "does not support"),
        (RouteRequest(BASE, ARBITRUM, 9_999), "takes at least 0.01 USD"),
        (RouteRequest(BASE, ARBITRUM, 10_000_000_000_001), "takes at most 10000000.00 USD"),
    ],
)
def test_what_is_not_served_is_refused(request_: RouteRequest, words: str, world: World) -> None:
    assert words in world.refused(request_).reason


def test_figures_are_asked_for_once_a_while_and_before_they_are_too_old(world: World) -> None:
    fees = "GET /v2/burn/USDC/fees/1/6"

    def charged() -> str:
        return str(world.ask(AVALANCHE, BASE).details["maxFee"])

    world.main.standard_bps = "1"
    assert {charged() for _ in range(5)} == {"120015"}
    assert world.main.requests == [fees]
    world.seconds[0] += LIMITS.cache_seconds / 2
    vars(world.main).update(silent=True, silent_seconds=0.3, standard_bps="2")
    # The old figures count until the new ones are there, and nobody waits.
    wait_until("asked again", lambda: charged() == "120015" and len(world.main.requests) == 2)
    world.main.silent = False

    def has_new_figures() -> bool:
        world.seconds[0] += FAILURE_SECONDS / 5
        return charged() == "240058"

    wait_until("new figures", has_new_figures)
    assert set(world.main.requests) == {fees}


@pytest.mark.parametrize(
    ("switch", "words"),
    [
        ({"silent": True}, "did not respond"),
        ({"too_many": True}, "status 429|refused requests"),
        ({"body": b"[]"}, "cannot be used"),
        ({"status": 500}, "status 500"),
    ],
    ids=["silent", "429", "garbage", "500"],
)
def test_a_service_that_fails_leaves_cctp_out_with_the_reason(
    switch: dict[str, object], words: str, world: World
) -> None:
    vars(world.main).update(switch)
    with pytest.raises(Unreachable, match=words):
        world.ask()
    asked = len(world.main.requests)
    # Nobody waits for the same failure again at once.
    with pytest.raises(Unreachable, match=words):
        world.ask()
    assert len(world.main.requests) == asked


def test_a_service_that_recovers_is_asked_again(world: World) -> None:
    world.main.status = 500
    with pytest.raises(Unreachable):
        world.ask()
    world.main.status = 200
    world.seconds[0] += FAILURE_SECONDS
    assert world.ask().collector == "CCTP_FAST"


def test_a_slow_service_holds_nobody_up_and_its_answer_is_kept(world: World) -> None:
    world.main.silent, world.main.silent_seconds = True, 1.5
    started_at = time.monotonic()
    with pytest.raises(Unreachable, match="did not respond in time"):
        world.ask()
    assert time.monotonic() - started_at < 1.4


def test_one_service_that_fails_does_not_take_the_other_networks_quotes(world: World) -> None:
    world.main.status = 500
    requests = [
        RouteRequest(BASE, ARBITRUM, THOUSAND),
        RouteRequest("BASE_TESTNET", "ARBITRUM_TESTNET", THOUSAND),
    ]
    refused, quote = world.quotes.get_quotes(requests, NOW)
    assert isinstance(refused, QuoteRejected)
    assert "status 500" in refused.reason
    assert isinstance(quote, BridgeQuote)


def test_all_pairs_of_a_comparison_are_asked_for_at_once(world: World) -> None:
    sources = [s for s in SERVED if s != BASE and not CATALOGUE.chains[s].testnet]
    requests = [RouteRequest(source, BASE, THOUSAND) for source in sources]
    answers = world.quotes.get_quotes(requests, NOW)
    assert all(isinstance(answer, BridgeQuote) for answer in answers)
    assert len(world.main.requests) == len(sources) + 1


def test_a_token_that_is_not_offered_on_a_chain_takes_its_routes_away() -> None:
    key = (ARBITRUM, "USDC")
    tokens = dict(CATALOGUE.tokens) | {key: replace(CATALOGUE.tokens[key], enabled=False)}
    with ThreadPoolExecutor(1) as pool:
        iris = Iris("http://127.0.0.1:9", LIMITS)
        services = AttestationServices(iris, iris)
        quotes = CctpQuotes(replace(CATALOGUE, tokens=tokens), SERVED, services, pool)
        iris.close()
    assert not any(ARBITRUM in (r.source, r.destination) for r in quotes.routes())
