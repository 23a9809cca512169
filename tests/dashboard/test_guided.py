"""The guided tour and the simulator page, step by step."""

import json

from crossway.usecases.simulator import chain_controls
from tests.dashboard.conftest import Screen


def test_the_story_goes_from_the_quote_to_the_excess_that_comes_back(screen: Screen) -> None:
    screen.open("guided_tour")
    steps = screen.widget("guided_way")["steps"]
    assert steps[0]["title"] == "What does it cost?"
    screen.press("Ask for a quote")
    assert screen.widget("guided_quotes")["rows"]
    screen.press("Next").press("Create the payment")
    assert "QR code to pay this, simulated, no real money" in screen.pictures
    screen.press("Next").press("Simulate an overpayment")
    screen.world.pass_time(40)
    screen.again()
    assert "Relayer reimbursed" in json.dumps(screen.widget("guided_timeline"))
    screen.press("Next")
    told = {
        row["cells"][0]["text"]: row["cells"][4]["text"]
        for row in screen.widget("guided_balances")["rows"]
    }
    assert told["The shop"] == "+25.00 USDC"
    assert told["Deposit address"] == "–"
    screen.press("Next").press("Next")
    facts = {one["label"]: one["cell"] for one in screen.widget("guided_excess")["details"]}
    assert facts["Overpayment"]["sub"] == "returned"
    screen.press("Start again")
    assert not screen.has("guided_quotes")


def test_the_simulator_says_what_is_on_and_puts_it_back_to_normal(screen: Screen) -> None:
    world = screen.world
    chain_controls.inject_faults(
        world.services, world.operator, "BASE_MAINNET", {"outageSeconds": 600}
    )
    chain_controls.set_clock(world.services, world.operator, frozen=True)
    screen.open("simulator")
    labels = {one["label"] for one in screen.widget("unusual")["details"]}
    assert {"Base", "Clock"} <= labels
    screen.press("Reset all")
    assert not screen.has("unusual")
    assert chain_controls.reset_faults(world.services, world.operator) == 0
