"""The guided tour and the simulator page, step by step."""

import json

from crossway.usecases.simulator import bridge_controls, chain_controls
from tests.dashboard.conftest import DashboardApp


def test_the_tour_leads_from_the_quote_to_the_refunded_excess(screen: DashboardApp) -> None:
    screen.open("guided_tour")
    steps = screen.widget("guided_way")["steps"]
    assert steps[0]["title"] == "What does it cost?"
    screen.click("Ask for a quote")
    assert screen.widget("guided_quotes")["rows"]
    screen.click("Next").click("Create the payment")
    assert "QR code to pay this, simulated, no real money" in screen.image_texts
    screen.click("Next").click("Simulate an overpayment")
    screen.world.pass_time(40)
    screen.rerun()
    assert "Relayer repaid" in json.dumps(screen.widget("guided_timeline"))
    screen.click("Next")
    amounts = {
        row["cells"][0]["text"]: row["cells"][4]["text"]
        for row in screen.widget("guided_balances")["rows"]
    }
    assert amounts["The shop"] == "+25.00 USDC"
    assert amounts["Deposit address"] == "–"
    screen.click("Next").click("Next")
    facts = {
        detail["label"]: detail["cell"] for detail in screen.widget("guided_excess")["details"]
    }
    assert facts["Overpayment"]["sub"] == "returned"
    screen.click("Start again")
    assert not screen.has_widget("guided_quotes")


def test_the_simulator_lists_active_faults_and_resets_them(screen: DashboardApp) -> None:
    world = screen.world
    chain_controls.inject_faults(
        world.services, world.operator, "BASE_MAINNET", {"outageSeconds": 600}
    )
    bridge_controls.inject_faults(world.services, world.operator, "CCTP", {"lateSeconds": 600})
    chain_controls.set_clock(world.services, world.operator, frozen=True)
    screen.open("simulator")
    labels = {detail["label"] for detail in screen.widget("unusual")["details"]}
    assert {"Base", "CCTP", "Clock"} <= labels
    screen.click("Reset all")
    assert not screen.has_widget("unusual")
    assert chain_controls.reset_faults(world.services, world.operator) == 0


def test_a_bridge_is_told_to_misbehave(screen: DashboardApp) -> None:
    screen.open("simulator")
    screen.click("Apply to this bridge")
    active = screen.widget("bridge_faults")["details"]
    assert [detail["label"] for detail in active] == ["Attests later by"]
    world = screen.world
    faults = bridge_controls.get_faults(world.services, world.operator, "CCTP")
    assert faults == {"lateSeconds": 600.0}
