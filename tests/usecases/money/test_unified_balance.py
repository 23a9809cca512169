"""The unified balance in treasury and reconciliation: compared with the books, and explained."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from crossway.domain.errors import Conflict, Forbidden
from crossway.domain.intent import State
from crossway.domain.ledger import Account, unified_location
from crossway.domain.roles import Role
from crossway.usecases.money import inventory_adjustments, unified_balance
from crossway.usecases.money.reconciliation import reconcile
from crossway.usecases.money.reconciliation_findings import Reconciliation
from tests.engine.funding_world import ARBITRUM, BASE, DEPOSIT, MINT, FundingWorld
from tests.services import caller

MAINNET = unified_location(testnet=False)


@pytest.fixture
def world(tmp_path: Path) -> FundingWorld:
    return FundingWorld(tmp_path, "GATEWAY")


def run(world: FundingWorld) -> Reconciliation:
    return reconcile(world.services, world.operator)


def paid_and_settled(world: FundingWorld) -> int:
    """A payment whose payout was minted; returns what Circle took."""
    intent = world.pay()
    world.wait_for_state(intent, State.COMPLETED)
    world.wait_moved(intent, DEPOSIT, "CLOSED")
    mint = world.moved(intent, MINT)
    return 0 if mint is None else mint.source_amount - mint.amount


def test_books_and_service_agree_after_a_payment(world: FundingWorld) -> None:
    paid_and_settled(world)
    result = run(world)
    assert [d.message for d in result.differences] == []
    assert not result.missing_opening_balances


def test_the_treasury_lists_it_as_a_place(world: FundingWorld) -> None:
    balances = unified_balance.list_unified_balances(world.services, world.operator)
    main, test = balances
    assert (main.location, test.location) == (MAINNET, unified_location(testnet=True))
    assert main.available == main.booked == world.unified()


@pytest.mark.slow
def test_what_moves_explains_what_differs(world: FundingWorld) -> None:
    """In every second of a payment, books and service differ by nothing or for a moment."""
    world.set_inventory(ARBITRUM, 0)
    intent = world.pay()
    is_explained = []
    for _ in range(70):
        world.pass_time(1)
        result = reconcile(replace(world.services, sandbox=world.sandbox), world.operator)
        differences = [d for d in result.differences if d.kind in ("unified", "in_transit")]
        is_explained += [d.is_transient for d in differences]
        assert all(d.is_transient for d in differences), [d.message for d in differences]
    assert world.state(intent, DEPOSIT) == "CLOSED"
    assert is_explained


def test_a_deposit_of_somebody_else_is_a_difference(world: FundingWorld) -> None:
    paid_and_settled(world)
    gateway = world.services.inventory_bridges["GATEWAY"]
    transfer = world.first_moved(DEPOSIT)
    wallet = gateway.invocations(transfer)[-1].to
    token = world.services.catalogue.tokens[BASE, "USDC"].address
    world.sandbox.deposit(BASE, wallet, token, 7_000_000)
    world.pass_time(12)
    [difference] = run(world).differences
    assert (difference.kind, difference.chain, difference.is_transient) == (
        "unified",
        MAINNET,
        False,
    )
    assert difference.chain_amount - difference.ledger_amount == 7_000_000
    assert difference.message.startswith("The unified balance at Circle Gateway is 1000032")
    book = partial(
        inventory_adjustments.book_difference, world.services, world.operator, MAINNET, "USDC"
    )
    with pytest.raises(Conflict):
        book(6_000_000, "Ada deposited it", "unified")
    assert book(7_000_000, "Ada deposited it", "unified") == (
        "The unified balance at Circle Gateway: 7 USDC booked as added."
    )
    assert run(world).differences == []
    assert world.booked(Account.INVENTORY, MAINNET) == world.unified()


def test_a_service_that_does_not_answer_is_named(world: FundingWorld) -> None:
    world.set_faults("GATEWAY", silent=True)
    assert run(world).sentences() == [
        "The unified balance at Circle Gateway did not respond: Circle Gateway does not answer"
    ]


def test_what_was_there_before_the_books_is_recorded_once(world: FundingWorld) -> None:
    """On a live network, nobody but the operator knows it."""
    fee = paid_and_settled(world)
    services = replace(world.services, sandbox=None)
    missing = reconcile(services, world.operator).missing_opening_balances
    assert missing[MAINNET, "inventory", "USDC"] == 1_000_000 * 10**6 + 25_000_000 - fee - (
        world.booked(Account.INVENTORY, MAINNET)
    )
    messages = inventory_adjustments.book_opening_balances(services, world.operator)
    assert "The unified balance at Circle Gateway: opening balance booked." in messages
    assert world.booked(Account.INVENTORY, MAINNET) == world.unified()
    again = inventory_adjustments.book_opening_balances(services, world.operator)
    assert not [m for m in again if "unified" in m]
    assert not reconcile(services, world.operator).differences


def test_a_viewer_sees_it_and_others_do_not(world: FundingWorld) -> None:
    viewer = replace(world.operator, role=Role.VIEWER)
    assert unified_balance.list_unified_balances(world.services, viewer)
    assert unified_balance.list_open_transfers(world.services, viewer) == []
    with pytest.raises(Forbidden):
        unified_balance.list_open_transfers(world.services, caller())
