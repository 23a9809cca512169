"""What open payments gain or lose by prices, without the fees that are in their deposits."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from crossway.adapters.prices.fixed import FixedPrices
from crossway.domain.intent import State
from crossway.domain.price_risk import PricePolicy
from crossway.ports.services import Services
from crossway.usecases.money.price_exposure import Exposure, list_exposures
from tests.harness import CATALOGUE, PRICES, START, Harness

BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
ETH_USD = 1_987


@pytest.fixture
def world(tmp_path: Path) -> Harness:
    """Without a spread, and with a merchant who takes 1 % of every payment."""
    url, prices = f"sqlite:///{tmp_path / 'crossway.db'}", PricePolicy(option_percent=0)
    world = Harness(url, chains=(BASE, ARBITRUM), prices=prices)
    world.caller = replace(world.caller, client=replace(world.caller.client, app_fee_bps=100))
    return world


def token(chain: str, symbol: str) -> str:
    return CATALOGUE.tokens[chain, symbol].address


def at_price(world: Harness, eth_usd: int) -> Services:
    """The same service where ETH costs so much."""
    prices = PRICES | {"ETH": eth_usd * 10**12}
    return replace(world.services, prices=FixedPrices(prices, datetime.fromtimestamp(START, UTC)))


def only(world: Harness, eth_usd: int) -> Exposure:
    [exposure] = list_exposures(at_price(world, eth_usd), world.operator)
    return exposure


def test_what_is_exposed_is_the_payout_against_the_deposit_without_fees(world: Harness) -> None:
    intents = [world.create_intent(token_in=token(BASE, "ETH")) for _ in range(2)]
    # The payer pays more than the 50 USD that are paid out, and none of that is a gain.
    fees = sum(i.costs.total_micro_usd - i.costs.amount_micro_usd for i in intents)
    assert fees > 2 * 250_000
    same = only(world, ETH_USD)
    assert (same.payments, same.agreed_micro_usd) == (2, 50_000_000)
    # Units are rounded up, micro-USD down, so that a few millionths are left.
    assert same.gain_micro_usd == pytest.approx(0, abs=4)
    # 50 USD at 1,987 are 0.0251635 ETH: at 1,500 worth 37.745344 USD.
    assert only(world, 1_500).gain_micro_usd == pytest.approx(37_745_344 - 50_000_000, abs=4)
    assert only(world, 2_980).gain_micro_usd == pytest.approx(74_987_418 - 50_000_000, abs=4)


def test_a_payout_in_a_token_that_rises_is_a_loss(world: Harness) -> None:
    world.create_intent(token_out=token(ARBITRUM, "ETH"))
    # 25 USD at 1,987 are 0.012581781 ETH, worth 31.454454 USD at 2,500.
    loss = only(world, 2_500).gain_micro_usd
    assert loss == pytest.approx(25_000_000 - 31_454_454, abs=4)


def test_funded_payments_are_listed_apart_and_those_of_one_asset_not_at_all(
    world: Harness,
) -> None:
    for paid, received in (("USDC", "USDC"), ("ETH", "ETH"), ("WETH", "ETH")):
        world.create_intent(token_in=token(BASE, paid), token_out=token(ARBITRUM, received))
    assert list_exposures(world.services, world.operator) == []
    paid_in, _ = (world.create_intent(token_in=token(BASE, "ETH")) for _ in range(2))
    world.deposit(paid_in)
    world.wait_for_state(paid_in, State.FUNDED, State.INITIATED)
    exposures = list_exposures(world.services, world.operator)
    assert sorted((e.committed, e.payments, e.agreed_micro_usd) for e in exposures) == [
        (False, 1, 25_000_000),
        (True, 1, 25_000_000),
    ]
    world.wait_for_state(paid_in, State.COMPLETED)
    assert [e.committed for e in list_exposures(world.services, world.operator)] == [False]


def test_without_a_price_the_gain_is_unknown(world: Harness) -> None:
    world.create_intent(token_in=token(BASE, "ETH"))
    assert only(world, 0).gain_micro_usd is None
