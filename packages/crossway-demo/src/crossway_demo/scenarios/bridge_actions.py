"""What bridges and strangers do in scenarios to payments that a bridge carries."""

from typing import Any

from crossway.domain.bridge_transfer import BridgeTransferState
from crossway.domain.intent import Intent
from crossway.ports.sandbox import StrangerAction
from crossway.usecases.simulator import bridge_controls
from crossway_demo.scenarios.scenario_world import ScenarioWorld


def bridge_fault(world: ScenarioWorld, bridge: str, description: str, **body: Any) -> None:
    """Inject faults into a bridge; `body` as in POST /sandbox/bridges/{bridge}/faults."""
    bridge_controls.inject_faults(world.services, world.operator, bridge, body)
    world.narrate(f"{bridge}: {description}")


def act_as_stranger(
    world: ScenarioWorld, action: StrangerAction, description: str, intent: Intent | None = None
) -> str:
    """Let somebody else act on a payment; returns the transaction."""
    assert world.services.bridge_sandbox is not None
    tx_id = world.services.bridge_sandbox.act_as_stranger(intent or world.intent, action)
    world.narrate(f"A stranger {description}")
    return tx_id


def transfer_state(world: ScenarioWorld, intent: Intent | None = None) -> str:
    """The state of a payment's bridge transfer, empty before its deposit was seen."""
    intent_id = (intent or world.intent).id
    with world.services.store.read() as unit:
        transfer = unit.bridge_transfers.get_many([intent_id]).get(intent_id)
    return transfer.state if transfer is not None else ""


def wait_for_transfer(
    world: ScenarioWorld, *states: BridgeTransferState, within: float = 120, step: float = 1
) -> None:
    """Advance the clock until the payment's transfer is in one of the states."""
    end = world.manual_clock.seconds + within
    while (now := transfer_state(world)) not in states:
        world.require(
            world.manual_clock.seconds < end, f"{now} becomes {' or '.join(states)} in {within} s"
        )
        world.pass_time(step, step)


def transfer_reason(world: ScenarioWorld) -> str:
    """Why the payment's transfer is late, halted or parked."""
    with world.services.store.read() as unit:
        return unit.bridge_transfers.get_many([world.intent.id])[world.intent.id].reason
