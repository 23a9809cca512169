"""Ramp orders over bridges in the API: quotes, orders, and their events."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crossway.api.schemas.events import render_events
from crossway.domain.public_ids import RecordKind
from crossway.domain.ramps import OrderState as S
from crossway.domain.ramps import RampOrder
from crossway.usecases.chains.kill_switches import set_kill_switch
from crossway.usecases.public_numbers import ids_of
from crossway.usecases.simulator import bridge_controls
from crossway_client.records.ramp_orders import RampOrder as OrderRecord
from tests.api.ramp_requests import ON_RAMP
from tests.api.test_bridge_transfers import api_of
from tests.usecases.ramp_world import ARBITRUM, BASE, POLYGON, RampWorld, new_ramp_world

LATE = "CCTP takes longer than usual and does not say why."


@pytest.fixture
def world(tmp_path: Path) -> Iterator[RampWorld]:
    """CCTP alone carries payments, by fast transfers."""
    built = new_ramp_world(tmp_path, over_bridges=("CCTP",))
    set_kill_switch(built.services, built.operator, f"chain:{POLYGON}", True, "not here")
    yield built
    built.store.close()


def read(world: RampWorld, order: RampOrder) -> Any:
    number = ids_of(world.services).encode(RecordKind.ORDER, order.id)
    with api_of(world) as get:
        body = get(f"/ramp/orders/{number}")
        assert get("/ramp/orders")["orders"][0] == body
        assert get(f"/ramp/orders/by-intent/{body['intentAddress']}") == body
    return body


def rendered(world: RampWorld) -> dict[str, Any]:
    """The events of ramp orders by id."""
    with world.store.read() as unit:
        events = unit.outbox.list_unsequenced(200)
        bodies = render_events(unit, [e for e in events if e.type == "ramp_order_updated"])
        return {body["id"]: body for body in map(json.loads, bodies.values())}


@pytest.mark.parametrize("destination", [ARBITRUM, BASE])
def test_a_quote_names_its_bridge_and_what_it_costs(destination: str, world: RampWorld) -> None:
    query = "&".join(
        f"{name}={value}" for name, value in (ON_RAMP | {"destinationChain": destination}).items()
    )
    with api_of(world) as get:
        quotes = {quote["provider"]: quote for quote in get(f"/ramp/quotes?{query}")["quotes"]}
    quote = quotes["YELLOW_CARD"]
    assert quote["rampChain"] == BASE
    assert quote["requiresBridge"] is (destination == ARBITRUM)
    details = quote["bridgeDetails"]
    if destination == BASE:
        assert details is None
        return
    fee = details.pop("bridgeFeeUsd")
    assert details == {
        "bridgeProvider": "CCTP",
        "sourceChain": BASE,
        "destinationChain": ARBITRUM,
    }
    order = read(world, world.create_on_ramp())
    assert order["bridgeDetails"] == details | {"bridgeFeeUsd": fee}
    assert fee > 0


def test_an_order_on_one_chain_has_no_bridge(world: RampWorld) -> None:
    order = world.create_on_ramp(destination_chain=BASE, recipient=world.wallet(BASE, "buyer"))
    body = read(world, order)
    assert (body["requiresBridge"], body["bridgeDetails"], body["bridgeTransfer"]) == (
        False,
        None,
        None,
    )


def test_an_order_shows_its_bridge_transfer_and_why_it_is_late(world: RampWorld) -> None:
    faults = {"lateSeconds": 900}
    bridge_controls.inject_faults(world.services, world.operator, "CCTP", faults)
    order = world.create_off_ramp()
    body = read(world, order)
    planned = body["bridgeTransfer"]
    assert (planned["status"], planned["steps"], planned["sourceTx"]) == ("planned", [], None)
    assert (body["requiresBridge"], body["delayReason"]) == (True, None)
    world.deposit_for(order)
    world.pass_time(120, step=2)
    body = read(world, order)
    transfer = body["bridgeTransfer"]
    assert (body["status"], body["delayReason"]) == ("PROCESSING", LATE)
    assert (transfer["status"], transfer["reason"], transfer["custody"]) == (
        "delayed",
        LATE,
        "BRIDGE",
    )
    assert [step["name"] for step in transfer["steps"]] == ["seen", "delayed"]
    assert transfer["steps"][0]["tx"] == transfer["sourceTx"]
    assert transfer["expectedAt"] < body["updatedAt"]
    record = OrderRecord.parse(body)
    assert record.bridge_transfer is not None
    assert (record.bridge_transfer.source_tx, record.delay_reason) == (transfer["sourceTx"], LATE)
    world.pass_time(1_800, step=30)
    body = read(world, order)
    transfer = body["bridgeTransfer"]
    assert (body["status"], body["delayReason"], transfer["reason"]) == ("COMPLETED", None, None)
    assert transfer["status"] == "closed"
    assert transfer["destinationTx"]


def test_events_have_the_transfer_and_the_delay_as_they_were_then(world: RampWorld) -> None:
    faults = {"lateSeconds": 900}
    bridge_controls.inject_faults(world.services, world.operator, "CCTP", faults)
    order = world.create_off_ramp()
    world.deposit_for(order)
    world.pass_time(120, step=2)
    before, body = rendered(world), read(world, order)
    newest = max(before.values(), key=lambda event: event["created_at"])
    assert newest["data"] == body
    assert body["delayReason"] == LATE
    world.pass_time(1_800, step=30)
    assert world.reload_order(order).state is S.COMPLETED
    after = rendered(world)
    assert {name: after[name] for name in before} == before
    shown = [
        (e["data"]["status"], (e["data"]["bridgeTransfer"] or {}).get("status"))
        for e in sorted(after.values(), key=lambda event: event["created_at"])
    ]
    assert shown == [
        ("PENDING", None),
        ("INITIATED", "planned"),
        ("PROCESSING", "planned"),
        ("PROCESSING", "delayed"),
        ("COMPLETED", "closed"),
    ]
