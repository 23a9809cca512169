"""Payments over bridges on the simulated network, stored state by state without an engine."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import update

from crossway.domain.bridge_transfer import BridgeTransfer, BridgeTransferEvent, Custody
from crossway.domain.intent import Intent, IntentEvent
from crossway.storage.tables import intents
from crossway.usecases.payments.bridge_transfers import BridgeTransferBatch
from crossway.usecases.payments.lifecycle import IntentBatch
from tests.harness import Harness

SOURCE_TX, DESTINATION_TX = "0x" + "5e" * 32, "0x" + "d7" * 32
USUAL = timedelta(seconds=20)


def add_bridged(world: Harness, bridge: str = "CCTP", **more: Any) -> Intent:
    """A payment that contracts of a bridge carry; nothing is sent yet."""
    intent = world.create_intent(**more)
    fields = {"custody": Custody.BRIDGE.value, "bridge": bridge}
    statement = update(intents).where(intents.c.id == intent.id).values(**fields)
    world.store.write(lambda unit: unit.intents._db.execute(statement))
    return world.reload(intent)


def plan(world: Harness, intent: Intent) -> None:
    """Store its bridge transfer, as with its deposit."""
    world.store.write(lambda unit: unit.bridge_transfers.plan([intent], world.clock.now()))


def advance(
    world: Harness, intent: Intent, event: BridgeTransferEvent, tx: str = "", **fields: Any
) -> BridgeTransfer:
    """Apply an event to its bridge transfer."""

    def work(unit: Any) -> BridgeTransfer:
        batch = BridgeTransferBatch(world.clock.now())
        after = batch.apply(unit, intent.id, event, tx, **fields)
        batch.store(unit)
        return after

    return world.store.write(work)


def apply_event(
    world: Harness, intent: Intent, event: IntentEvent, note: str = "", **fields: Any
) -> Intent:
    """Apply an event to the payment itself."""

    def work(unit: Any) -> Intent:
        batch = IntentBatch(world.services, world.clock.now(), unit.intents.lock([intent.id]))
        after = batch.apply_event(intent.id, event, event.lower(), note, **fields)
        batch.outbound.clear()
        batch.store(unit)
        return after

    return world.store.write(work)


def send(world: Harness, intent: Intent, tx: str = SOURCE_TX) -> None:
    """Its deposit arrived and is on its way over the bridge."""
    if not world.reload(intent).received_amount:
        received = {"received_amount": intent.terms.deposit_amount}
        apply_event(world, intent, IntentEvent.DEPOSIT_FULL, **received)
        plan(world, intent)
    now: datetime = world.clock.now()
    times = {"sent_at": now, "expected_at": now + USUAL}
    advance(world, intent, BridgeTransferEvent.SEND, tx, source_tx=tx, **times)
    apply_event(world, intent, IntentEvent.SENT, tx, tx_hash=tx, needs_relay=True)


def delay(world: Harness, intent: Intent, reason: str) -> None:
    advance(world, intent, BridgeTransferEvent.DELAY, reason=reason)


def attest(world: Harness, intent: Intent) -> None:
    proof = {"message": b"\x01\x02", "attestation": b"\x03\x04", "message_id": "0x" + "7a" * 32}
    advance(world, intent, BridgeTransferEvent.ATTEST, reason="", **proof)


def deliver(world: Harness, intent: Intent, tx: str = DESTINATION_TX) -> None:
    advance(world, intent, BridgeTransferEvent.DELIVER, tx, destination_tx=tx, reason="")
    fields = {"tx_hash": tx, "needs_relay": False}
    apply_event(world, intent, IntentEvent.DELIVERED, tx, **fields)


def park(world: Harness, intent: Intent, reason: str, tx: str = DESTINATION_TX) -> None:
    advance(world, intent, BridgeTransferEvent.PARK, tx, destination_tx=tx, reason=reason)
    apply_event(world, intent, IntentEvent.PARKED, reason)
