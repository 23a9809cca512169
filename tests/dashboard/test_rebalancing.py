"""Rebalancing on the treasury page, and the page of one transfer."""

from dataclasses import replace
from pathlib import Path

import pytest
import streamlit as st

from crossway.adapters.chains.simulated.chain import SimulatedChain
from crossway.adapters.simulated_bridges.factory import inventory_bridges, simulated_bridges
from crossway.dashboard.views import rebalancing as view
from crossway.domain.clients import staff_principal
from crossway.domain.rebalancing import (
    RebalancingMode,
    RebalancingSettings,
    RebalancingState,
)
from crossway.domain.staff import INSTALLATION_OPERATOR
from crossway.ports.sandbox import Faults
from crossway.usecases.money import rebalancing_policies, rebalancing_transfers
from crossway.usecases.money.rebalancing_by_hand import plan_by_hand
from crossway.usecases.money.rebalancing_plan import suggest_plan
from tests.dashboard.conftest import DashboardApp, configure, new_dashboard, sign_in
from tests.engine.rebalancing_world import ARBITRUM, BASE, USDC, usdc
from tests.harness import CATALOGUE, EXCHANGE
from tests.staff_world import PASSWORD, StaffWorld

CHAINS = (BASE, ARBITRUM)


@pytest.fixture
def treasury(screen: DashboardApp) -> DashboardApp:
    """A dashboard in which rhino.fi moves inventory between two chains."""
    world = screen.world
    offered = simulated_bridges(CATALOGUE, EXCHANGE, inventory=False)
    world.services = replace(
        world.services,
        chains={chain: SimulatedChain(world.network, chain) for chain in CHAINS},
        bridges=[bridge for bridge in offered if bridge.name == "RHINOFI"],
        inventory_bridges={"RHINOFI": inventory_bridges(world.network, CATALOGUE)["RHINOFI"]},
    )
    st.cache_resource.clear()
    configure(lambda: world.services)
    return screen


def set_inventory(screen: DashboardApp, chain: str, units: int) -> None:
    balances = {"relayer": {"USDC": units}}
    screen.world.sandbox.inject_faults(chain, Faults(balances=balances))


def set_policy(screen: DashboardApp, chain: str, minimum: int, target: int) -> None:
    services, operator = screen.world.services, screen.world.operator
    location = rebalancing_policies.find_location(services, chain, "USDC")
    rebalancing_policies.set_policy(
        services, operator, location, minimum * USDC, target * USDC, None
    )


def propose(screen: DashboardApp) -> int:
    """A transfer by somebody else that is large enough to wait for a second person."""
    services, ada = screen.world.services, staff_principal("Ada")
    planned = plan_by_hand(services, ada, usdc(BASE), usdc(ARBITRUM), 20_000 * USDC)
    return rebalancing_transfers.carry_out(services, ada, planned).id


def test_every_mode_and_state_has_words() -> None:
    assert set(view.MODES) == set(RebalancingMode)
    assert set(view.STATES) == set(RebalancingState)
    assert len({badge.text for badge in view.STATES.values()}) == len(RebalancingState)


def test_a_fresh_installation_says_that_nothing_is_needed(treasury: DashboardApp) -> None:
    treasury.open("treasury")
    assert "Nothing is below its target or above its maximum." in treasury.text
    assert "No rebalancing transfer is on its way." in treasury.text
    assert "Nothing was moved in the last two weeks." in treasury.text
    assert "No rebalancing transfer has ended yet." in treasury.text
    assert view.MODES[RebalancingMode.SUGGEST].hint in treasury.text


def test_a_suggestion_is_carried_out_and_has_a_page(treasury: DashboardApp) -> None:
    set_inventory(treasury, ARBITRUM, 100 * USDC)
    set_policy(treasury, ARBITRUM, 1_000, 2_000)
    set_policy(treasury, BASE, 1_000, 2_000)
    treasury.open("treasury")
    suggested = "1,900.00 USDC from Base to Arbitrum One over rhino.fi, for "
    assert suggested in treasury.text
    assert "Arbitrum One has 100 USDC, less than its minimum of 1,000 USDC." in treasury.text
    # Nothing moves before the question is answered, which a test without a browser cannot do.
    treasury.click("Carry out")
    assert "At most 1,903.80 USDC leave the source." in treasury.text
    services, operator = treasury.world.services, treasury.world.operator
    (planned,) = suggest_plan(services, operator).transfers
    transfer = rebalancing_transfers.carry_out(services, operator, planned)
    assert (transfer.amount, transfer.state) == (1_900 * USDC, RebalancingState.STARTED)
    treasury.open("treasury")
    (row,) = treasury.widget("rebalancing_open")["rows"]
    assert row["href"] == f"rebalancing?id={transfer.id}"
    assert row["cells"][0]["sub"] == "Base → Arbitrum One"
    treasury.open("rebalancing", id=str(transfer.id))
    assert f"Rebalancing #{transfer.id}" in treasury.text
    steps = treasury.widget("rebalancing_steps")["steps"]
    assert [step["status"] for step in steps] == ["done", "now", "todo", "todo"]


def test_a_lack_that_nothing_serves_is_explained(treasury: DashboardApp) -> None:
    set_inventory(treasury, ARBITRUM, 100 * USDC)
    set_inventory(treasury, BASE, 0)
    set_policy(treasury, ARBITRUM, 1_000, 2_000)
    set_policy(treasury, BASE, 0, 0)
    treasury.open("treasury")
    (row,) = treasury.widget("unserved")["rows"]
    assert [cell.get("text") for cell in row["cells"]][:2] == ["Arbitrum One", "1,900.00 USDC"]
    assert "Arbitrum One lacks 1,900 USDC" in row["cells"][2]["text"]


def test_another_persons_transfer_waits_for_a_decision(treasury: DashboardApp) -> None:
    first = propose(treasury)
    treasury.open("rebalancing", id=str(first))
    assert "Proposed by Ada." in treasury.text
    treasury.open("treasury").click("Approve")
    assert f"#{first}: 20,000.00 USDC from Base to Arbitrum One" in treasury.text
    services, operator = treasury.world.services, treasury.world.operator
    rebalancing_transfers.decline(services, operator, first, "Not today.")
    treasury.open("treasury")
    assert "Proposed by Ada." not in treasury.text
    (row,) = treasury.widget("rebalancing_ended")["rows"]
    assert row["cells"][3]["sub"] == "Not today."
    treasury.open("rebalancing", id=str(first))
    steps = treasury.widget("rebalancing_steps")["steps"]
    assert [(step["title"], step["status"]) for step in steps] == [
        ("Planned", "done"),
        ("Declined", "failed"),
    ]


def test_who_proposed_it_takes_it_back_and_does_not_approve_it(treasury: DashboardApp) -> None:
    services, operator = treasury.world.services, staff_principal(INSTALLATION_OPERATOR)
    planned = plan_by_hand(services, operator, usdc(BASE), usdc(ARBITRUM), 20_000 * USDC)
    rebalancing_transfers.carry_out(services, operator, planned)
    treasury.open("treasury")
    assert "You proposed it: another person has to approve it." in treasury.text
    labels = {button.label for button in treasury.at.button}
    assert "Take back…" in labels
    assert "Approve" not in labels


def test_who_may_not_act_sees_no_button(tmp_path: Path) -> None:
    members = {"Vic": "viewer", "Olaf": "operator", "Tea": "treasurer"}
    world = StaffWorld(tmp_path)
    chains = {chain: SimulatedChain(world.network, chain) for chain in CHAINS}
    world.services = replace(world.services, chains=chains)
    configure(lambda: world.services)
    labels = {}
    for name, role in members.items():
        world.add(name, role)
        st.cache_resource.clear()
        app = DashboardApp(sign_in(new_dashboard(), name, PASSWORD), world)
        labels[name] = {button.label for button in app.open("treasury").at.button}
    acting = {"Switch to automatic…", "Set policy", "Plan transfer…", "Save limits", "Pause"}
    assert acting <= labels["Tea"]
    assert labels["Olaf"] & acting == {"Pause"}
    assert not labels["Vic"] & acting


def test_everybody_sees_that_it_is_paused(treasury: DashboardApp) -> None:
    treasury.open("treasury").click("Pause")
    treasury.open("treasury")
    assert view.MODES[RebalancingMode.PAUSED].hint in treasury.text
    with treasury.world.store.read() as unit:
        assert unit.rebalancing.get_settings() == RebalancingSettings(mode=RebalancingMode.PAUSED)
    treasury.click("Suggest only").open("treasury")
    assert view.MODES[RebalancingMode.SUGGEST].hint in treasury.text


def test_a_transfer_that_does_not_exist_is_told(treasury: DashboardApp) -> None:
    for typed in ("7", "x", ""):
        assert "There is no" in treasury.open("rebalancing", id=typed).text
