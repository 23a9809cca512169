"""What happens to deposits at standing addresses and the ledger when their transactions are made,
undone or given up."""

from dataclasses import replace
from typing import Final

from crossway.domain.ledger import Account
from crossway.domain.outbound import OutboundTx, OutboundTxKind
from crossway.domain.owners import owner_subject, owner_title
from crossway.domain.standing import StandingDeposit, StandingState, standing_deposit_id
from crossway.engine.alerts import describe_outbound_tx, raise_alert
from crossway.ports.chain import ALREADY_DONE, IncludedTx
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.lifecycle import IntentBatch

S = StandingState
_MOVED: Final = {
    OutboundTxKind.FORWARD: (S.FORWARDING, S.FORWARDED),
    OutboundTxKind.RECOVER: (S.RETURNING, S.RETURNED),
}
_LEFT_BEFORE: Final = (
    "{} left its standing address by a transaction that the ledger does not have. Compare what the "
    "chain shows with the payment and the recovery address."
)


def apply_moved(
    unit: UnitOfWork, batch: IntentBatch, tx: OutboundTx, tx_id: str, included: IncludedTx
) -> None:
    """Book that a deposit has left its standing address. Where it goes, it is a payer's money as
    any other: the deposit of its payment is credited by itself."""
    assert tx.amount is not None
    leg = (Account.PAYER, Account.STANDING, tx.amount)
    batch.add_postings(tx.intent_id, tx.chain, tx.token, tx_id, leg)
    before, after = _MOVED[tx.kind]
    _change(unit, batch, tx, before, after)
    if included.reason == ALREADY_DONE:
        subject = owner_subject(tx.intent_id)
        message = _LEFT_BEFORE.format(owner_title(tx.intent_id).capitalize())
        raise_alert(unit, batch.services, f"outside:{subject}", "outside", subject, message)


def reverse_moved(unit: UnitOfWork, batch: IntentBatch, tx: OutboundTx) -> None:
    """A reorg removed the transaction, whose postings are reversed: it is made again."""
    before, after = _MOVED[tx.kind]
    _change(unit, batch, tx, after, before)


def apply_unmoved(unit: UnitOfWork, batch: IntentBatch, tx: OutboundTx, reason: str) -> None:
    """A transaction was given up: what cannot be forwarded goes back, and what cannot go back
    waits for an operator."""
    if tx.kind is OutboundTxKind.FORWARD:
        _change(unit, batch, tx, S.FORWARDING, S.FORWARDING)
        return
    if not _change(unit, batch, tx, S.RETURNING, S.FAILED, reason):
        return
    described = describe_outbound_tx(tx.kind, tx.intent_id)
    subject, message = owner_subject(tx.intent_id), f"{described} failed permanently: {reason}"
    raise_alert(unit, batch.services, f"transfer:{tx.id}", "transfer", subject, message)


def _change(
    unit: UnitOfWork,
    batch: IntentBatch,
    tx: OutboundTx,
    before: StandingState,
    after: StandingState,
    reason: str | None = None,
) -> bool:
    """Change a deposit's state, if it has the one before. One that a reorg has removed meanwhile is
    decided on when it is included again."""
    id = standing_deposit_id(tx.intent_id)
    deposit: StandingDeposit = unit.standing.lock_deposits([id])[id]
    if deposit.state is not before:
        return False
    text = deposit.reason if reason is None else reason
    changed = replace(deposit, state=after, reason=text, next_at=batch.now, updated_at=batch.now)
    unit.standing.update_deposits([(deposit, changed)])
    return True
