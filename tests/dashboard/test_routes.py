"""Routes on screen: volume and cost, one corridor and its kill switch, and bridge health."""

import json

from crossway.domain.intent import State
from crossway.ports.process import BridgeHealth
from crossway.usecases.chains.kill_switches import set_kill_switch
from tests.dashboard.conftest import Screen

CCTP = "CCTP:BASE_MAINNET:ARBITRUM_MAINNET"


def texts(found: object) -> str:
    return json.dumps(found, ensure_ascii=False)


def test_nothing_flowed_and_nothing_was_measured_yet(screen: Screen) -> None:
    screen.open("routes")
    assert "No volume in the last 24 hours" in screen.words
    assert "routes are enabled, between 156 pairs" in screen.words
    assert len(screen.widget("pairs")["rows"]) == 25
    screen.at.session_state["network"] = "Testnets"
    assert "between 156 pairs" not in screen.again().words
    assert "routes are enabled" in screen.words


def test_a_payment_shows_in_the_table_and_its_corridor_with_its_time(screen: Screen) -> None:
    intent = screen.world.pay()
    screen.world.deposit(intent)
    screen.world.until(intent, State.COMPLETED)
    first = screen.open("routes").widget("pairs")["rows"][0]
    assert "≈ 25.00 USD" in texts(first)
    assert "1 payment" in texts(first)
    assert "100.0%" in texts(first)
    screen.open("routes", corridor=first["key"])
    assert f"{intent.terms.bridge} from Base to Arbitrum One" in screen.words
    assert "100.0% of 1 payment" in texts(screen.widget("corridor"))


def test_filters_and_amounts_choose_what_is_shown(screen: Screen) -> None:
    screen.open("routes").at.selectbox(key="route_from").set_value("BASE_MAINNET")
    screen.again().at.selectbox(key="route_to").set_value("SOLANA_MAINNET")
    rows = screen.again().widget("pairs")["rows"]
    assert {row["cells"][0]["text"] for row in rows} == {"Base"}
    screen.at.text_input(key="amount").set_value("20,000,000")
    rows = screen.again().widget("pairs")["rows"]
    assert {row["cells"][6]["text"] for row in rows} == {"–"}
    screen.at.text_input(key="amount").set_value("many")
    assert "Amount must be a plain decimal number" in screen.again().words


def test_a_route_that_is_off_says_why_by_whom_and_can_be_switched_on(screen: Screen) -> None:
    world = screen.world
    set_kill_switch(world.services, world.operator, f"route:{CCTP}", True, "slow since noon")
    screen.open("routes", corridor=CCTP)
    assert "slow since noon" in texts(screen.widget("corridor"))
    assert world.operator.actor_name in texts(screen.widget("off_all"))
    assert [button.label for button in screen.at.button].count("Enable") == 2


def test_bridges_are_measured_by_real_questions(screen: Screen) -> None:
    health = screen.world.services.process.bridge_health
    assert isinstance(health, BridgeHealth)
    screen.open("routes").press("Check all bridges")
    health.record("CCTP", 0.2, "did not answer in time")
    rows = {row["key"]: texts(row) for row in screen.again().widget("bridge_health")["rows"]}
    assert "Healthy" in rows["ACROSS"]
    assert "did not answer in time" in rows["CCTP"]
