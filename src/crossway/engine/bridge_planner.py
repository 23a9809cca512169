"""Decides on due transactions of payments over bridges: send, deliver, release, give back."""

from datetime import datetime, timedelta
from typing import Final

from crossway.domain.bridge_transfer import BridgeTransferEvent, BridgeTransferState, Custody
from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTx, OutboundTxKind
from crossway.domain.quotes import bridge_title
from crossway.engine.bridge_snapshot import BridgeSnapshot
from crossway.engine.outbound_decision import SIGN, Decision, FoundTx
from crossway.ports.bridge import BAD_SIGNATURES
from crossway.ports.chain import DONE_BY_OTHERS

S = BridgeTransferState
REFUSING: Final = "The recipient refuses {}. The deposit goes back when the payment expires."
UNANSWERED: Final = (
    "The destination chain does not answer: nothing is sent before the recipient is known to be "
    "payable."
)
UNDEPLOYED: Final = (
    "The contract of {} is not deployed on {}: nothing is sent there before it is (crossway "
    "contracts deploy)."
)
_GIVEN_BACK: Final = "Somebody else has given it back; its block needs more confirmations."
_TOO_YOUNG: Final = "Somebody else has sent it; its block needs more confirmations."
_STILL_HELD: Final = "The bridge's contract holds the deposit and gives it back first."
_MESSAGE_EXPIRED: Final = "must be re-signed"
_RELEASE_RETRY: Final = timedelta(hours=1)


def decide_send(tx: OutboundTx, intent: Intent, snapshot: BridgeSnapshot) -> Decision:
    """The decision on a start that sends the deposit over a bridge; it is in time."""
    if snapshot.states[intent.id].sent:
        return Decision(wait_reason=_TOO_YOUNG)
    if snapshot.states[intent.id].given_back:
        return Decision(fail_reason="the bridge's contract has given the deposit back")
    if intent.id in snapshot.unanswered:
        return Decision(wait_reason=UNANSWERED)
    if intent.id in snapshot.undeployed:
        bridge, there = intent.terms.bridge, intent.terms.destination_chain
        reason = UNDEPLOYED.format(bridge_title(bridge), snapshot.names[there])
        return Decision(wait_reason=reason, alert_key=f"bridge:{bridge}:{there}")
    if intent.id in snapshot.refusing:
        return Decision(wait_reason=REFUSING.format(intent.out_symbol))
    decision = _unless_it_reverts(tx, intent, snapshot)
    transfer = snapshot.transfers.get(intent.id)
    if decision.sign or transfer is None:
        return decision
    return decision.with_transfer_event(_follow_collection(transfer.state, intent, snapshot))


def _follow_collection(
    state: BridgeTransferState, intent: Intent, snapshot: BridgeSnapshot
) -> BridgeTransferEvent | None:
    """Whether somebody else started a payment that cannot be sent now, or a reorg undid that."""
    is_collected = intent.id in snapshot.collected
    if is_collected and state is S.PLANNED:
        return BridgeTransferEvent.COLLECT
    if not is_collected and state is S.COLLECTED:
        return BridgeTransferEvent.COLLECT_REVERSED
    return None


def decide_delivery(tx: OutboundTx, intent: Intent, snapshot: BridgeSnapshot) -> Decision:
    """The decision on a delivery that is due and that nobody else has made."""
    transfer = snapshot.transfers[intent.id]
    if transfer.state in (S.DELIVERED, S.PARKED, S.CLOSED, S.UNCLAIMED):
        return Decision(cancel_reason="Nothing to deliver: it has arrived.")
    if snapshot.states[intent.id].arrived:
        return Decision(wait_reason=_TOO_YOUNG)
    if transfer.state is not S.CLAIMABLE:
        return Decision(wait_reason="The bridge must attest to it first.")
    reason = snapshot.would_revert.get(tx.id, "")
    if _MESSAGE_EXPIRED in reason:
        return Decision(
            wait_reason="The attestation has expired; the bridge is asked for a new one.",
            transfer_event=BridgeTransferEvent.MESSAGE_EXPIRED,
        )
    # As it has not arrived, what others did under its number is another message.
    if reason == DONE_BY_OTHERS or any(words in reason for words in BAD_SIGNATURES):
        return Decision(
            wait_reason=f"The attestation is refused; the bridge is asked again: {reason}.",
            transfer_event=BridgeTransferEvent.ATTESTATION_REFUSED,
        )
    return _unless_it_reverts(tx, intent, snapshot)


def decide_release(
    tx: OutboundTx, intent: Intent, snapshot: BridgeSnapshot, now: datetime
) -> Decision:
    """The decision on the release of parked money: once the recipient can be paid."""
    if snapshot.transfers[intent.id].state is not S.PARKED:
        return Decision(cancel_reason="Nothing is parked.")
    reason = snapshot.would_revert.get(tx.id)
    if reason is None:
        return SIGN
    return Decision(
        wait_reason=f"The recipient cannot be paid yet: {reason}.", wait_until=now + _RELEASE_RETRY
    )


def decide_give_back(tx: OutboundTx, intent: Intent, snapshot: BridgeSnapshot) -> Decision:
    """The decision on taking a collected deposit back out of the bridge's contract."""
    if snapshot.states[intent.id].sent:
        return Decision(cancel_reason="Nothing to give back: it was sent over the bridge.")
    if snapshot.states[intent.id].given_back:
        return Decision(wait_reason=_GIVEN_BACK)
    if intent.id not in snapshot.collected:
        return Decision(cancel_reason="Nothing to give back: the deposit was not collected.")
    return _unless_it_reverts(tx, intent, snapshot)


def decide_refund_over_bridge(intent: Intent, snapshot: BridgeSnapshot) -> Decision | None:
    """What must happen before a deposit can be refunded from its address, if anything."""
    if intent.custody is not Custody.BRIDGE:
        return None
    state = snapshot.states[intent.id]
    transfer = snapshot.transfers.get(intent.id)
    if state.sent and (transfer is None or transfer.state not in (S.EXPIRED, S.REFUNDING)):
        return Decision(revive_start=True)
    is_held = intent.id in snapshot.collected and not (state.sent or state.given_back)
    if is_held or (transfer is not None and transfer.state in (S.COLLECTED, S.GIVING_BACK)):
        return Decision(wait_reason=_STILL_HELD, give_back=True)
    return None


def is_returned_by_bridge(intent: Intent) -> bool:
    """Whether a bridge has returned the deposit of a payment that it did not carry."""
    return intent.custody is Custody.BRIDGE and intent.state is State.FAILED


def wait_for_depth(
    tx: OutboundTx, intent: Intent, found: FoundTx, snapshot: BridgeSnapshot
) -> Decision | None:
    """Whether somebody else's transaction is too young to be booked. A send needs no depth: it goes
    away together with its deposit."""
    depth = 0 if tx.kind is OutboundTxKind.START else snapshot.depths[intent.id]
    if snapshot.height - found.included.block_height >= depth:
        return None
    return Decision(wait_reason=_TOO_YOUNG)


def _unless_it_reverts(tx: OutboundTx, intent: Intent, snapshot: BridgeSnapshot) -> Decision:
    reason = snapshot.would_revert.get(tx.id)
    if reason is None:
        return SIGN
    if reason == DONE_BY_OTHERS:
        return Decision(wait_reason=_TOO_YOUNG)
    # With the chain: alerts find what waits for their cause by this sentence.
    where = f"{bridge_title(intent.terms.bridge)} on {snapshot.names[tx.chain]}"
    key = f"bridge:{intent.terms.bridge}:{tx.chain}"
    return Decision(wait_reason=f"{where} does not accept transfers now: {reason}.", alert_key=key)
