"""Ramp orders in worlds whose payments bridges carry: creating, paying and awaiting them."""

from typing import Any

from crossway.domain.bridge_transfer import BridgeTransfer
from crossway.domain.intent import Intent, State
from crossway.domain.ramps import OrderState as S
from crossway.domain.ramps import RampOrder
from crossway.usecases.ramps import orders as ramp_orders
from crossway.usecases.simulator import bridge_controls
from tests.usecases.ramp_world import RampWorld


def inject(world: RampWorld, bridge: str, **faults: Any) -> None:
    bridge_controls.inject_faults(world.services, world.operator, bridge, faults)


def intent_of(world: RampWorld, order: RampOrder) -> Intent:
    with world.store.read() as unit:
        assert order.intent_id is not None
        return unit.intents.get_many([order.intent_id])[order.intent_id]


def transfer_of(world: RampWorld, order: RampOrder) -> BridgeTransfer:
    with world.store.read() as unit:
        assert order.intent_id is not None
        return unit.bridge_transfers.get_many([order.intent_id])[order.intent_id]


def wait_long(world: RampWorld, order: RampOrder, *states: S | State) -> RampOrder:
    """Let time pass in half-minutes until the order, or its payment, has one of these states."""
    for _ in range(1_000):
        order = world.reload_order(order)
        for state in (order.state, intent_of(world, order).state):
            if any(state is wanted for wanted in states):
                return order
        world.pass_time(30, step=30)
    raise AssertionError(f"{order.state}, not {states}")


def paid_order(world: RampWorld, selling: bool) -> RampOrder:
    """A new order that its user has paid, a while ago."""
    order = world.create_off_ramp() if selling else world.create_on_ramp()
    if selling:
        world.deposit_for(order)
    else:
        world.report(order, "paid")
    world.pass_time(60, step=2)
    return world.reload_order(order)


def notes_of(world: RampWorld, order: RampOrder) -> list[str]:
    history = ramp_orders.list_order_history(world.services, world.operator, order.id)
    return [entry.note for entry in history]
