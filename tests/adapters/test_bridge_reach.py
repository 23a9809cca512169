"""Which chains and tokens each bridge carries, by its own tables, and whom payers trust.

The expected reach is written here by hand; it is not derived from the data files.
"""

from itertools import permutations

import pytest

from crossway.adapters.bridges.models import Across, Cctp
from crossway.domain.bridge_transfer import Custody
from crossway.domain.network_costs import ChainCosts, PayoutPath, network_fee
from crossway.domain.quotes import (
    BridgeName,
    BridgeQuote,
    QuoteRejected,
    Route,
    RouteRequest,
    cctp_max_fee,
)
from tests.services import BRIDGES, CATALOGUE, NOW

ACROSS, CCTP, GATEWAY, RHINOFI, INVENTORY = BRIDGES
ENFORCED_ACROSS, ENFORCED_CCTP = Across(CATALOGUE, True), Cctp(CATALOGUE, True)
CIRCLE = ["ARBITRUM", "AVALANCHE", "BASE", "ETHEREUM", "HYPEREVM", "OPTIMISM", "POLYGON"]
MAIN = {
    "Across": {
        "ARBITRUM": "USDC USDT WETH WBTC DAI ARB",
        "AVALANCHE": "USDC USDT",
        "BASE": "USDC USDT WETH DAI",
        "BSC": "USDC USDT",
        "ETHEREUM": "USDC USDT WETH WBTC DAI ARB WLD",
        "HYPEREVM": "USDC USDT",
        "LISK": "USDC USDT WETH WBTC",
        "MONAD": "USDC USDT WETH WBTC",
        "OPTIMISM": "USDC USDT WETH WBTC DAI WLD",
        "POLYGON": "USDC USDT WETH WBTC DAI",
    },
    "CCTP": dict.fromkeys(
        ["ARBITRUM", "AVALANCHE", "BASE", "ETHEREUM", "HYPEREVM", "MONAD", "OPTIMISM", "POLYGON"],
        "USDC",
    ),
    "Gateway": dict.fromkeys(
        ["ARBITRUM", "AVALANCHE", "BASE", "ETHEREUM", "HYPEREVM", "OPTIMISM", "POLYGON", "SOLANA"],
        "USDC",
    ),
    "rhino.fi": {
        "ARBITRUM": "ETH USDC USDT WBTC",
        "AVALANCHE": "USDC USDT",
        "BASE": "ETH EURC USDC USDT WBTC",
        "BSC": "BNB ETH USDC USDT WBTC",
        "ETHEREUM": "ETH USDC USDT WBTC",
        "OPTIMISM": "ETH USDC USDT",
        "POLYGON": "USDC USDT",
        "SOLANA": "USDC USDT",
        "STARKNET": "ETH USDC USDT WBTC",
        "TRON": "USDT",
    },
}
CIRCLE_TEST = ["ARBITRUM", "AVALANCHE", "BASE", "ETHEREUM", "OPTIMISM"]
TEST = {
    "Across": dict.fromkeys(["ARBITRUM", "BASE", "ETHEREUM", "OPTIMISM"], "USDC WETH"),
    "CCTP": dict.fromkeys([*CIRCLE_TEST, "MONAD"], "USDC"),
    "Gateway": dict.fromkeys([*CIRCLE_TEST, "SOLANA"], "USDC"),
    "rhino.fi": {},
}
MODELS = {"Across": ACROSS, "CCTP": CCTP, "Gateway": GATEWAY, "rhino.fi": RHINOFI}


def expected_routes(name: str) -> dict[tuple[str, str], set[str]]:
    """The pairs of chains that have a token in common, with these tokens."""
    routes = {}
    for suffix, reach in (("MAINNET", MAIN[name]), ("TESTNET", TEST[name])):
        for source, destination in permutations(reach, 2):
            if common := set(reach[source].split()) & set(reach[destination].split()):
                routes[f"{source}_{suffix}", f"{destination}_{suffix}"] = common
    return routes


@pytest.mark.parametrize("name", MODELS)
def test_a_bridge_carries_what_both_chains_of_its_table_have(name: str) -> None:
    found = {(r.source, r.destination): set(r.symbols or ()) for r in MODELS[name].routes()}
    assert found == expected_routes(name)


@pytest.mark.parametrize(
    ("modelled", "enforced"), [(ACROSS, ENFORCED_ACROSS), (CCTP, ENFORCED_CCTP)]
)
def test_enforced_routes_are_the_same_and_have_the_custody_of_the_bridge(
    modelled, enforced
) -> None:
    assert [(r.source, r.destination, r.symbols) for r in enforced.routes()] == [
        (r.source, r.destination, r.symbols) for r in modelled.routes()
    ]
    assert {r.custody for r in enforced.routes()} == {Custody.BRIDGE}
    assert {r.custody for r in modelled.routes()} == {Custody.OPERATOR}


def test_rhinofi_exchanges_dollars_for_each_other_and_no_other_bridge_exchanges() -> None:
    exchanged = {(r.source, r.destination): r.exchanged for r in RHINOFI.routes()}
    both = {("USDC", "USDT"), ("USDT", "USDC")}
    assert exchanged["BASE_MAINNET", "ARBITRUM_MAINNET"] == both
    # Tron has USDT alone.
    assert exchanged["TRON_MAINNET", "BASE_MAINNET"] == {("USDT", "USDC")}
    assert exchanged["BASE_MAINNET", "TRON_MAINNET"] == {("USDC", "USDT")}
    others = [bridge for bridge in BRIDGES if bridge is not RHINOFI]
    assert not any(route.exchanged for bridge in others for route in bridge.routes())


def test_an_exchange_costs_as_much_as_a_transfer_of_one_token() -> None:
    pair = "TRON_MAINNET", "BASE_MAINNET", 10**9
    requests = [RouteRequest(*pair, "USDT", received) for received in ("USDT", "USDC")]
    same, other = RHINOFI.get_quotes(requests, NOW)
    assert isinstance(same, BridgeQuote)
    assert isinstance(other, BridgeQuote)
    assert (other.fee_micro_usd, other.details) == (same.fee_micro_usd, same.details)


@pytest.mark.parametrize(
    ("symbols", "paid", "received", "carried"),
    [
        ({"USDC", "USDT"}, "USDC", "USDC", True),
        ({"USDC", "USDT"}, "USDT", "USDC", True),
        # What is exchanged one way is not so the other way, nor carried as itself.
        ({"USDC", "USDT"}, "USDC", "USDT", False),
        (set(), "USDC", "USDC", False),
        (None, "WBTC", "USDC", True),
    ],
)
def test_a_route_carries_each_symbol_as_itself_and_what_it_exchanges(
    symbols: set[str] | None, paid: str, received: str, carried: bool
) -> None:
    route = Route(
        BridgeName.RHINOFI,
        "TRON_MAINNET",
        "BASE_MAINNET",
        bidirectional=True,
        symbols=None if symbols is None else frozenset(symbols),
        exchanged=frozenset({("USDT", "USDC")}),
    )
    assert route.carries(paid, received) is carried


def test_inventory_joins_every_pair_of_chains_of_one_kind_of_network_and_any_tokens() -> None:
    pairs = {(route.source, route.destination) for route in INVENTORY.routes()}
    mainnets = [c.id for c in CATALOGUE.chains.values() if not c.testnet]
    testnets = [c.id for c in CATALOGUE.chains.values() if c.testnet]
    assert pairs == {*permutations(mainnets, 2), *permutations(testnets, 2)}
    assert {route.symbols for route in INVENTORY.routes()} == {None}
    request = RouteRequest("TRON_MAINNET", "SOLANA_MAINNET", 10**9, "TRON", "SOL")
    (answer,) = INVENTORY.get_quotes([request], NOW)
    assert isinstance(answer, BridgeQuote)


@pytest.mark.parametrize(
    ("bridge", "source", "destination", "paid", "received", "param", "reason"),
    [
        (CCTP, "BASE", "ARBITRUM", "WETH", "WETH", "tokenIn", "CCTP carries USDC only"),
        (CCTP, "BASE", "ARBITRUM", "USDC", "WETH", "tokenOut", "CCTP carries USDC only"),
        (GATEWAY, "BASE", "SOLANA", "EURC", "EURC", "tokenIn", "GATEWAY carries USDC only"),
        (
            ACROSS, "BASE", "ARBITRUM", "WETH", "USDC", "tokenIn",
            "ACROSS does not exchange WETH for USDC",
        ),
        (
            ACROSS, "BASE", "ARBITRUM", "WBTC", "WBTC", "tokenIn",
            "ACROSS does not carry WBTC BASE_MAINNET -> ARBITRUM_MAINNET",
        ),
        (
            RHINOFI, "TRON", "BASE", "USDC", "USDC", "tokenIn",
            "RHINOFI does not carry USDC TRON_MAINNET -> BASE_MAINNET",
        ),
        (
            RHINOFI, "BASE", "ARBITRUM", "USDC", "WBTC", "tokenIn",
            "RHINOFI does not exchange USDC for WBTC",
        ),
        (CCTP, "BASE", "BSC", "USDC", "USDC", "", "CCTP does not support"),
        (ACROSS, "BASE", "SOLANA", "USDC", "USDC", "", "ACROSS does not support"),
        (ACROSS, "TRON", "BASE", "USDT", "USDT", "", "ACROSS does not support"),
        (RHINOFI, "BASE", "LISK", "USDC", "USDC", "", "RHINOFI does not support"),
    ],
)  # fmt: skip
def test_what_a_bridge_does_not_carry_is_rejected_with_the_real_reason(
    bridge, source: str, destination: str, paid: str, received: str, param: str, reason: str
) -> None:
    pair = f"{source}_MAINNET", f"{destination}_MAINNET"
    (answer,) = bridge.get_quotes([RouteRequest(*pair, 10**9, paid, received)], NOW)
    assert isinstance(answer, QuoteRejected), answer
    full = reason if "support" not in reason else f"{reason} {pair[0]} -> {pair[1]}"
    assert (answer.reason, answer.param) == (full, param)
    assert answer.supported == bool(param)


@pytest.mark.parametrize(
    ("source", "collector", "fee_on_a_thousand"),
    [
        # 1.3 and 1 basis points, and a fifth of it as a margin; standard transfers are free.
        ("BASE", "CCTP_FAST", 156_000),
        ("ETHEREUM", "CCTP_FAST", 120_000),
        ("POLYGON", "CCTP_STANDARD", 0),
    ],
)
def test_enforced_cctp_names_its_contract_and_charges_a_send_and_a_delivery(
    source: str, collector: str, fee_on_a_thousand: int
) -> None:
    request = RouteRequest(f"{source}_MAINNET", "ARBITRUM_MAINNET", 1_000_000_000)
    (quote,) = ENFORCED_CCTP.get_quotes([request], NOW)
    assert isinstance(quote, BridgeQuote)
    assert (quote.custody, quote.collector) == (Custody.BRIDGE, collector)
    assert quote.path is PayoutPath.CLAIM
    send = {"BASE": 10_000, "ETHEREUM": 1_000_000, "POLYGON": 10_000}[source]
    assert quote.network_micro_usd == send + 20_000
    assert quote.fee_micro_usd == fee_on_a_thousand + send + 20_000


def test_enforced_across_charges_a_send_and_its_relayers_gas_within_its_own_fee() -> None:
    request = RouteRequest("BASE_MAINNET", "ARBITRUM_MAINNET", 1_000_000_000, "WETH", "WETH")
    (quote,) = ENFORCED_ACROSS.get_quotes([request], NOW)
    assert isinstance(quote, BridgeQuote)
    assert (quote.custody, quote.collector) == (Custody.BRIDGE, "ACROSS")
    assert quote.path is PayoutPath.BRIDGE_RELAYER
    # 2 basis points and a call on Arbitrum; the operator pays a call on Base.
    assert quote.fee_micro_usd == 200_000 + 20_000 + 10_000
    assert quote.network_micro_usd == 10_000
    now = int(NOW.timestamp())
    assert (quote.details["fillDeadline"], quote.settle_seconds) == (now + 7_200, 0)


@pytest.mark.parametrize("bridge", [ENFORCED_CCTP, ENFORCED_ACROSS], ids=["CCTP", "ACROSS"])
@pytest.mark.parametrize("micro_usd", [1_000_000, 25_000_000, 100_000_000_000])
def test_inventory_is_dearer_wherever_contracts_carry_the_payment(bridge, micro_usd: int) -> None:
    for route in bridge.routes():
        for symbol in route.symbols or ():
            pair = route.source, route.destination
            request = RouteRequest(*pair, micro_usd, symbol, symbol)
            (enforced,) = bridge.get_quotes([request], NOW)
            (trusted,) = INVENTORY.get_quotes([request], NOW)
            assert isinstance(enforced, BridgeQuote)
            assert isinstance(trusted, BridgeQuote)
            assert enforced.fee_micro_usd < trusted.fee_micro_usd, request


@pytest.mark.parametrize(
    ("path", "charged"),
    [
        (PayoutPath.SAME_CHAIN, 100 + 2),
        (PayoutPath.INVENTORY, 150 + 5),  # Never less than a claim.
        (PayoutPath.CLAIM, 150 + 5),
        (PayoutPath.BRIDGE_RELAYER, 150),
    ],
)
def test_each_path_is_charged_its_own_calls(path: PayoutPath, charged: int) -> None:
    source = ChainCosts(start=100, fill=20, settle=30, refund=40, send=150, delivery=50)
    destination = ChainCosts(start=10, fill=2, settle=3, refund=4, send=15, delivery=5)
    assert network_fee(source, destination, 1_000, path) == charged


@pytest.mark.parametrize(
    ("path", "cost"),
    [
        (PayoutPath.INVENTORY, 100 + 30 + 7 + 2),
        (PayoutPath.CLAIM, 20 + 7 + 5),
        (PayoutPath.BRIDGE_RELAYER, 20 + 7),
    ],
)
def test_without_a_service_fee_the_whole_cost_is_charged(path: PayoutPath, cost: int) -> None:
    source = ChainCosts(100, 0, 30, 40, refund_share=7, send=20)
    assert network_fee(source, ChainCosts(0, 2, 0, 0, delivery=5), 0, path) == cost


@pytest.mark.parametrize(
    ("total", "amount", "most"),
    [
        (25_010_000, 25_000_000, 10_000),
        (25_100_000, 25_000_000, 50_200),  # A 500th of the deposit.
        (25_000_000, 25_000_000, 0),
        (499, 0, 0),
    ],
)
def test_the_fee_that_cctp_is_offered_is_that_of_the_contract(
    total: int, amount: int, most: int
) -> None:
    assert cctp_max_fee(total, amount) == most
