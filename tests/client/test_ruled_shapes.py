"""Both clients on the five shapes that wire.md §2 rules."""

from decimal import Decimal

import pytest

from crossway_client import BadRequest, Crossway
from tests.api.conftest import USDC_ARBITRUM, USDC_BASE, WALLET
from tests.client.test_client import create


def test_the_best_route_says_what_its_bridge_needs(crossway: Crossway) -> None:
    best = crossway.router.optimal_route(
        token_in=USDC_BASE,
        token_out=USDC_ARBITRUM,
        source_chain="BASE_MAINNET",
        destination_chain="ARBITRUM_MAINNET",
        amount=25_000_000,
    )
    assert (best.source_chain, best.token_out) == ("BASE_MAINNET", USDC_ARBITRUM)
    assert (best.original_amount, best.total_fees) == (25_000_000, best.total_fee)
    assert best.bridge_to_use == best.route.bridge
    assert best.bridge_to_use in best.supported_bridges


def test_the_client_of_the_key_is_told(crossway: Crossway) -> None:
    info = crossway.client_info()
    assert (info.mode, info.scopes) == ("test", ("read", "refund", "write"))
    assert info.id == info.client_id
    assert info.paymaster_enabled is False


def test_the_payments_of_a_payer_are_listed(crossway: Crossway) -> None:
    ids = [create(crossway).id for _ in range(3)]
    assert [payment.id for payment in crossway.intents.by_sender(WALLET)] == ids[::-1]
    assert [payment.id for payment in crossway.intents.by_sender(WALLET, limit=1, offset=1)] == [
        ids[1]
    ]


def test_balances_are_by_chain(crossway: Crossway) -> None:
    address = create(crossway).intent_address
    crossway.sandbox.deposit(address, 1_500_000)
    crossway.sandbox.set_clock(advance_seconds=4)
    found = crossway.chains.balances(address, network="mainnet", chain_type="EVM")
    assert found.missing == ()
    [held] = found.by_chain["BASE_MAINNET"]
    assert (held.symbol, held.balance, held.formatted) == ("USDC", 1_500_000, Decimal("1.5"))
    assert held.address == USDC_BASE
    every = crossway.chains.balances(address, include_zero_balances=True)
    assert len(every.by_chain["BASE_MAINNET"]) > 1
    with pytest.raises(BadRequest, match="chainType"):
        crossway.chains.balances(address, chain_type="BITCOIN")


def test_countries_are_listed_with_their_currencies(crossway: Crossway) -> None:
    [nigeria] = crossway.ramps.countries(currency="NGN")
    assert (nigeria.country_code, nigeria.currency.code) == ("NG", "NGN")
    assert "YELLOW_CARD" in nigeria.currency.providers
    assert nigeria.currency.min_amount > 0
    assert len(crossway.ramps.countries()) > 20
