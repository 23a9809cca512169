"""Routes on screen: volume and cost, one corridor and its kill switch, and bridge health."""

import json
from dataclasses import replace

from crossway.adapters.bridges.models import Across, Cctp
from crossway.dashboard.views import bridges as view
from crossway.domain.intent import State
from crossway.ports.process import BridgeHealth
from crossway.usecases.chains.kill_switches import set_kill_switch
from crossway.usecases.pricing import corridor_quotes
from tests.dashboard.conftest import DashboardApp
from tests.harness import CATALOGUE

CCTP = "CCTP:BASE_MAINNET:ARBITRUM_MAINNET"


def texts(rows: object) -> str:
    return json.dumps(rows, ensure_ascii=False)


def test_routes_without_volume_and_measurements(screen: DashboardApp) -> None:
    screen.open("routes")
    assert "No volume in the last 24 hours" in screen.text
    assert "routes are enabled, between 156 pairs" in screen.text
    assert len(screen.widget("pairs")["rows"]) == 25
    screen.at.session_state["network"] = "Testnets"
    assert "between 156 pairs" not in screen.rerun().text
    assert "routes are enabled" in screen.text


def test_a_payment_appears_in_its_corridor_with_its_duration(screen: DashboardApp) -> None:
    intent = screen.world.create_intent()
    screen.world.deposit(intent)
    screen.world.wait_for_state(intent, State.COMPLETED)
    first = screen.open("routes").widget("pairs")["rows"][0]
    assert "≈ 25.00 USD" in texts(first)
    assert "1 payment" in texts(first)
    assert '"text": "100%"' in texts(first)
    screen.open("routes", corridor=first["key"])
    assert f"{intent.terms.bridge} from Base to Arbitrum One" in screen.text
    assert "100% of 1 payment" in texts(screen.widget("corridor"))


def test_filters_and_amounts_select_routes(screen: DashboardApp) -> None:
    screen.open("routes").at.selectbox(key="route_from").set_value("BASE_MAINNET")
    screen.rerun().at.selectbox(key="route_to").set_value("SOLANA_MAINNET")
    rows = screen.rerun().widget("pairs")["rows"]
    assert {row["cells"][0]["text"] for row in rows} == {"Base"}
    screen.at.text_input(key="amount").set_value("20,000,000")
    rows = screen.rerun().widget("pairs")["rows"]
    assert {row["cells"][6]["text"] for row in rows} == {"–"}
    screen.at.text_input(key="amount").set_value("many")
    assert "Amount must be a plain decimal number" in screen.rerun().text


def test_routes_name_the_inventory_and_whom_payers_trust(screen: DashboardApp) -> None:
    """No bridge serves Lisk and Monad with Solana, Starknet and Tron, nor HyperEVM with Starknet
    and Tron, in either direction."""
    screen.open("routes")
    assert (
        "between 156 pairs. No bridge serves 16 of them: payments there come out of inventory"
        in screen.text
    )
    screen.at.selectbox(key="route_from").set_value("LISK_MAINNET")
    screen.rerun().at.selectbox(key="route_to").set_value("TRON_MAINNET")
    screen.rerun()
    (row,) = screen.widget("pairs")["rows"]
    assert row["cells"][2]["badges"][0]["text"] == "Inventory"
    assert row["cells"][2]["sub"] == "operator trusted"
    screen.open("routes", corridor="INVENTORY:LISK_MAINNET:TRON_MAINNET")
    details = texts(screen.widget("corridor"))
    assert "any into any other" in details
    assert "The payer trusts the operator from start to payout, usually 3 s" in details
    screen.open("routes", corridor="RHINOFI:TRON_MAINNET:BASE_MAINNET")
    assert "USDT, USDT into USDC" in texts(screen.widget("corridor"))
    screen.open("routes", corridor=CCTP)
    assert "USDC" in texts(screen.widget("corridor"))


def test_a_token_that_no_bridge_carries_is_named(screen: DashboardApp) -> None:
    screen.use_bridges(Across(CATALOGUE), Cctp(CATALOGUE))
    screen.open("routes", route_token="WETH")
    screen.at.selectbox(key="route_from").set_value("BASE_MAINNET")
    screen.rerun().at.selectbox(key="route_to").set_value("AVALANCHE_MAINNET")
    assert "No bridge carries WETH from Base to Avalanche" in screen.rerun().text


def test_a_disabled_route_shows_reason_and_actor_and_can_be_enabled(screen: DashboardApp) -> None:
    world = screen.world
    set_kill_switch(world.services, world.operator, f"route:{CCTP}", True, "slow since noon")
    screen.open("routes", corridor=CCTP)
    assert "slow since noon" in texts(screen.widget("corridor"))
    assert world.operator.actor_name in texts(screen.widget("disabled_all"))
    assert [button.label for button in screen.at.button].count("Enable") == 2


def test_a_model_in_process_is_called_a_model_and_no_latency_is_shown(
    screen: DashboardApp,
) -> None:
    health = screen.world.services.process.bridge_health
    assert isinstance(health, BridgeHealth)
    screen.open("routes").click("Check all bridges")
    health.record("CCTP", 0.2, "did not answer in time")
    rows = {row["key"]: texts(row) for row in screen.rerun().widget("bridge_health")["rows"]}
    assert health.get_stats("ACROSS").answers > 0
    assert "Model" in rows["ACROSS"]
    assert "Healthy" not in rows["ACROSS"]
    assert " ms" not in rows["ACROSS"]
    assert "did not answer in time" in rows["CCTP"]


def test_a_service_shows_the_p50_and_p95_of_its_real_calls_and_of_delivered_payments(
    screen: DashboardApp,
) -> None:
    world, health = screen.world, BridgeHealth()
    intent = world.create_intent()
    world.deposit(intent)
    world.wait_for_state(intent, State.COMPLETED)
    # Nineteen calls of 0.2 s and two of 3 s, one of which failed.
    for seconds in [0.2] * 19 + [3.0]:
        health.record(intent.terms.bridge, seconds)
    health.record(intent.terms.bridge, 3.0, "did not answer in time")
    process = replace(world.services.process, bridge_health=health)
    services = replace(world.services, process=process)
    statuses = corridor_quotes.list_bridge_statuses(services, world.operator)
    [measured] = [s for s in statuses if s.name == intent.terms.bridge]
    assert measured.in_process
    [row] = view.build_rows([replace(measured, in_process=False)], [])
    cells = [cell.text for cell in row.cells]
    assert cells[3:5] == ["20", "1"]
    latency, to_payout = row.cells[5], row.cells[6]
    assert 186 <= float(latency.text.removesuffix(" ms")) <= 214, "to within 7 %"
    # 19 of 20 answers, so 95 %, took no longer.
    assert latency.sub == f"p95 {latency.text}"
    assert measured.paid == 1
    assert to_payout.sub == f"p95 {to_payout.text}", "one payment is both"
    [shown] = view.build_rows([measured], [])
    assert [cell.text for cell in shown.cells][3:6] == ["–", "–", "–"]
    others = [s for s in statuses if s.name != intent.terms.bridge]
    assert all(s.paid_p50_seconds is None for s in others)
    assert [row.cells[6].text for row in view.build_rows(others, [])] == ["–"] * len(others)
