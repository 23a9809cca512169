"""How much of open payments may depend on one token's price."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from crossway.dashboard.views.treasury_details import describe_limits
from crossway.domain.errors import Forbidden, InvalidInput
from crossway.domain.intent import State
from crossway.domain.price_risk import PricePolicy
from crossway.usecases.pricing.exposure_limit import list_token_exposures
from tests.harness import CATALOGUE, Harness

BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Harness]:
    """A limit of 60 USD a token; a payment is of 25."""
    url = f"sqlite:///{tmp_path / 'crossway.db'}"
    built = Harness(url, chains=[BASE, ARBITRUM], prices=PricePolicy(exposure_micro_usd=60_000_000))
    yield built
    built.store.close()


def token(chain: str, symbol: str) -> str:
    return CATALOGUE.tokens[chain, symbol].address


def exposures(world: Harness) -> dict[str, tuple[int, int]]:
    found = list_token_exposures(world.services, world.operator)
    return {e.symbol: (e.payments, e.micro_usd) for e in found}


def test_a_payment_above_the_limit_is_refused_until_others_end(world: Harness) -> None:
    paid_in, _ = (world.create_intent(token_in=token(BASE, "ETH")) for _ in range(2))
    assert exposures(world) == {"ETH": (2, 50_000_000)}
    with pytest.raises(InvalidInput, match=r"^amount: payments with ETH .* 10\.00 USD now"):
        world.create_intent(token_in=token(BASE, "ETH"))
    with pytest.raises(InvalidInput, match="payments with ETH are limited"):
        world.create_intent(token_out=token(ARBITRUM, "ETH"))
    assert exposures(world) == {"ETH": (2, 50_000_000)}
    world.deposit(paid_in)
    world.wait_for_state(paid_in, State.COMPLETED)
    assert exposures(world) == {"ETH": (1, 25_000_000)}
    world.create_intent(token_in=token(BASE, "ETH"))


def test_both_volatile_tokens_of_a_payment_count_and_stable_or_same_ones_do_not(
    world: Harness,
) -> None:
    for paid, received in (("USDC", "USDC"), ("USDT", "USDC"), ("ETH", "ETH"), ("WETH", "ETH")):
        for _ in range(3):
            world.create_intent(token_in=token(BASE, paid), token_out=token(ARBITRUM, received))
    assert exposures(world) == {}
    world.create_intent(token_in=token(BASE, "ETH"), token_out=token(ARBITRUM, "LINK"))
    assert exposures(world) == {"ETH": (1, 25_000_000), "LINK": (1, 25_000_000)}
    found = list_token_exposures(world.services, world.operator)
    assert describe_limits(found)[0] == (
        "25.00 USD of open payments depend on the price of ETH; "
        "new ones are refused above 60.00 USD."
    )
    unlimited = [replace(found[0], limit_micro_usd=None)]
    assert describe_limits(unlimited)[0].endswith("there is no limit.")


def test_expired_and_refunded_payments_leave_no_exposure(world: Harness) -> None:
    intent = world.create_intent(token_in=token(BASE, "ETH"))
    world.deposit(intent, "short")
    world.pass_time(3_700, 100)
    world.wait_for_state(intent, State.REFUNDED, within=300)
    assert exposures(world) == {}


def test_only_staff_see_exposures(world: Harness) -> None:
    with pytest.raises(Forbidden):
        list_token_exposures(world.services, world.caller)
