"""What happens to a payment and the ledger when its money arrives at a bridge's contract."""

from datetime import datetime, timedelta
from typing import Final

from crossway.domain.bridge_transfer import (
    Arrival,
    ArrivalOutcome,
    BridgeTransferEvent,
    BridgeTransferState,
)
from crossway.domain.intent import Intent, IntentEvent, State
from crossway.domain.ledger import Account
from crossway.domain.outbound import OutboundTxKind
from crossway.engine.alerts import raise_alert
from crossway.engine.bridge_arrival_legs import destination_legs, release_legs, source_legs
from crossway.engine.bridge_proof import RELEASING
from crossway.ports.records import NewOutboundTx
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.lifecycle import IntentBatch

K, S, Event = OutboundTxKind, BridgeTransferState, BridgeTransferEvent
_ARRIVED: Final = (S.DELIVERED, S.CLOSED, S.PARKED, S.UNCLAIMED)
_RELEASE_AFTER: Final = timedelta(minutes=1)
PARKED_NOTE: Final = (
    "The recipient cannot be paid: what arrived waits for the recipient in the bridge's contract."
)


def enqueue_delivery(batch: IntentBatch, intent: Intent) -> None:
    """Enqueue the transaction by which the bridge's contract pays the recipient."""
    enqueue_at_destination(batch, intent, K.DELIVER, "deliver", batch.now)


def enqueue_at_destination(
    batch: IntentBatch, intent: Intent, kind: OutboundTxKind, cause: str, due_at: datetime
) -> None:
    terms = intent.terms
    chain, token = terms.destination_chain, terms.token_out
    batch.outbound.append(
        NewOutboundTx(
            intent.id, kind, cause, chain, token, terms.payout_amount, terms.recipient, due_at
        )
    )


def apply_arrival(
    unit: UnitOfWork, batch: IntentBatch, intent: Intent, arrival: Arrival, tx_id: str
) -> None:
    """Book an arrival as the bridge's contract reports it, whoever delivered it."""
    terms = intent.terms
    if arrival.outcome in RELEASING:
        legs = release_legs(intent, arrival, _parked_units(unit, intent))
    else:
        legs = destination_legs(intent, arrival)
        for leg in source_legs(intent, arrival):
            token = intent.collected.token
            batch.add_postings(intent.id, terms.source_chain, token, tx_id, leg)
    batch.add_postings(intent.id, terms.destination_chain, terms.token_out, tx_id, *legs)
    match arrival.outcome:
        case ArrivalOutcome.PARKED:
            batch.apply_event(intent.id, IntentEvent.PARKED, "parked", PARKED_NOTE)
            batch.transfers.apply(
                unit, intent.id, Event.PARK, tx_id, destination_tx=tx_id, reason=PARKED_NOTE
            )
            enqueue_at_destination(batch, intent, K.RELEASE, "release", batch.now + _RELEASE_AFTER)
            _alert(unit, batch, intent, "parked", f"Payment {intent.id} is parked. {PARKED_NOTE}")
        case ArrivalOutcome.REPEATED if _has_arrived(unit, batch, intent):
            batch.apply_event(intent.id, IntentEvent.LEDGER_ONLY, "repeated", tx_id)
            message = f"Money of payment {intent.id} arrived a second time and is kept."
            _alert(unit, batch, intent, "repeated", message)
        case ArrivalOutcome.UNPARKED:
            note = "The coordinator took out what was parked for the recipient."
            batch.apply_event(intent.id, IntentEvent.LEDGER_ONLY, "unparked", note)
            batch.transfers.apply(unit, intent.id, Event.UNPARK, tx_id, reason=note)
        case ArrivalOutcome.REPEATED:
            # Somebody paid the recipient and named the bridge's contract as who is to be repaid.
            _complete(unit, batch, intent, arrival, tx_id)
            message = (
                f"Somebody else paid the recipient of payment {intent.id} in the name of the "
                "bridge's contract; what arrived is kept."
            )
            _alert(unit, batch, intent, "repeated", message)
        case _:
            _complete(unit, batch, intent, arrival, tx_id)


def _has_arrived(unit: UnitOfWork, batch: IntentBatch, intent: Intent) -> bool:
    return batch.transfers.get(unit, intent.id).state in _ARRIVED


def _complete(
    unit: UnitOfWork, batch: IntentBatch, intent: Intent, arrival: Arrival, tx_id: str
) -> None:
    repaid = arrival.outcome is ArrivalOutcome.REPAID and bool(intent.relayer)
    is_release = arrival.outcome is ArrivalOutcome.RELEASED
    event = IntentEvent.LEDGER_ONLY
    if intent.state is State.INITIATED or (intent.state is State.FAILED and not is_release):
        event = IntentEvent.DELIVERED
    elif is_release and intent.state is State.FAILED:
        event = IntentEvent.RELEASED
    batch.apply_event(
        intent.id,
        event,
        "release" if is_release else "deliver",
        tx_id,
        tx_hash=intent.tx_hash if event is IntentEvent.LEDGER_ONLY else tx_id,
        relayer_claimed=intent.relayer_claimed or repaid,
        needs_relay=False,
    )
    transfer_event = Event.RELEASE if is_release else Event.DELIVER
    batch.transfers.apply(unit, intent.id, transfer_event, tx_id, destination_tx=tx_id, reason="")


def _parked_units(unit: UnitOfWork, intent: Intent) -> int:
    """What the books have parked for a payment."""
    transfer = unit.bridge_transfers.get_many([intent.id])[intent.id]
    postings = unit.ledger.list_by_tx([intent.id], {transfer.destination_tx})
    return sum(posting.amount for posting in postings if posting.debit is Account.PARKED)


def _alert(unit: UnitOfWork, batch: IntentBatch, intent: Intent, kind: str, message: str) -> None:
    raise_alert(unit, batch.services, f"{kind}:{intent.id}", kind, str(intent.id), message)
