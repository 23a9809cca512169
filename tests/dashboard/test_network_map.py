"""The network map's data: sizes, connections, payments under way and faults in words."""

import time
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from crossway.dashboard import shared_query
from crossway.domain.clients import Mode
from crossway.domain.intent import State
from crossway.ports.sandbox import Faults
from crossway.usecases.chains.kill_switches import set_kill_switch
from crossway.usecases.money import emergency_stop
from crossway.usecases.operating.network_map import get_network_figures
from crossway.usecases.pricing.corridor_quotes import Window
from tests.dashboard.conftest import DashboardApp
from tests.processes import wait_until

CCTP = "CCTP:BASE_MAINNET:ARBITRUM_MAINNET"


def the_map(screen: DashboardApp) -> dict[str, Any]:
    return screen.open("network_map").widget("network_map")


def one(items: list[dict[str, Any]], **facts: str) -> dict[str, Any]:
    (found,) = (item for item in items if all(item[name] == facts[name] for name in facts))
    return found


def test_without_payments_every_chain_has_its_cheapest_connection(screen: DashboardApp) -> None:
    data = the_map(screen)
    assert len(data["chains"]) == 13
    assert {chain["size"] for chain in data["chains"]} == {0}
    ends = {end for link in data["links"] for end in (link["a"], link["b"])}
    assert ends == {chain["id"] for chain in data["chains"]}
    assert data["summary"] == ("No payments were paid out in the last 24 hours. 0 under way.")
    assert one(data["bridges"], id="ACROSS")["note"] == "model"


def test_a_payment_moves_over_its_bridge_and_then_counts_as_volume(screen: DashboardApp) -> None:
    world = screen.world
    intent = world.create_intent()
    world.deposit(intent)
    world.wait_for_state(intent, State.INITIATED)
    flight = one(the_map(screen)["flights"], id=str(intent.id))
    assert flight["source"] == "BASE_MAINNET"
    assert (flight["begin"], flight["end"], flight["held"]) == (0.15, 0.92, "")
    assert flight["href"] == f"intent?id={intent.id}"
    assert flight["link"] == f"ARBITRUM_MAINNET|BASE_MAINNET|{intent.terms.bridge}"
    world.wait_for_state(intent, State.COMPLETED)
    # Pages look for changes some times a second.
    wait_until(
        "the payment has arrived",
        lambda: one(the_map(screen)["flights"], id=str(intent.id))["arrived"],
    )
    data = the_map(screen)
    base, other = one(data["chains"], name="Base"), one(data["chains"], name="Ethereum")
    assert (base["size"], base["volume"], base["payments"]) == (1, "25 USD", "1 payment")
    assert (other["size"], other["volume"]) == (0, "0 USD")
    link = one(data["links"], key=flight["link"])
    assert link["width"] == 1
    assert {way["volume"] for way in link["ways"]} == {"25 USD", "–"}
    assert one(data["flights"], id=str(intent.id))["arrived"]


def test_disabled_chains_and_routes_are_named(screen: DashboardApp) -> None:
    world = screen.world
    set_kill_switch(world.services, world.operator, f"route:{CCTP}", True, "slow since noon")
    set_kill_switch(world.services, world.operator, "chain:TRON_MAINNET", True, "halted")
    data = the_map(screen)
    tron = one(data["chains"], name="TRON")
    assert (tron["state"], tron["note"], tron["reason"]) == ("off", "Disabled", "halted")
    link = one(data["links"], key="ARBITRUM_MAINNET|BASE_MAINNET|CCTP")
    assert link["reason"] == "One direction is disabled."
    assert {way["state"] for way in link["ways"]} == {"Enabled", "Disabled"}
    back = "route:CCTP:ARBITRUM_MAINNET:BASE_MAINNET"
    set_kill_switch(world.services, world.operator, back, True, "slow as well")

    def state() -> str:
        links = the_map(screen)["links"]
        return str(one(links, key="ARBITRUM_MAINNET|BASE_MAINNET|CCTP")["state"])

    wait_until("the connection is drawn as disabled", lambda: state() == "off")


def test_a_payment_that_was_not_paid_out_stands_until_its_refund(screen: DashboardApp) -> None:
    world = screen.world
    intent = world.create_intent()
    world.deposit(intent, "short")
    world.pass_time(20)
    emergency_stop.press(world.services, world.operator, "the key may be known to others")
    world.pass_time(3_700, step=60)
    assert world.reload(intent).state is State.EXPIRED
    data = the_map(screen)
    waiting = one(data["flights"], id=str(intent.id))
    assert waiting["stage"] == "Expired, and its refund waits"
    assert "key may be known" in waiting["held"]
    assert waiting["begin"] == waiting["end"] < 0.1
    assert data["summary"].endswith("0 under way. 1 payment not paid out waits for a refund.")
    # In the other mode it is not shown.
    figures = get_network_figures(
        world.services, replace(world.operator, mode=Mode.LIVE), Window.DAY
    )
    assert figures.flights == []


def test_the_map_is_computed_at_most_once_a_second(screen: DashboardApp) -> None:
    """However many payments change, and however many browsers ask."""
    the_map(screen)
    [query] = [
        query
        for name, query in shared_query.query_registry().by_name.items()
        if name.startswith("network map")
    ]
    computed: list[float] = []
    compute = query.compute

    def count() -> object:
        computed.append(time.monotonic())
        return compute()

    query.compute = count
    end = time.monotonic() + 2.5
    number = 0
    while time.monotonic() < end:
        number += 1
        query.refresh({"payments": number})
    assert number > 50
    assert 2 <= len(computed) <= 3
    assert all(later - earlier >= 1 for earlier, later in pairwise(computed))


@pytest.mark.parametrize(
    ("lie", "state", "note"),
    [
        ("chain_id", "silent", "Wrong chain"),
        ("time_ahead", "slow", "Contradicted"),
        ("forged", "slow", "Forged deposits"),
    ],
)
def test_a_node_that_lies_is_called_what_the_page_chains_calls_it(
    screen: DashboardApp, lie: str, state: str, note: str
) -> None:
    screen.world.create_intent("ARBITRUM_MAINNET")  # A deposit is forged for a watched address.
    screen.world.sandbox.inject_faults("ARBITRUM_MAINNET", Faults(lie=lie))
    screen.world.pass_time(10, 5)
    arbitrum = one(the_map(screen)["chains"], name="Arbitrum One")
    assert (arbitrum["state"], arbitrum["note"]) == (state, note)
    assert arbitrum["reason"]
