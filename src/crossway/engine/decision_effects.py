"""Applies what the planner decided on due transactions to them, their payments and the ledger."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from crossway.domain.bridge_transfer import BridgeTransfer, poll_delay_seconds
from crossway.domain.bridge_transfer import BridgeTransferEvent as Event
from crossway.domain.outbound import OutboundTx, OutboundTxEvent
from crossway.engine.misdirected import settle_misdirected
from crossway.engine.outbound_decision import Decision, FoundTx
from crossway.engine.tx_effects import (
    apply_abandonment,
    apply_already_done,
    apply_refusal,
    apply_success,
)
from crossway.ports.chain import Chain, ChainHead, SignedTx
from crossway.ports.records import OutboundTxChange
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.shared_transactions import own_part
from crossway.usecases.payments.abandoned_payouts import give_payout_up
from crossway.usecases.payments.bridge_collections import apply_collection, apply_giving_back
from crossway.usecases.payments.dust import DUST_NOTE
from crossway.usecases.payments.lifecycle import IntentBatch

_WAIT_SECONDS = 5
_START_EXECUTED = "The chain shows that the payment was started: nothing to refund."
OBSERVED: Final = "Somebody else's transaction did it."
Decisions = Sequence[tuple[OutboundTx, Decision]]


def apply_decisions(
    unit: UnitOfWork, services: Services, chain: Chain, head: ChainHead, decisions: Decisions
) -> None:
    """Apply the decisions that change intents, bridge transfers and the ledger without signing
    anything."""
    to_apply = [(tx, decision) for tx, decision in decisions if _has_effects(decision)]
    if not to_apply:
        return
    now = services.clock.now()
    batch = IntentBatch(services, now, unit.intents.lock({t.intent_id for t, _ in to_apply}))
    for tx, decision in to_apply:
        if decision.found:
            _apply_found(unit, batch, chain, tx, decision.found)
        elif decision.signature_outcome:
            outcome = decision.signature_outcome
            unit.payer_signatures.apply(tx.intent_id, tx.cause, outcome, now)
        elif decision.transfer_event or decision.give_back:
            _apply_to_transfer(unit, batch, tx, decision)
        elif decision.already_done:
            apply_already_done(unit, batch, chain, tx, head)
        elif decision.give_up_reason:
            give_payout_up(batch, tx, decision.give_up_reason)
        elif decision.refusal:
            apply_refusal(batch, batch.current[tx.intent_id], decision.refusal)
        else:
            apply_abandonment(
                unit,
                batch,
                tx,
                fail_reason=decision.fail_reason,
                is_dust=decision.keep_as_dust,
            )
    batch.store(unit)


def _has_effects(decision: Decision) -> bool:
    return bool(
        decision.found
        or decision.already_done
        or decision.fail_reason
        or decision.refusal
        or decision.give_up_reason
        or decision.keep_as_dust
        or decision.revive_start
        or decision.give_back
        or decision.transfer_event
        or decision.signature_outcome
    )


def _apply_found(
    unit: UnitOfWork, batch: IntentBatch, chain: Chain, tx: OutboundTx, found: FoundTx
) -> None:
    """Apply a transaction that did this already: of somebody else, who paid its fee, or one of ours
    that it had been taken out of."""
    included = found.included
    sharing = unit.outbound_txs.list_sharing({found.tx_id})[found.tx_id]
    if included.carried_out is not None and tx.id in sharing:
        intent_hash = batch.current[tx.intent_id].intent_hash
        included = own_part(included, intent_hash, tx.id, sharing)
    else:
        # A stranger's may do the same for other payments.
        intent_hash = batch.current[tx.intent_id].intent_hash
        own = tuple(t for t in included.transfers if t.intent_hash in ("", intent_hash))
        included = replace(included, fee_units=0, transfers=own)
    apply_success(unit, batch, chain, tx, found.tx_id, included)
    settle_misdirected(unit, batch, chain, [(tx, True)])


def _apply_to_transfer(
    unit: UnitOfWork, batch: IntentBatch, tx: OutboundTx, decision: Decision
) -> None:
    intent = batch.current[tx.intent_id]
    if decision.give_back:
        apply_giving_back(unit, batch, intent)
    elif decision.transfer_event in (Event.COLLECT, Event.COLLECT_REVERSED):
        apply_collection(unit, batch, intent, decision.transfer_event)
    elif decision.transfer_event is not None:
        batch.transfers.apply(
            unit,
            intent.id,
            decision.transfer_event,
            reason=decision.wait_reason,
            **_ask_again(batch.transfers.get(unit, intent.id), decision.transfer_event, batch.now),
        )


def _ask_again(transfer: BridgeTransfer, event: Event, now: datetime) -> dict[str, Any]:
    """The fields by which the bridge is asked again about a transfer that cannot be delivered."""
    if event is not Event.ATTESTATION_REFUSED:
        return {"next_at": now, "ask_at": now}
    # What was refused is forgotten: the same message may be attested to well the next time. Where
    # nodes contradict each other about it, it is asked about ever more seldom.
    return {
        "next_at": now,
        "ask_at": now + timedelta(seconds=poll_delay_seconds(transfer.poll_count)),
        "poll_count": transfer.poll_count + 1,
        "message_id": "",
        "message": b"",
        "attestation": b"",
    }


def build_change(
    tx: OutboundTx, decision: Decision, signed: SignedTx | None, now: datetime
) -> OutboundTxChange:
    """The change of a due transaction itself; `signed` is what is broadcast for it, if anything."""
    event, reason = None, decision.wait_reason
    if decision.found is not None:
        return OutboundTxChange.after_event(
            tx,
            OutboundTxEvent.OBSERVE,
            OBSERVED,
            now,
            tx_id=decision.found.tx_id,
            block_height=decision.found.included.block_height,
        )
    if signed is not None:
        event = OutboundTxEvent.SIGN
    elif decision.already_done:
        event, reason = OutboundTxEvent.FOUND, "The chain shows that it was executed before."
    elif failure := decision.fail_reason or decision.refusal or decision.give_up_reason:
        event, reason = OutboundTxEvent.GIVE_UP, failure
    elif decision.cancel_reason or decision.keep_as_dust or decision.revive_start:
        event, reason = (
            OutboundTxEvent.CANCEL,
            decision.cancel_reason or (DUST_NOTE if decision.keep_as_dust else _START_EXECUTED),
        )
    if event is None:
        next_at = decision.wait_until or now + timedelta(seconds=_WAIT_SECONDS)
        return OutboundTxChange(tx.id, tx.state, tx.state, tx.attempt_count, reason, next_at)
    tx_id = signed.tx_id if signed else None
    return OutboundTxChange.after_event(tx, event, reason, decision.wait_until or now, tx_id=tx_id)
