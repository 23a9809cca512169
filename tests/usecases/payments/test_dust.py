"""Which amounts are dust: those whose known value is below the cost of returning them."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from crossway.adapters.prices.fixed import FixedPrices
from crossway.domain.intent import State
from crossway.domain.outbound import OutboundTxKind, OutboundTxState
from crossway.engine.loop import Engine
from crossway.ports.policy import Policy
from crossway.usecases.payments.dust import is_dust
from tests.harness import CATALOGUE, START, Harness

BASE, ETHEREUM, OPTIMISM = "BASE_MAINNET", "ETHEREUM_MAINNET", "OPTIMISM_MAINNET"
USDC, USDT = (CATALOGUE.tokens[BASE, symbol].address for symbol in ("USDC", "USDT"))
NO_TOKEN = "0x52908400098527886E0F7030069857D2E4169EE7"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Harness]:
    built = Harness(f"sqlite:///{tmp_path / 'crossway.db'}", chains=[BASE, ETHEREUM, OPTIMISM])
    yield built
    built.store.close()


def with_price_of_usdt(world: Harness, pico_usd: int | None) -> Harness:
    prices = {} if pico_usd is None else {"USDT": pico_usd}
    at = datetime.fromtimestamp(START, UTC)
    world.services = replace(world.services, prices=FixedPrices(prices, at))
    world.engine = Engine(world.services, "test", sole=True)
    return world


@pytest.mark.parametrize(
    ("chain", "factor", "cost_in_micro_usd"),
    [(BASE, 1, 10_000), (BASE, 3, 30_000), (ETHEREUM, 1, 1_000_000)],
)
def test_an_amount_of_the_payments_own_token_is_dust_below_the_cost_of_returning_it(
    world: Harness, chain: str, factor: int, cost_in_micro_usd: int
) -> None:
    """A transfer costs a cent on Base and a dollar on Ethereum; a unit of USDC is a micro-USD."""
    intent = world.create_intent(chain, OPTIMISM)
    services = replace(world.services, policy=Policy(dust_factor=factor))
    token = CATALOGUE.tokens[chain, "USDC"].address
    assert is_dust(services, intent, token, chain, cost_in_micro_usd - 1)
    assert not is_dust(services, intent, token, chain, cost_in_micro_usd)


def test_another_token_is_valued_at_its_price_rounded_down(world: Harness) -> None:
    services = with_price_of_usdt(world, 999_000_000_000).services
    intent = world.create_intent(BASE, OPTIMISM)
    # 10 010 units at 0.999 are worth 9 999.99 micro-USD, 10 011 units 10 000.989.
    assert is_dust(services, intent, USDT, BASE, 10_010)
    assert not is_dust(services, intent, USDT, BASE, 10_011)


def test_an_amount_of_unknown_value_is_never_dust(world: Harness) -> None:
    services = with_price_of_usdt(world, None).services
    intent = world.create_intent(BASE, OPTIMISM)
    assert not is_dust(services, intent, USDT, BASE, 1)
    assert not is_dust(services, intent, NO_TOKEN, BASE, 1)


def test_a_token_without_a_price_is_returned_to_the_payer(world: Harness) -> None:
    with_price_of_usdt(world, None)
    intent = world.create_intent(BASE, OPTIMISM)
    world.deposit(intent, "5", token=USDT)
    world.deposit(intent)
    world.wait_for_state(intent, State.COMPLETED)
    world.pass_time(60)
    with world.store.read() as unit:
        (returned,) = unit.outbound_txs.list_by_intents([intent.id], OutboundTxKind.RETURN_EXCESS)
    assert returned.state in (OutboundTxState.CONFIRMED, OutboundTxState.FINAL)
    refund_address = intent.terms.refund_address
    balances = world.services.chains[BASE].balances([refund_address], USDT)
    assert balances == {refund_address: 5}
