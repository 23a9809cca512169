"""What forbids a payout from inventory, whatever there is to pay it with."""

from typing import Final

from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTx, OutboundTxKind, OutboundTxState
from crossway.domain.outbound_call import fill_marker, last_payout_time, settle_marker
from crossway.engine.chain_snapshot import ChainSnapshot
from crossway.engine.outbound_decision import SIGN, Decision
from crossway.ports.chain import ChainHead
from crossway.ports.store import UnitOfWork

CONFIRMED_STATES: Final = (OutboundTxState.CONFIRMED, OutboundTxState.FINAL)
REFUSED_ONCE: Final = "The recipient refuses the payout ({}). It is given up once that is final."
NOT_PAID_IN_TIME: Final = "The payout could not be sent in time, so the deposit goes back. {}"
_TOO_LATE: Final = "It is too late to pay the recipient."
_REFUNDED: Final = "the chain shows that the collected deposit was refunded"


def decide_forbidden(
    unit: UnitOfWork, head: ChainHead, snapshot: ChainSnapshot, tx: OutboundTx, intent: Intent
) -> Decision | None:
    """The decision on a payout that must not be made now: the deposit left the escrow, it is too
    late, or the recipient refuses it."""
    executed = snapshot.executed_markers
    refunded = settle_marker(intent) in executed and fill_marker(intent) not in executed
    if refunded and not _has_active_claim(unit, intent):
        return Decision(fail_reason=_REFUNDED)
    if head.time > last_payout_time(intent.terms):
        # An earlier attempt may still be included, or be included again, until that is final.
        is_unpaid = tx.id in snapshot.unpaid
        given_up = Decision(give_up_reason=NOT_PAID_IN_TIME.format(_TOO_LATE))
        return given_up if is_unpaid else Decision(wait_reason=_TOO_LATE)
    if tx.attempt_count and (refusal := snapshot.refusals.get(intent.id)):
        if tx.id in snapshot.refused:
            return Decision(refusal=refusal)
        # An attempt whose revert is not final may be included again and pay after all.
        return Decision(wait_reason=REFUSED_ONCE.format(refusal))
    return None


def decide_restart(head: ChainHead, intent: Intent) -> Decision:
    """The decision on a start that was reverted after the payout began: the deposit must still be
    collected."""
    if head.time < intent.terms.expires_at:
        return SIGN
    return Decision(fail_reason="the payout was sent and it is too late to collect the deposit")


def decide_reimbursement(intent: Intent, is_started: bool) -> Decision:
    """The decision on repaying the relayer, which a collected deposit and a payout come before."""
    if intent.state is not State.COMPLETED:
        return Decision(wait_reason="The payout was reverted and must be confirmed again first.")
    if not is_started:
        return Decision(wait_reason="The deposit must be collected again first.")
    return SIGN


def _has_active_claim(unit: UnitOfWork, intent: Intent) -> bool:
    claims = unit.outbound_txs.list_by_intents([intent.id], OutboundTxKind.REIMBURSE)
    return any(t.state in (*CONFIRMED_STATES, OutboundTxState.SIGNED) for t in claims)
