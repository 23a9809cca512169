"""Inventory that bridges move: on the payment's page, on the treasury and on the simulator."""

from dataclasses import replace
from pathlib import Path

import pytest
import streamlit as st

from crossway.adapters.simulated_bridges.factory import inventory_bridges
from crossway.dashboard.views import inventory_transfers as view
from crossway.dashboard.views.intent_comparison import build_comparison_rows
from crossway.dashboard.views.intent_money import build_ledger_rows
from crossway.dashboard.views.payment_steps import build_steps
from crossway.domain.intent import Intent, State
from crossway.domain.inventory_transfer import InventoryTransferKind, InventoryTransferState
from crossway.usecases.payments.timeline import get_timeline
from tests.dashboard.conftest import DashboardApp, configure
from tests.engine.funding_world import ARBITRUM, DEPOSIT, FundingWorld
from tests.harness import CATALOGUE, FIAT


@pytest.fixture
def funded(tmp_path: Path) -> FundingWorld:
    return FundingWorld(tmp_path, "GATEWAY")


def minted(world: FundingWorld) -> Intent:
    world.set_inventory(ARBITRUM, 0)
    intent = world.pay()
    world.wait_for_state(intent, State.COMPLETED)
    return intent


def test_every_state_and_kind_has_words() -> None:
    assert set(view.STATES) == set(InventoryTransferState)
    assert len({badge.text for badge in view.STATES.values()}) == len(InventoryTransferState)


def test_a_payment_lists_what_is_moved_for_it(funded: FundingWorld) -> None:
    world = funded
    intent = minted(world)
    world.wait_moved(intent, DEPOSIT, "CLOSED")
    found = get_timeline(world.services, world.operator, intent.id)
    rows = view.build_transfer_rows(CATALOGUE, found.inventory_transfers)
    cells = [[cell.text for cell in row.cells] for row in rows]
    assert [row[0] for row in cells] == [
        "Mint on Arbitrum One out of the unified balance",
        "Deposit from Base into the unified balance",
    ]
    assert {row.cells[1].badges[0].text for row in rows} == {"Arrived, final"}
    assert {row[2] for row in cells} == {"25.00 USDC"}
    assert all(row.cells[3].copy.startswith("0x") for row in rows)


def test_the_payout_waits_for_a_mint_in_a_step_of_its_own(funded: FundingWorld) -> None:
    world = funded
    intent = minted(world)
    found = get_timeline(world.services, world.operator, intent.id)
    arrived = view.build_step(CATALOGUE, found.inventory_transfers)
    assert arrived is not None
    assert (arrived.title, arrived.status) == ("Mint on Arbitrum One", "done")
    late = [
        replace(moved, state=InventoryTransferState.OVERDUE, reason="Circle does not answer")
        for moved in found.inventory_transfers
    ]
    waiting = view.build_step(CATALOGUE, late)
    funded_intent = replace(intent, state=State.FUNDED)
    steps = build_steps(funded_intent, found.transitions, awaited=waiting)
    assert [(step.title, step.status) for step in steps] == [
        ("Created", "done"),
        ("Deposit complete", "done"),
        ("Mint on Arbitrum One", "now"),
        ("Payout in progress", "todo"),
        ("Recipient paid", "todo"),
    ]
    assert steps[2].note == "Overdue: Circle does not answer"
    paid = build_steps(found.intent, found.transitions, awaited=waiting)
    assert [step.status for step in paid] == ["done"] * 5
    assert view.build_step(CATALOGUE, []) is None


def test_its_ledger_names_the_unified_balance_and_what_the_bridge_took(
    funded: FundingWorld,
) -> None:
    world = funded
    intent = minted(world)
    world.wait_moved(intent, DEPOSIT, "CLOSED")
    found = get_timeline(world.services, world.operator, intent.id)
    locations = {row.cells[4].text for row in build_ledger_rows(CATALOGUE, FIAT, found.postings)}
    assert locations == {"Base", "Arbitrum One", "The unified balance at Circle Gateway"}
    compared = {
        row.cells[0].text: row.cells[2].text for row in build_comparison_rows(CATALOGUE, found)
    }
    # Half a basis point of 25 USDC, and the gas of a burn on the cheapest chain with deposits.
    assert compared["Taken for moving inventory"] == "0.01125 USDC"
    assert compared["Spread"].endswith(" USDC")


def test_the_treasury_shows_the_unified_balance_and_what_moves(screen: DashboardApp) -> None:
    world = screen.world
    moving = inventory_bridges(world.network, CATALOGUE)
    world.services = replace(world.services, inventory_bridges=moving)
    st.cache_resource.clear()
    configure(lambda: world.services)
    screen.open("treasury")
    assert "The unified balance at Circle Gateway" in screen.text
    places = [row["cells"][0]["text"] for row in screen.widget("stock")["rows"]]
    assert "Circle Gateway" in places
    assert "No bridge is moving inventory." in screen.text


def test_the_next_action_says_what_the_payout_waits_for(funded: FundingWorld) -> None:
    world = funded
    world.set_inventory(ARBITRUM, 0)
    intent = world.pay()
    world.wait_for_state(intent, State.INITIATED)
    world.set_faults("GATEWAY", silent=True)
    world.pass_time(8)
    found = get_timeline(world.services, world.operator, intent.id)
    assert found.next_action.startswith("Crossway: pay the recipient. Circle Gateway brings USDC")
    [transfer] = found.inventory_transfers
    assert transfer.kind is InventoryTransferKind.MINT
    [row] = view.build_open_rows(CATALOGUE, [transfer])
    assert row.href == f"intent?id={intent.id}"
    assert "does not answer" in row.cells[2].sub
