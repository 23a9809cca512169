"""Reconciliation of the books with the chains, and how operators resolve findings."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from crossway.domain.errors import Forbidden
from crossway.domain.intent import State
from crossway.usecases.money.price_exposure import list_exposures
from crossway.usecases.money.reconciliation import reconcile
from crossway.usecases.operating import overview
from crossway_demo.scenarios.scenario_world import BASE, ScenarioWorld
from tests.simulation import payout, sign


@pytest.fixture
def world(tmp_path: Path) -> Iterator[ScenarioWorld]:
    with closing(ScenarioWorld(tmp_path)) as scenario_world:
        yield scenario_world


def test_books_and_chains_agree_after_a_payment(world: ScenarioWorld) -> None:
    world.create_intent()
    world.deposit("over")
    world.wait_for(State.COMPLETED)
    world.settle()
    result = reconcile(world.services, world.operator)
    assert result.sentences() == ["The books and the chains agree."]


def test_an_unbooked_withdrawal_is_reported_with_both_amounts(world: ScenarioWorld) -> None:
    intent = world.create_intent()
    world.deposit("10000000")
    world.pass_time(10)
    world.deposit("2500000")
    result = reconcile(world.services, world.operator)
    name = f"The deposit address {intent.address} on Base"
    assert result.sentences() == [f"{name} holds 12.5 USDC; the books say 10 USDC."]


def test_an_unknown_transaction_is_listed_and_acknowledged(
    world: ScenarioWorld,
) -> None:
    pay_with_relayer_key(world)
    world.restart_engine()
    world.pass_time(2)
    (unknown,) = reconcile(world.services, world.operator).unknown_txs
    assert "the relayer's account made a transaction that is not in the books" in unknown.message
    assert [alarm.kind for alarm in world.alerts()] == ["outside"]
    assert overview.resolve_alerts_of_kind(world.services, world.operator, "outside") == 1
    assert world.alerts() == []
    with world.services.store.read() as unit:
        (_, actor, action, _), *_ = unit.audit_log.list_recent(1)
    assert (actor, action) == ("A shop", "alerts resolved")


def pay_with_relayer_key(world: ScenarioWorld) -> None:
    """Somebody else pays a token from the relayer's account."""
    chain = world.services.chains[BASE]
    world.pass_time(2)
    call = payout(chain, chain.deposit_address("a thief"), 1_000_000)  # type: ignore[arg-type]
    chain.broadcast(sign(chain, call))  # type: ignore[arg-type]
    world.pass_time(4)


def test_an_unreachable_chain_is_named(world: ScenarioWorld) -> None:
    world.fault(BASE, "the node does not answer", outageSeconds=60)
    assert reconcile(world.services, world.operator).sentences() == [
        "BASE_MAINNET did not respond: BASE_MAINNET does not answer"
    ]


def test_a_missing_price_is_reported(world: ScenarioWorld) -> None:
    world.create_intent(token_in=world.token(BASE, "ETH"))
    world.move_price("ETH", 50)
    (worst,) = list_exposures(world.services, world.operator)
    assert "current prices: -" in worst.describe()
    assert "unknown because a price is missing" in replace(worst, in_micro_usd=None).describe()


def test_only_staff_may_reconcile(world: ScenarioWorld) -> None:
    for ask in (reconcile, list_exposures):
        with pytest.raises(Forbidden):
            ask(world.services, world.caller)
    with pytest.raises(Forbidden):
        overview.resolve_alerts_of_kind(world.services, world.caller, "outside")
