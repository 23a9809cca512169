"""Payouts from inventory that a bridge's delivery repays."""

from datetime import datetime, timedelta
from typing import Final

from crossway.domain.bridge_transfer import BridgeTransferState
from crossway.domain.intent import Intent, IntentEvent, State
from crossway.domain.outbound import NO_INVENTORY, OutboundTx, OutboundTxKind
from crossway.domain.quotes import BridgeName
from crossway.engine.bridge_snapshot import BridgeSnapshot
from crossway.engine.outbound_decision import SIGN, Decision
from crossway.ports.records import NewOutboundTx
from crossway.usecases.payments.lifecycle import IntentBatch

PREFILL_FROM_SECONDS: Final = 15
"""A bridge that delivers faster needs no payout from inventory."""
_NOT_DEEP: Final = "The send over the bridge needs more confirmations first."
_MAX_DEPTH_WAIT_SECONDS: Final = 5
_PREFILLED_BRIDGES: Final = (BridgeName.CCTP,)
"""Those that deliver for sure what was sent. Across returns what nobody fills, and the relayer
would be out of pocket."""
_ON_THE_WAY: Final = (BridgeTransferState.SEEN, BridgeTransferState.DELAYED)


def enqueue_prefill(batch: IntentBatch, intent: Intent) -> None:
    """Enqueue the payout from inventory of a payment whose delivery takes long and repays it."""
    terms, services = intent.terms, batch.services
    if terms.bridge not in _PREFILLED_BRIDGES or not services.policy.prefill_limit_micro_usd:
        return
    if services.bridge_clients[terms.bridge].usual_seconds(intent) > PREFILL_FROM_SECONDS:
        batch.outbound.append(
            NewOutboundTx(
                intent.id,
                OutboundTxKind.FILL,
                "fill",
                terms.destination_chain,
                terms.token_out,
                terms.payout_amount,
                terms.recipient,
                batch.now,
            )
        )


def decide_prefill(
    intent: Intent,
    snapshot: BridgeSnapshot,
    limit: int,
    inventory: int,
    refusal: str | None,
    now: datetime,
) -> Decision:
    """The decision on a payout from inventory that a bridge repays, up to `limit` micro-USD. It is
    a favour: where it cannot be made, the bridge's delivery pays. Only a send that is as deep as
    its value asks for is repaid for sure, and what is attested to is delivered instead."""
    transfer = snapshot.transfers[intent.id]
    if intent.state is not State.INITIATED or transfer.state not in _ON_THE_WAY:
        return Decision(cancel_reason="Nothing to pay in advance: the bridge has delivered it.")
    missing_seconds = snapshot.seconds_to_depth.get(intent.id)
    if missing_seconds is None:
        return Decision(wait_reason=_NOT_DEEP)
    if missing_seconds > 0:
        wait = timedelta(seconds=min(missing_seconds, _MAX_DEPTH_WAIT_SECONDS))
        return Decision(wait_reason=_NOT_DEEP, wait_until=now + wait)
    unrepaid = snapshot.unrepaid.get(intent.terms.source_chain, 0)
    if unrepaid + intent.costs.amount_micro_usd > limit:
        return Decision(wait_reason="Bridges have yet to repay as much as the limit allows.")
    if refusal:
        return Decision(cancel_reason=f"The recipient refuses it: {refusal}.")
    if inventory < intent.terms.payout_amount:
        return Decision(wait_reason=NO_INVENTORY)
    return SIGN


def apply_prefill(batch: IntentBatch, intent: Intent, tx: OutboundTx, tx_id: str) -> None:
    """The recipient was paid from inventory, which the bridge's delivery repays."""
    is_first = intent.state is State.INITIATED
    batch.apply_event(
        intent.id,
        IntentEvent.PREFILLED if is_first else IntentEvent.LEDGER_ONLY,
        "fill",
        tx_id,
        tx_hash=tx_id if is_first else intent.tx_hash,
        relayer=batch.services.chains[tx.chain].accounts.relayer,
    )
