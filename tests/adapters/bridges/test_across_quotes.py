"""Quotes of Across by the fees that it suggests, from an API of ours."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest
from eth_abi.abi import decode

from crossway.adapters.bridges.across.api import (
    FAILURES,
    PAUSE_SECONDS,
    AcrossApi,
    AcrossApis,
)
from crossway.adapters.bridges.across.api_schemas import WHOLE
from crossway.adapters.bridges.across.quotes import AcrossQuotes
from crossway.adapters.bridges.service_limits import load_limits
from crossway.adapters.chains.evm.contracts import default_deployment
from crossway.adapters.prices.fixed import FixedPrices
from crossway.domain.bridge_transfer import Custody
from crossway.domain.errors import Unreachable
from crossway.domain.quotes import BridgeName, BridgeQuote, QuoteRejected, RouteRequest
from tests.bridges.across_service import AcrossService, running_across
from tests.bridges.payments import ARBITRUM, BASE, CATALOGUE, NOW
from tests.processes import ROOT, wait_until

BSC, LISK, SEPOLIA = "BSC_MAINNET", "LISK_MAINNET", "BASE_TESTNET"
SERVED = [chain.id for chain in CATALOGUE.chains.values() if chain.across_pool]
BRIDGER = default_deployment().bridges["ACROSS"]
THOUSAND = 1_000_000_000
LIMITS = load_limits(BridgeName.ACROSS)
PRICES = FixedPrices({"USDC": 10**12, "USDT": 10**12, "WETH": 3_000 * 10**12}, NOW)


@dataclass
class World:
    """Quotes by a main and a test service, `hasty` ones as usual; time passes where a test says
    so."""

    main: AcrossService
    test: AcrossService
    quotes: AcrossQuotes
    hasty: AcrossQuotes
    seconds: list[float]

    def answer(self, request: RouteRequest) -> BridgeQuote | QuoteRejected:
        (answer,) = self.quotes.get_quotes([request], NOW)
        return answer

    def ask(
        self,
        source: str = BASE,
        destination: str = ARBITRUM,
        micro_usd: int = THOUSAND,
        symbol: str = "USDC",
    ) -> BridgeQuote:
        answer = self.answer(RouteRequest(source, destination, micro_usd, symbol, symbol))
        assert isinstance(answer, BridgeQuote), answer
        return answer

    def refused(self, request: RouteRequest) -> QuoteRejected:
        answer = self.answer(request)
        assert isinstance(answer, QuoteRejected), answer
        return answer


@pytest.fixture
def world() -> Iterator[World]:
    seconds = [0.0]
    with running_across() as main, running_across() as test:
        apis = AcrossApis(
            AcrossApi(main.url, LIMITS, "a key", lambda: seconds[0]),
            AcrossApi(test.url, LIMITS, timer=lambda: seconds[0]),
        )
        pool = ThreadPoolExecutor(8)
        hasty = AcrossQuotes(CATALOGUE, SERVED, BRIDGER, apis, PRICES, pool)
        # A busy machine answers late.
        quotes = AcrossQuotes(CATALOGUE, SERVED, BRIDGER, apis, PRICES, pool, wait_seconds=30)
        yield World(main, test, quotes, hasty, seconds)
        quotes.close()


def listed_pairs() -> dict[tuple[str, str], set[str]]:
    """What the contract takes, by pair of chains: symbols of the catalogue that are the same."""
    source = (ROOT / "contracts" / "evm" / "src" / "AcrossChains.sol").read_text(encoding="utf-8")
    entry = re.compile(r"chain == (\d+)\) \{\n(.*?)\n\s+\}", re.DOTALL)
    field = re.compile(r"end\.(\w+) = (0x[0-9a-fA-F]{40});")
    ends = {chain: dict(field.findall(fields)) for chain, fields in entry.findall(source)}
    chains = {c.chain_id: c for c in CATALOGUE.chains.values() if c.kind == "evm"}
    pairs: dict[tuple[str, str], set[str]] = {}
    for one, here in ends.items():
        for other, there in ends.items():
            source_chain, target = chains[one], chains[other]
            if one == other or source_chain.testnet != target.testnet:
                continue
            for place in here.keys() & there.keys() - {"pool"}:
                tokens = [
                    CATALOGUE.by_address[chain.id, end[place]]
                    for chain, end in ((source_chain, here), (target, there))
                ]
                if all(t.enabled for t in tokens) and tokens[0].symbol == tokens[1].symbol:
                    pair = source_chain.id, target.id
                    pairs.setdefault(pair, set()).add(tokens[0].symbol)
    return pairs


def test_what_the_contract_takes_is_served_and_nothing_else(world: World) -> None:
    routes = world.quotes.routes()
    served = {(r.source, r.destination): set(r.symbols or ()) for r in routes}
    assert served == listed_pairs()
    assert {r.custody for r in routes} == {Custody.BRIDGE}


def test_a_quote_has_what_is_asked_of_the_whole_deposit_with_a_margin(world: World) -> None:
    quote = world.ask()
    assert (quote.custody, quote.collector) == (Custody.BRIDGE, "ACROSS")
    assert quote.settle_seconds == 0
    assert quote.fill_seconds == world.main.fill_seconds
    share, gas = 12 * 10**13 + 6 * 10**13, 2_400
    deadline = int(NOW.timestamp()) + 7_200
    assert quote.details == {
        "timestamp": world.main.timestamp,
        "fillDeadline": deadline,
        "pctFee": share,
        "flatFee": str(gas),
    }
    start = CATALOGUE.chains[BASE].transfer_cost_micro_usd
    fee = quote.fee_micro_usd - start
    assert quote.network_micro_usd == start
    assert fee == (THOUSAND + fee) * share // WHOLE + gas + 1
    words = bytes.fromhex(quote.extra_data[2:])
    numbers = [int.from_bytes(words[at : at + 32], "big") for at in range(0, 128, 32)]
    assert numbers == [world.main.timestamp, deadline, share, gas]


def test_a_fill_is_priced_with_a_message_that_our_contract_accepts(world: World) -> None:
    world.ask()
    ((path, query),) = world.main.requests
    assert path == "/suggested-fees"
    assert query["recipient"] == BRIDGER
    usdc = [CATALOGUE.tokens[chain, "USDC"].address for chain in (BASE, ARBITRUM)]
    assert [query["inputToken"], query["outputToken"]] == usdc
    assert [query["originChainId"], query["destinationChainId"]] == ["8453", "42161"]
    assert query["amount"] == "1000000000"
    addresses, number = ["address"] * 3, "uint256"
    values = decode(
        [number, number, "address", number, *addresses, number, number, *addresses[:2], number],
        bytes.fromhex(query["message"][2:]),
    )
    assert values[4].lower() == BRIDGER.lower()
    assert values[8:10] == (42161, usdc[1].lower())
    assert values[11] == 1
    assert world.main.keys == ["Bearer a key"]


def test_other_tokens_are_asked_for_in_their_own_units(world: World) -> None:
    world.main.gas, world.main.most = 10**12, 10**24
    quote = world.ask(symbol="WETH")
    assert world.main.requests[0][1]["amount"] == str(333_333_333_333_333_334)
    # 1.2 * 10**12 units of WETH are 3,600 micro-USD.
    assert quote.details["flatFee"] == "3600"
    world.main.gas = 10**15
    assert world.ask(BSC, BASE, symbol="USDT").details["flatFee"] == "1200"
    assert world.main.requests[1][1]["amount"] == str(10**21)


def test_test_networks_have_a_service_of_their_own(world: World) -> None:
    world.ask(SEPOLIA, "ARBITRUM_TESTNET")
    assert world.main.requests == []
    assert len(world.test.requests) == 1
    assert world.test.keys == [""]


@pytest.mark.parametrize(
    ("micro_usd", "reason"),
    [
        (2_000_000, "ACROSS takes at least 3 USDC now"),
        (200_000_000, "ACROSS takes at most 100.5 USDC now"),
    ],
)
def test_limits_are_told_with_their_amount(micro_usd: int, reason: str, world: World) -> None:
    world.main.least, world.main.most = 3_000_000, 100_500_000
    refusal = world.refused(RouteRequest(BASE, ARBITRUM, micro_usd))
    assert (refusal.reason, refusal.param, refusal.supported) == (reason, "amount", True)


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("AMOUNT_TOO_LOW", "ACROSS does not take as little now"),
        ("AMOUNT_TOO_HIGH", "ACROSS does not take as much now"),
        ("ROUTE_NOT_ENABLED", f"ACROSS does not carry USDC {BASE} -> {ARBITRUM}"),
    ],
)
def test_a_refusal_of_the_api_is_a_rejection(code: str, reason: str, world: World) -> None:
    world.main.error = {"code": code, "message": "No."}
    assert world.refused(RouteRequest(BASE, ARBITRUM, THOUSAND)).reason == reason


def test_any_other_refusal_leaves_the_bridge_out_with_its_words(world: World) -> None:
    world.main.error = {"code": "INVALID_PARAM", "message": "Recipient must be\n a contract"}
    with pytest.raises(Unreachable, match="refused to price it: Recipient must be  a contract"):
        world.answer(RouteRequest(BASE, ARBITRUM, THOUSAND))


def test_what_is_not_served_is_not_asked(world: World) -> None:
    for request, words in (
        (RouteRequest(BASE, ARBITRUM, THOUSAND, "USDC", "USDT"), "does not exchange"),
        (RouteRequest(LISK, BASE, THOUSAND, "USDC", "USDC"), "does not carry USDC"),
        (RouteRequest(BASE, "SOLANA_MAINNET", THOUSAND), "does not support"),
        (RouteRequest(BASE, ARBITRUM, 999_999), "at least 1.00 USD"),
    ):
        assert words in world.refused(request).reason
    assert world.main.requests == []


def test_a_service_that_is_late_is_left_out_of_the_comparison(world: World) -> None:
    world.main.delay_seconds = 0.8
    with pytest.raises(Unreachable, match="did not respond in time"):
        world.hasty.get_quotes([RouteRequest(BASE, ARBITRUM, THOUSAND)], NOW)
    world.main.delay_seconds = 0
    wait_until("the late question ends", lambda: not world.hasty._questions._pending)
    world.ask()


def test_one_pair_without_an_answer_does_not_hide_the_others(world: World) -> None:
    world.test.silent = True
    requests = [
        RouteRequest(BASE, ARBITRUM, THOUSAND),
        RouteRequest(SEPOLIA, "ARBITRUM_TESTNET", THOUSAND),
        RouteRequest(BASE, ARBITRUM, THOUSAND, "DAI", "DAI"),
    ]
    good, silent, unpriced = world.quotes.get_quotes(requests, NOW)
    assert isinstance(good, BridgeQuote)
    assert isinstance(silent, QuoteRejected)
    assert "did not respond: RemoteProtocolError" in silent.reason
    assert isinstance(unpriced, QuoteRejected)
    assert unpriced.reason == "no price of DAI is known"


def test_the_same_question_at_the_same_time_is_asked_once_and_not_kept(world: World) -> None:
    world.main.delay_seconds = 0.2
    with ThreadPoolExecutor(6) as people:
        quotes = list(people.map(lambda _: world.ask(), range(6)))
    assert len(set(map(str, quotes))) == 1
    assert len(world.main.requests) == 1
    world.ask()
    assert len(world.main.requests) == 2


def test_after_failures_in_a_row_nobody_waits_for_a_while(world: World) -> None:
    world.main.status = 503
    for _ in range(FAILURES):
        with pytest.raises(Unreachable, match="responded with status 503"):
            world.ask()
    world.main.status = 200
    with pytest.raises(Unreachable, match="responded with status 503"):
        world.ask()
    assert len(world.main.requests) == FAILURES
    world.seconds[0] += PAUSE_SECONDS
    world.ask()


def test_too_many_requests_are_followed_by_a_longer_pause(world: World) -> None:
    world.main.status = 429
    with pytest.raises(Unreachable, match="too many"):
        world.ask()
    world.main.status = 200
    world.seconds[0] += LIMITS.pause_seconds - 1
    with pytest.raises(Unreachable, match="too many"):
        world.ask()
    world.seconds[0] += 1
    world.ask()


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"<html>", "not JSON"),
        (b"[]", "no object"),
        (b"{}", "limits is no object"),
        (b"9" * 5_000, "not JSON"),
        (b" " * 2**18, "too long"),
    ],
)
def test_a_malformed_response_is_none(body: bytes, words: str, world: World) -> None:
    world.main.body = body
    with pytest.raises(Unreachable, match=words):
        world.ask()


def test_fees_that_take_all_of_the_deposit_are_not_quoted(world: World) -> None:
    world.main.capital = WHOLE
    with pytest.raises(Unreachable, match="more than the deposit"):
        world.ask()
    world.main.capital = WHOLE * 9 // 10
    with pytest.raises(Unreachable, match="all of the deposit"):
        world.ask()


def test_what_is_asked_below_zero_counts_as_nothing(world: World) -> None:
    world.main.capital = world.main.pool = -(10**14)
    world.main.gas = -5
    assert world.ask().details["pctFee"] == 0
    assert world.ask().details["flatFee"] == "0"
