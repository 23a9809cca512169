"""The bridge models and INVENTORY: exact fees, routes, limits and ABI-encoded data."""

from itertools import permutations

import pytest

from crossway.domain.bridge_transfer import Custody
from crossway.domain.quotes import BridgeQuote, QuoteRejected, RouteRequest
from tests.services import BRIDGES, CATALOGUE, NOW

ACROSS, CCTP, GATEWAY, RHINOFI, INVENTORY = BRIDGES
THOUSAND = 1_000_000_000
MAINNETS = [c.id for c in CATALOGUE.chains.values() if not c.testnet]
TESTNETS = [c.id for c in CATALOGUE.chains.values() if c.testnet]


def offer(
    bridge, source: str, destination: str, symbol: str = "USDC", micro_usd: int = THOUSAND
) -> BridgeQuote:
    request = RouteRequest(source, destination, micro_usd, symbol, symbol)
    (answer,) = bridge.get_quotes([request], NOW)
    assert isinstance(answer, BridgeQuote), answer
    return answer


def rejection(bridge, source: str, destination: str, paid: str, received: str) -> QuoteRejected:
    (answer,) = bridge.get_quotes(
        [RouteRequest(source, destination, THOUSAND, paid, received)], NOW
    )
    assert isinstance(answer, QuoteRejected), answer
    return answer


def network_costs(source: str, destination: str) -> int:
    """A start on the source, a fill and the bridge's arrival on the destination."""
    start = CATALOGUE.chains[source].transfer_cost_micro_usd
    return start + 2 * CATALOGUE.chains[destination].transfer_cost_micro_usd


def word_values(extra_data: str) -> list[int]:
    digits = extra_data.removeprefix("0x")
    assert len(digits) % 64 == 0
    return [int(digits[at : at + 64], 16) for at in range(0, len(digits), 64)]


@pytest.mark.parametrize(
    ("family", "micro_usd_on_a_thousand", "threshold", "seconds"),
    [
        ("ARBITRUM", 130_000, 1000, 8),
        ("AVALANCHE", 0, 2000, 8),
        ("BASE", 130_000, 1000, 8),
        ("ETHEREUM", 100_000, 1000, 20),
        ("HYPEREVM", 0, 2000, 5),
        ("MONAD", 0, 2000, 5),
        ("OPTIMISM", 130_000, 1000, 8),
        ("POLYGON", 0, 2000, 8),
    ],
)
def test_cctp_fees_equal_circles_schedule(
    family: str, micro_usd_on_a_thousand: int, threshold: int, seconds: int
) -> None:
    source = f"{family}_MAINNET"
    destination = "BASE_MAINNET" if family != "BASE" else "ETHEREUM_MAINNET"
    result = offer(CCTP, source, destination)
    assert result.details == {
        "maxFee": str(micro_usd_on_a_thousand),
        "minFinalityThreshold": threshold,
    }
    assert result.fee_micro_usd == micro_usd_on_a_thousand + network_costs(source, destination)
    assert result.fill_seconds == result.settle_seconds == seconds


@pytest.mark.parametrize(
    ("family", "gas_micro_usd"),
    [
        ("ARBITRUM", 10_000),
        ("AVALANCHE", 20_000),
        ("BASE", 10_000),
        ("ETHEREUM", 2_000_000),
        ("HYPEREVM", 50_000),
        ("OPTIMISM", 1_500),
        ("POLYGON", 1_500),
        ("SOLANA", 150_000),
    ],
)
def test_gateway_charges_half_a_basis_point_plus_burn_gas(family: str, gas_micro_usd: int) -> None:
    source = f"{family}_MAINNET"
    destination = "BASE_MAINNET" if family != "BASE" else "ETHEREUM_MAINNET"
    result = offer(GATEWAY, source, destination)
    assert result.details == {"pctFee": 5 * 10**13, "gasFee": str(gas_micro_usd)}
    assert result.fee_micro_usd == 50_000 + gas_micro_usd + network_costs(source, destination)


def test_across_charges_a_share_plus_destination_gas() -> None:
    result = offer(ACROSS, "BASE_MAINNET", "LISK_MAINNET")
    gas = CATALOGUE.chains["LISK_MAINNET"].transfer_cost_micro_usd
    assert result.details == {
        "timestamp": int(NOW.timestamp()),
        "fillDeadline": int(NOW.timestamp()) + 6 * 3600,
        "pctFee": 2 * 10**14,
        "flatFee": str(gas),
    }
    assert result.fee_micro_usd == 200_000 + network_costs("BASE_MAINNET", "LISK_MAINNET")
    assert result.settle_seconds >= 3600


def test_rhinofi_charges_a_share_plus_destination_gas() -> None:
    result = offer(RHINOFI, "TRON_MAINNET", "STARKNET_MAINNET", "USDT")
    gas = CATALOGUE.chains["STARKNET_MAINNET"].transfer_cost_micro_usd
    assert result.details == {"pctFee": 8 * 10**14, "gasFee": str(gas), "vaultId": 10}
    assert result.fee_micro_usd == 800_000 + network_costs("TRON_MAINNET", "STARKNET_MAINNET")


def test_inventory_charges_ten_basis_points_and_what_a_bridges_delivery_costs() -> None:
    result = offer(INVENTORY, "TRON_MAINNET", "SOLANA_MAINNET")
    assert result.details == {"pctFee": 10**15, "flatFee": "2000"}
    # 10 basis points of 1000 USD; a start on Tron, a fill and a delivery on Solana.
    assert result.fee_micro_usd == 1_000_000 + 600_000 + 2_000 + 2_000
    assert (result.fill_seconds, result.settle_seconds) == (3, 0)
    assert result.custody is Custody.OPERATOR


@pytest.mark.parametrize("bridge", BRIDGES, ids=lambda bridge: bridge.name)
def test_every_route_is_priced_above_network_costs(bridge) -> None:
    legs = [
        RouteRequest(route.source, route.destination, 100_000_000, symbol, symbol)
        for route in bridge.routes()
        for symbol in route.symbols or ["USDC"]
    ]
    answers = bridge.get_quotes(legs, NOW)
    assert [answer.request for answer in answers] == legs
    for answer in answers:
        assert isinstance(answer, BridgeQuote)
        costs = network_costs(answer.request.source, answer.request.destination)
        assert answer.fee_micro_usd >= costs
        assert answer.fill_seconds > 0


@pytest.mark.parametrize("bridge", BRIDGES, ids=lambda bridge: bridge.name)
def test_routes_stay_within_one_network_and_state_whether_bidirectional(bridge) -> None:
    pairs = {(route.source, route.destination) for route in bridge.routes()}
    for route in bridge.routes():
        assert route.source != route.destination
        source, destination = CATALOGUE.chains[route.source], CATALOGUE.chains[route.destination]
        assert source.testnet == destination.testnet
        assert route.bidirectional == ((route.destination, route.source) in pairs)


@pytest.mark.parametrize("network", [MAINNETS, TESTNETS], ids=["mainnets", "testnets"])
def test_every_pair_of_chains_is_served_by_some_bridge(network: list[str]) -> None:
    joined = {(r.source, r.destination) for bridge in BRIDGES for r in bridge.routes()}
    assert set(permutations(network, 2)) <= joined


@pytest.mark.parametrize("bridge", BRIDGES, ids=lambda bridge: bridge.name)
def test_an_unsupported_pair_is_rejected_with_a_reason(bridge) -> None:
    leg = RouteRequest("BASE_MAINNET", "BASE_TESTNET", THOUSAND)
    (answer,) = bridge.get_quotes([leg], NOW)
    reason = f"{bridge.name} does not support BASE_MAINNET -> BASE_TESTNET"
    assert answer == QuoteRejected(bridge.name, leg, reason, supported=False, param="")


@pytest.mark.parametrize(
    ("bridge", "least", "most"),
    [
        (ACROSS, "1.00", "1000000.00"),
        (CCTP, "0.01", "10000000.00"),
        (GATEWAY, "0.01", "10000000.00"),
        (RHINOFI, "0.01", "100000.00"),
        (INVENTORY, "0.01", "1000000.00"),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_amounts_outside_the_limits_are_refused_naming_the_limit(
    bridge, least: str, most: str
) -> None:
    pair = "BASE_MAINNET", "POLYGON_MAINNET"
    at_least, at_most = (int(text.replace(".", "")) * 10_000 for text in (least, most))
    answers = bridge.get_quotes(
        [RouteRequest(*pair, units) for units in (at_least - 1, at_least, at_most, at_most + 1)],
        NOW,
    )
    under, low, high, over = answers
    assert isinstance(under, QuoteRejected)
    assert under.reason == f"{bridge.name} takes at least {least} USD"
    assert isinstance(low, BridgeQuote)
    assert isinstance(high, BridgeQuote)
    assert isinstance(over, QuoteRejected)
    assert over.reason == f"{bridge.name} takes at most {most} USD"
    assert over.supported


@pytest.mark.parametrize(
    ("destination", "domain"), [("ETHEREUM_MAINNET", 0), ("HYPEREVM_MAINNET", 19)]
)
def test_cctps_words_are_fee_threshold_domain_and_token(destination: str, domain: int) -> None:
    result = offer(CCTP, "BASE_MAINNET", destination)
    token = CATALOGUE.tokens[destination, "USDC"].address
    assert word_values(result.extra_data) == [130_000, 1000, domain, int(token, 16)]


@pytest.mark.parametrize(
    "bridge", [ACROSS, GATEWAY, RHINOFI, INVENTORY], ids=lambda bridge: bridge.name
)
def test_the_other_bridges_words_are_their_fee_details(bridge) -> None:
    result = offer(bridge, "BASE_MAINNET", "POLYGON_MAINNET")
    assert word_values(result.extra_data) == [int(value) for value in result.details.values()]
