"""The catalogue of routes, chains, tokens and balances."""

import pytest

from crossway.domain.errors import InvalidInput
from crossway.domain.quotes import BridgeName, ExcludedSource
from crossway.usecases.chains import supported_chains
from crossway.usecases.pricing import quotes, router
from crossway.usecases.pricing.priced_request import QuoteRequest
from tests.services import (
    BRIDGES,
    CATALOGUE,
    NOW,
    AddressChain,
    KillSwitchStore,
    address,
    caller,
    services,
)

WALLET = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"


def test_all_routes_are_listed_by_bridge_with_their_totals() -> None:
    routes = router.list_routes(services())
    assert set(routes.bridges) == set(BridgeName)
    assert routes.total_bridges == 5
    assert routes.total_routes == sum(len(bridge.routes()) for bridge in BRIDGES)
    assert routes.updated_at == NOW
    assert all(route.enabled for listed in routes.bridges.values() for route in listed)


def test_routes_of_chains_that_are_not_configured_are_not_listed() -> None:
    only = {name: AddressChain(name, "evm") for name in ("BASE_MAINNET", "BSC_MAINNET")}
    routes = router.list_routes(services(chains=only))
    assert {(r.source, r.destination) for listed in routes.bridges.values() for r in listed} == {
        ("BASE_MAINNET", "BSC_MAINNET"),
        ("BSC_MAINNET", "BASE_MAINNET"),
    }


def test_a_disabled_route_is_listed_as_not_enabled() -> None:
    off = {
        "route:CCTP:BASE_MAINNET:POLYGON_MAINNET": "",
        "bridge:ACROSS": "",
        "chain:TRON_MAINNET": "",
    }
    routes = router.list_routes(services(store=KillSwitchStore(off))).bridges
    assert not any(route.enabled for route in routes[BridgeName.ACROSS])
    closed = {(r.source, r.destination) for r in routes[BridgeName.CCTP] if not r.enabled}
    assert closed == {("BASE_MAINNET", "POLYGON_MAINNET")}
    for route in routes[BridgeName.RHINOFI]:
        assert route.enabled == ("TRON_MAINNET" not in (route.source, route.destination))


def test_the_bridges_between_two_chains() -> None:
    bridges_between = router.list_bridges_between(services(), None, "BASE", "LISK")
    assert (bridges_between.source, bridges_between.destination) == ("BASE_MAINNET", "LISK_MAINNET")
    assert bridges_between.bridges == (BridgeName.ACROSS, BridgeName.INVENTORY)
    assert router.list_bridges_between(services(), None, "BASE", "BASE_TESTNET").bridges == ()
    with pytest.raises(InvalidInput, match=r"^sourceChain .*; destinationChain "):
        router.list_bridges_between(services(), None, "MARS", None)


def test_the_routes_of_one_bridge() -> None:
    assert router.list_routes_of_bridge(services(), "GATEWAY") == BRIDGES[2].routes()
    with pytest.raises(InvalidInput, match="bridge must be one of ACROSS, CCTP"):
        router.list_routes_of_bridge(services(), "HOP")


def test_the_optimal_route_is_that_of_the_best_quote() -> None:
    usdc = (address("BASE_MAINNET"), address("POLYGON_MAINNET"))
    request = QuoteRequest(*usdc, "BASE", "POLYGON", "5000000")
    route = router.find_optimal_route(services(), None, request)
    assert route.quote == quotes.best_quote(services(), None, request)
    assert set(route.bridges) == set(BridgeName)


def test_chains_are_listed_by_network() -> None:
    names = [chain.id for chain in supported_chains.list_chains(services())]
    assert names == list(CATALOGUE.chains)
    mainnets = supported_chains.list_chains(services(), network="mainnet")
    testnets = supported_chains.list_chains(services(), network="testnet")
    assert [c.testnet for c in mainnets + testnets] == [False] * 13 + [True] * 8
    with pytest.raises(InvalidInput, match="network must be one of"):
        supported_chains.list_chains(services(), network="moonnet")


def test_disabled_tokens_are_not_listed() -> None:
    tron = {token.symbol for token in supported_chains.list_tokens(services(), None, "TRON")}
    assert "USDT" in tron
    assert "USDC" not in tron
    listed = supported_chains.list_all_tokens(services())
    assert set(listed) == set(CATALOGUE.chains)
    assert all(token.enabled for tokens in listed.values() for token in tokens)


def test_balances_are_read_on_every_chain_that_accepts_the_address() -> None:
    configured_services = services()
    base = CATALOGUE.tokens["BASE_MAINNET", "USDC"]
    eth = CATALOGUE.tokens["ETHEREUM_MAINNET", "ETH"]
    configured_services.chains["BASE_MAINNET"].balances_by_address[WALLET, base.address] = 7
    configured_services.chains["ETHEREUM_MAINNET"].balances_by_address[WALLET, eth.address] = 9
    balances = supported_chains.get_balances(configured_services, caller(), WALLET.lower())
    assert balances.excluded == ()
    assert {CATALOGUE.chains[name].kind for name in balances.by_chain} >= {"evm"}
    assert "SOLANA_MAINNET" not in balances.by_chain
    balances_by_token = {
        h.token: h.amount for holdings in balances.by_chain.values() for h in holdings
    }
    assert balances_by_token == {base: 7, eth: 9}


def test_a_contract_with_two_symbols_is_counted_once() -> None:
    configured_services = services()
    usdt = CATALOGUE.tokens["ARBITRUM_MAINNET", "USDT"]
    assert CATALOGUE.tokens["ARBITRUM_MAINNET", "USDT0"].address == usdt.address
    configured_services.chains["ARBITRUM_MAINNET"].balances_by_address[WALLET, usdt.address] = 5
    (holding,) = supported_chains.get_balances(configured_services, caller(), WALLET).by_chain[
        "ARBITRUM_MAINNET"
    ]
    assert holding == supported_chains.TokenBalance(usdt, 5)


def test_an_unreachable_chain_is_excluded_from_the_balances_and_named() -> None:
    configured_services = services()
    configured_services.chains["BASE_MAINNET"].unavailable = True
    balances = supported_chains.get_balances(configured_services, caller(), WALLET)
    assert balances.excluded == (ExcludedSource("BASE_MAINNET", "the node is down"),)
    assert "BASE_MAINNET" not in balances.by_chain
    assert "ETHEREUM_MAINNET" in balances.by_chain


def test_an_address_of_unknown_format_is_rejected() -> None:
    with pytest.raises(InvalidInput, match=r"^address "):
        supported_chains.get_balances(services(), caller(), "not an address")
