"""How far the bridge has carried a payment, as the API and the screens show it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from crossway.domain.bridge_transfer import (
    BridgeTransfer,
    BridgeTransferState,
    BridgeTransferStep,
    Custody,
)
from crossway.domain.intent import Intent, State
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork


@dataclass(frozen=True, slots=True)
class BridgeProgress:
    """The bridge transfer of a payment, planned where there is none yet; `steps` are its history,
    oldest first. Empty texts are unknown or do not exist."""

    bridge: str
    state: BridgeTransferState
    source_tx: str = ""
    destination_tx: str = ""
    message_id: str = ""
    sent_at: datetime | None = None
    expected_at: datetime | None = None
    reason: str = ""
    steps: Sequence[BridgeTransferStep] = ()


def is_with_bridge(intent: Intent) -> bool:
    """Whether a payment that failed has its money at a bridge: parked, or to be returned."""
    is_carried = intent.state is State.FAILED and intent.custody is Custody.BRIDGE
    return is_carried and intent.balance_at_address <= 0


def is_held_by_contract(intent: Intent) -> bool:
    """Whether a funded payment, which somebody else started, has its deposit in the contract of its
    bridge and not at its address."""
    is_funded = intent.state is State.FUNDED and intent.custody is Custody.BRIDGE
    return is_funded and intent.balance_at_address < intent.terms.deposit_amount


def describe_progress(
    intent: Intent, transfer: BridgeTransfer | None, steps: Sequence[BridgeTransferStep]
) -> BridgeProgress | None:
    """The progress of a payment; None where no bridge carries it."""
    if intent.custody is not Custody.BRIDGE:
        return None
    if transfer is None:
        return BridgeProgress(intent.terms.bridge, BridgeTransferState.PLANNED)
    return BridgeProgress(
        transfer.bridge,
        transfer.state,
        transfer.source_tx,
        transfer.destination_tx,
        transfer.message_id,
        transfer.sent_at,
        transfer.expected_at,
        transfer.reason,
        steps,
    )


def load_progress(unit: UnitOfWork, intents: Collection[Intent]) -> Mapping[int, BridgeProgress]:
    """The progress of those payments that bridges carry, by two queries however many there are."""
    bridged = [intent for intent in intents if intent.custody is Custody.BRIDGE]
    if not bridged:
        return {}
    ids = {intent.id for intent in bridged}
    transfers = unit.bridge_transfers.get_many(ids)
    steps = unit.bridge_transfers.get_steps(transfers)
    found = {i.id: describe_progress(i, transfers.get(i.id), steps.get(i.id, ())) for i in bridged}
    return {intent_id: progress for intent_id, progress in found.items() if progress is not None}


def get_progress(services: Services, intents: Collection[Intent]) -> Mapping[int, BridgeProgress]:
    """The same, in a database transaction of its own where there is anything to read."""
    if all(intent.custody is not Custody.BRIDGE for intent in intents):
        return {}
    with services.store.read() as unit:
        return load_progress(unit, intents)
