"""Restoring a resource as it was when an event was recorded, from the event's snapshot."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from crossway.domain.bridge_transfer import BridgeTransferState, BridgeTransferStep, Custody
from crossway.domain.intent import Intent, State
from crossway.domain.ramps import OrderState, RampOrder
from crossway.domain.standing import StandingDeposit, StandingState
from crossway.domain.webhooks import OutboxEvent
from crossway.usecases.payments.bridge_progress import BridgeProgress, describe_progress
from crossway.usecases.ramps.order_bridges import OrderBridge

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def restore_intent(intent: Intent, event: OutboxEvent) -> Intent:
    """An intent as it was at the time of the event."""
    snapshot = json.loads(event.snapshot)
    return replace(
        intent,
        state=State(snapshot["state"]),
        tx_hash=snapshot["tx_hash"],
        relayer=snapshot["relayer"],
        relayer_claimed=snapshot["relayer_claimed"],
        needs_relay=snapshot["needs_relay"],
        received_amount=int(snapshot["received_units"]),
        updated_at=event.at,
    )


def restore_progress(
    intent: Intent, event: OutboxEvent, steps: Sequence[BridgeTransferStep]
) -> BridgeProgress | None:
    """How far its bridge had carried an intent at the time of the event; `steps` are all of them.
    None where no bridge carries it."""
    snapshot = json.loads(event.snapshot).get("bridge_transfer")
    if intent.custody is not Custody.BRIDGE:
        return None
    if snapshot is None:
        return describe_progress(intent, None, ())
    return BridgeProgress(
        intent.terms.bridge,
        BridgeTransferState(snapshot["state"]),
        snapshot["source_tx"],
        snapshot["destination_tx"],
        snapshot["message_id"],
        _from_micros(snapshot["sent_at"]),
        _from_micros(snapshot["expected_at"]),
        snapshot["reason"],
        [step for step in steps if step.at <= event.at],
    )


def restore_standing_deposit(deposit: StandingDeposit, event: OutboxEvent) -> StandingDeposit:
    """A deposit at a standing address as it was at the time of the event."""
    snapshot = json.loads(event.snapshot)
    return replace(
        deposit,
        state=StandingState(snapshot["state"]),
        reason=snapshot["reason"],
        intent_id=snapshot["intent_id"],
        updated_at=event.at,
    )


def restore_order(order: RampOrder, event: OutboxEvent) -> RampOrder:
    """A ramp order as it was at the time of the event, but with its current payment details."""
    snapshot: Mapping[str, Any] = json.loads(event.snapshot)
    return replace(
        order,
        state=OrderState(snapshot["state"]),
        fiat_minor=snapshot["fiat_minor"],
        gross_units=int(snapshot["gross_units"]),
        intent_address=snapshot["intent_address"],
        provider_tx=snapshot["provider_tx"],
        failure_reason=snapshot["failure_reason"],
        # Events of earlier versions know of no delays.
        delay_reason=snapshot.get("delay_reason", ""),
        updated_at=event.at,
        expires_at=_from_micros(snapshot["expires_at"]) or order.expires_at,
        completed_at=_from_micros(snapshot["completed_at"]),
    )


def restore_order_bridge(bridge: OrderBridge | None, event: OutboxEvent) -> OrderBridge | None:
    """The bridge of a ramp order, and how far it had carried its crypto, at the time of the event;
    None before the order had an intent."""
    if bridge is None or json.loads(event.snapshot)["intent_id"] is None:
        return None
    steps = () if bridge.progress is None else bridge.progress.steps
    return OrderBridge(bridge.intent, restore_progress(bridge.intent, event, steps))


def _from_micros(micros: int | None) -> datetime | None:
    return None if micros is None else _EPOCH + timedelta(microseconds=micros)
