"""A route that costs more than it earns raises an alert, which ends with its cause."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from crossway.domain.corridor_stats import CorridorVolume, Outcome
from crossway.domain.intent import Intent, State
from crossway.domain.ledger import Account, Posting
from crossway.ports.records import Alert
from crossway.usecases.money.route_losses import MIN_PAYMENTS, find_losses
from tests.databases import new_sqlite
from tests.harness import Harness

BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Harness]:
    world = Harness(new_sqlite(tmp_path), chains=(BASE, ARBITRUM))
    yield world
    world.store.close()


def pay(world: Harness) -> Intent:
    """A payment that earns 0.06325 USD and costs 0.04 USD."""
    intent = world.create_intent()
    world.deposit(intent)
    world.wait_for_state(intent, State.COMPLETED)
    world.pass_time(300, step=10)
    return intent


def book(world: Harness, intent: Intent, debit: Account, credit: Account, usdc: int) -> None:
    token = world.services.catalogue.tokens[BASE, "USDC"].address
    posting = Posting(intent.id, BASE, token, debit, credit, usdc, "0xmore")
    world.store.write(lambda unit: unit.ledger.post([posting], world.clock.now()))
    world.pass_time(600, step=60)


def end_more(world: Harness, intent: Intent, count: int) -> None:
    route = (BASE, ARBITRUM, intent.terms.bridge)
    volume = CorridorVolume("test", *route, "USDC", Outcome.PAID, 0, count, 25_000_000 * count, 0)
    world.store.write(lambda unit: unit.corridor_stats.add([volume], world.clock.now()))


def losses(world: Harness) -> list[Alert]:
    with world.store.read() as unit:
        return unit.alerts.list_active(kind="loss")


def test_a_loss_is_told_and_ends_with_its_cause(world: Harness) -> None:
    intent = pay(world)
    end_more(world, intent, MIN_PAYMENTS - 1)
    world.pass_time(600, step=60)
    assert losses(world) == []
    # A fee of 1 USD of a bridge: 0.06325 less 0.04 less 1.
    book(world, intent, Account.BRIDGE_FEES, Account.INVENTORY, 1_000_000)
    [alert] = losses(world)
    assert alert.message == (
        f"Base → Arbitrum One over {intent.terms.bridge} cost 0.98 USD more than it earned in the "
        "last 7 days, on 10 payments."
    )
    book(world, intent, Account.SERVICE_FEES, Account.ESCROW, 980_000)
    assert losses(world) == []


def test_a_loss_of_earlier_days_is_forgotten(world: Harness) -> None:
    intent = pay(world)
    end_more(world, intent, MIN_PAYMENTS - 1)
    book(world, intent, Account.BRIDGE_FEES, Account.INVENTORY, 1_000_000)
    assert len(losses(world)) == 1
    world.pass_time(7 * 86_400, step=43_200)
    assert losses(world) == []


def test_few_payments_raise_nothing(world: Harness) -> None:
    intent = pay(world)
    end_more(world, intent, MIN_PAYMENTS - 2)
    book(world, intent, Account.BRIDGE_FEES, Account.INVENTORY, 1_000_000)
    assert losses(world) == []
    assert find_losses(world.services) == []
