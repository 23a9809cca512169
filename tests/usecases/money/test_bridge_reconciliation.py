"""Reconciliation of what bridges carry: with open transfers, and with bridges' contracts."""

from pathlib import Path

import pytest

from crossway.domain.intent import State
from crossway.domain.ledger import NO_INTENT, Account, Posting
from crossway.ports.sandbox import Faults
from crossway.usecases.money.reconciliation import reconcile
from crossway.usecases.money.reconciliation_findings import Difference
from tests.bridges.world import BridgeWorld
from tests.harness import CATALOGUE

AGREE = ["The books and the chains agree."]
BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
USDC = CATALOGUE.tokens[ARBITRUM, "USDC"].address


@pytest.fixture
def world(tmp_path: Path) -> BridgeWorld:
    return BridgeWorld(tmp_path)


def sentences(world: BridgeWorld) -> list[str]:
    return reconcile(world.services, world.operator).sentences()


def balance(world: BridgeWorld, account: Account, chain: str) -> int:
    with world.store.read() as unit:
        balances = unit.ledger.get_balances()
    token = CATALOGUE.tokens[chain, "USDC"].address
    return balances.get((account, chain, token), 0)


def move(world: BridgeWorld, debit: Account, credit: Account, chain: str = ARBITRUM) -> None:
    """Book one USDC that nobody moved."""
    token = CATALOGUE.tokens[chain, "USDC"].address
    posting = Posting(NO_INTENT, chain, token, debit, credit, 1_000_000, "wrong")
    world.store.write(lambda unit: unit.ledger.post([posting], world.clock.now()))


def difference(world: BridgeWorld, kind: str) -> Difference:
    found = reconcile(world.services, world.operator).differences
    [one] = [each for each in found if each.kind == kind]
    return one


def test_books_and_chains_agree_at_every_step_of_a_payment(world: BridgeWorld) -> None:
    intent = world.pay()
    world.wait_for(intent, "SEEN")
    assert balance(world, Account.IN_TRANSIT, BASE) == intent.terms.deposit_amount
    assert sentences(world) == AGREE
    world.wait_for_state(intent, State.COMPLETED)
    assert balance(world, Account.IN_TRANSIT, BASE) == 0
    assert balance(world, Account.OWED, ARBITRUM) == world.held(intent, intent.bridger) > 0
    assert sentences(world) == AGREE
    world.wait_for(intent, "CLOSED")
    assert sentences(world) == AGREE


def test_parked_money_is_what_the_contract_has_parked(world: BridgeWorld) -> None:
    intent = world.pay()
    world.wait_for(intent, "SEEN")
    world.sandbox.inject_faults(ARBITRUM, Faults(refuse=(intent.terms.recipient,)))
    world.wait_for(intent, "PARKED")
    assert balance(world, Account.PARKED, ARBITRUM) == world.held(intent, intent.bridger) > 0
    assert sentences(world) == AGREE
    move(world, Account.PARKED, Account.EQUITY)
    message = difference(world, "parked").message
    assert message.startswith("The contracts of bridges on Arbitrum One have parked")


def test_a_withdrawal_that_is_not_booked_is_a_difference(world: BridgeWorld) -> None:
    intent = world.pay()
    world.wait_for_state(intent, State.COMPLETED)
    move(world, Account.OWED, Account.EQUITY)
    found = difference(world, "owed")
    assert found.ledger_amount - found.chain_amount == 1_000_000
    assert found.message.startswith("The contracts of bridges on Arbitrum One owe the coordinator")
    assert (found.is_transient, "withdrew" in found.reason) == (False, True)


def test_books_of_a_transfer_that_is_not_open_are_a_difference(world: BridgeWorld) -> None:
    world.wait_for_state(world.pay(), State.COMPLETED)
    move(world, Account.IN_TRANSIT, Account.EQUITY, BASE)
    found = difference(world, "in_transit")
    assert found.message == "On its way over bridges from Base are 0 USDC; the books say 1 USDC."
