"""The bridge transfer on the pages of ramp orders: steps, details, timeline, and why it is late."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st

from crossway.domain.ramps import OrderState as S
from crossway.domain.ramps import RampOrder
from crossway.usecases.chains.kill_switches import set_kill_switch
from crossway.usecases.simulator import bridge_controls
from tests.dashboard.conftest import DashboardApp, configure
from tests.usecases.ramp_world import BASE, POLYGON, RampWorld

LATE = "CCTP takes longer than usual and does not say why."


@pytest.fixture
def world(tmp_path: Path) -> Iterator[RampWorld]:
    """A service in which CCTP alone carries payments, by fast transfers."""
    built = RampWorld(f"sqlite:///{tmp_path / 'world.db'}", over_bridges=("CCTP",))
    set_kill_switch(built.services, built.operator, f"chain:{POLYGON}", True, "not here")
    configure(lambda: built.services)
    st.cache_data.clear()
    st.cache_resource.clear()
    yield built
    built.store.close()


def late_sale(world: RampWorld) -> RampOrder:
    """A paid off-ramp whose bridge is late."""
    faults = {"lateSeconds": 900}
    bridge_controls.inject_faults(world.services, world.operator, "CCTP", faults)
    order = world.create_off_ramp()
    world.deposit_for(order)
    world.pass_time(120, step=2)
    return world.reload_order(order)


def bridge_steps(screen: DashboardApp) -> list[tuple[str, str]]:
    return [(s["title"], s["status"]) for s in screen.widget("order_bridge_steps")["steps"]]


def bridge_details(screen: DashboardApp) -> dict[str, dict[str, object]]:
    return {d["label"]: d["cell"] for d in screen.widget("order_bridge")["details"]}


def test_a_sale_over_cctp_shows_its_bridge_transfer(screen: DashboardApp, world: RampWorld) -> None:
    order = world.create_off_ramp()
    screen.open("ramp_order", id=str(order.id))
    assert bridge_steps(screen) == [
        ("Send over CCTP", "todo"),
        ("Attested by Circle", "todo"),
        ("Yellow Card has the crypto", "todo"),
    ]
    details = bridge_details(screen)
    assert (details["Bridge"]["text"], details["Status"]["text"]) == ("CCTP", "Not sent yet")
    assert details["Bridge"]["sub"] == "enforced by contracts"
    assert details["From and to"]["text"] == "Arbitrum One → Base"
    world.deposit_for(order)
    world.wait_for_order(order, S.COMPLETED)
    screen.rerun()
    assert {status for _, status in bridge_steps(screen)} == {"done"}
    details = bridge_details(screen)
    assert details["Status"]["text"] == "Delivered"
    assert details["Sent in"]["copy"] != details["Arrived in"]["copy"]
    assert details["Expected"]["at"]
    titles = [entry["title"] for entry in screen.widget("order_timeline")["entries"]]
    for title in ("Sent over CCTP", "Attested by Circle", "Recipient paid by CCTP"):
        assert titles.count(title) == 1


def test_a_late_order_says_why_on_its_page_and_in_the_list(
    screen: DashboardApp, world: RampWorld
) -> None:
    order = late_sale(world)
    screen.open("ramp_order", id=str(order.id))
    assert "Late" in screen.text
    assert f"Next: Circle: attest to the send. {LATE}" in screen.text
    assert ("Attestation by Circle", "now") in bridge_steps(screen)
    status = bridge_details(screen)["Status"]
    assert (status["text"], status["sub"]) == ("Late", LATE)
    entries = screen.widget("order_timeline")["entries"]
    assert [e["note"] for e in entries if e["title"] == "Late"] == [LATE]
    assert not any(e["title"] == "CCTP is late" for e in entries)
    screen.open("ramp_orders")
    [status] = [row["cells"][1] for row in screen.widget("orders")["rows"]]
    assert [badge["text"] for badge in status["badges"]] == ["Processing", "Late"]
    assert status["sub"] == LATE
    world.pass_time(1_800, step=30)
    screen.open("ramp_order", id=str(order.id))
    assert LATE not in screen.text


def test_an_order_on_one_chain_shows_no_bridge(screen: DashboardApp, world: RampWorld) -> None:
    order = world.create_on_ramp(destination_chain=BASE, recipient=world.wallet(BASE, "buyer"))
    screen.open("ramp_order", id=str(order.id))
    assert not screen.has_widget("order_bridge")
    assert "Bridge transfer" not in screen.text
