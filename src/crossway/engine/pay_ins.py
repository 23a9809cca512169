"""Payers' signatures that are to be carried out: what the chain says of each, and the decision."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from crossway.domain.errors import Unreachable
from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTx, OutboundTxKind
from crossway.domain.outbound_call import OutboundCall, Output
from crossway.domain.payer_signatures import PayerSignature, SignatureEvent, SignatureOutcome
from crossway.engine.alerts import raise_alert
from crossway.engine.outbound_decision import SIGN, Decision, FoundTx
from crossway.ports.chain import Chain, ChainHead, IncludedTx
from crossway.ports.payer_signatures import SignatureCheck, TakesSignatures
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.supported_chains import chain_name
from crossway.usecases.payers.signed_payments import DAY, MOST_REVERTS

# Nodes may not all have what the payer's account got a moment before.
_PATIENCE: Final = timedelta(seconds=60)
_LOOK_AGAIN: Final = timedelta(seconds=1)
_PAID_OTHERWISE: Final = "The payment no longer needs the payer's signature."
_TOO_LATE: Final = "It is too late to carry the payer's signature out."
_FAILED_ONCE: Final = "The transaction that carried the payer's signature out failed."
_TOO_YOUNG: Final = (
    "Somebody else carried the payer's signature out; its block needs more confirmations."
)
_UNKNOWN: Final = "The chain does not say what became of the payer's signature."


@dataclass(frozen=True, slots=True)
class PayIn:
    """A payer's signature, what the chain says of it, and the transaction of somebody else that
    carried it out, where one did and is in a block."""

    signature: PayerSignature
    check: SignatureCheck
    found: FoundTx | None = None


def read_pay_ins(
    services: Services, chain: Chain, txs: Sequence[OutboundTx]
) -> Mapping[int, PayIn]:
    """By outbound transaction the signatures that are to be carried out; empty where the chain does
    not answer, so that they wait and all else goes on."""
    pay_ins = [tx for tx in txs if tx.kind is OutboundTxKind.PAY_IN]
    if not pay_ins or not isinstance(chain, TakesSignatures):
        return {}
    with services.store.read() as unit:
        stored = unit.payer_signatures.get_many({tx.intent_id for tx in pay_ins})
    found = [(tx.id, stored[key]) for tx in pay_ins if (key := (tx.intent_id, tx.cause)) in stored]
    with suppress(Unreachable):
        checks = chain.check_signatures([signature for _, signature in found])
        theirs = _read_theirs(chain, checks)
        return {
            id: PayIn(one, check, theirs.get(_paid_by(check)))
            for (id, one), check in zip(found, checks, strict=True)
        }
    return {}


def _read_theirs(chain: Chain, checks: Sequence[SignatureCheck]) -> Mapping[str, FoundTx]:
    """By name, the transactions of others that carried signatures out. Raises `Unreachable`."""
    names = {name for check in checks if (name := _paid_by(check))}
    statuses = chain.status(names) if names else {}
    return {
        name: FoundTx(name, status)
        for name, status in statuses.items()
        if isinstance(status, IncludedTx) and not status.reason
    }


def _paid_by(check: SignatureCheck) -> str:
    is_paid = check.ended is not None and check.ended.event is SignatureEvent.PAY
    return (check.ended.tx_id or "") if is_paid and check.ended else ""


def decide_pay_in(
    services: Services,
    head: ChainHead,
    tx: OutboundTx,
    intent: Intent,
    pay_ins: Mapping[int, PayIn],
) -> Decision:
    """Whether to carry a signature out now. It is simulated before each time, sent while the
    payment needs it, and not again once that has failed."""
    if (pay_in := pay_ins.get(tx.id)) is None:
        return Decision(wait_reason=_UNKNOWN)
    signature, check = pay_in.signature, pay_in.check
    if _paid_by(check):
        return _follow(services, head, tx, intent, pay_in.found)
    if check.ended is not None:
        return _end(check.ended)
    if intent.state is not State.PENDING or intent.received_amount + (tx.amount or 0) > (
        intent.terms.deposit_amount
    ):
        return _end(SignatureOutcome(SignatureEvent.LAPSE, _PAID_OTHERWISE))
    margin = timedelta(seconds=services.policy.start_margin_seconds)
    seconds_left = signature.authorization.valid_before - head.time.timestamp()
    if head.time + margin >= intent.terms.expires_at or seconds_left <= 0:
        return _end(SignatureOutcome(SignatureEvent.LAPSE, _TOO_LATE))
    if tx.attempt_count:
        return _end(SignatureOutcome(SignatureEvent.REFUSE, _FAILED_ONCE))
    if not check.refusal:
        return SIGN
    if services.clock.now() - signature.created_at > _PATIENCE:
        return _end(SignatureOutcome(SignatureEvent.REFUSE, check.refusal))
    return Decision(wait_reason=check.refusal)


def _follow(
    services: Services, head: ChainHead, tx: OutboundTx, intent: Intent, found: FoundTx | None
) -> Decision:
    """Somebody else's transaction counts once it is as deep as ours would have to be, and is
    followed until it is final: a reorg may remove it, and then ours is sent."""
    depth = services.catalogue.chains[tx.chain].confirmations.depth_for_value(
        intent.costs.total_micro_usd
    )
    if found is None or head.height - found.included.block_height < depth:
        # Whoever asked us to settle waits for it.
        return Decision(wait_reason=_TOO_YOUNG, wait_until=services.clock.now() + _LOOK_AGAIN)
    return Decision(found=found)


def _end(outcome: SignatureOutcome) -> Decision:
    return Decision(cancel_reason=outcome.reason, signature_outcome=outcome)


def note_paid(unit: UnitOfWork, tx: OutboundTx, tx_id: str, now: datetime) -> None:
    """Note that a transaction of ours carried a signature out."""
    paid = SignatureOutcome(SignatureEvent.PAY, tx_id=tx_id)
    unit.payer_signatures.apply(tx.intent_id, tx.cause, paid, now)


def note_revert(unit: UnitOfWork, services: Services, tx: OutboundTx, now: datetime) -> None:
    """Count a transaction of ours that failed to carry a signature out; raise an alert where so
    many failed that none is taken any more."""
    unit.payer_signatures.count_revert(tx.intent_id, tx.cause, now)
    if unit.payer_signatures.count_reverts(tx.chain, now - DAY) < MOST_REVERTS:
        return
    place = chain_name(services, tx.chain)
    failed = f"{MOST_REVERTS} payers' signatures failed within a day on {place}"
    message = f"{failed}: they are taken only of accounts that paid by one before."
    raise_alert(unit, services, f"signatures:{tx.chain}", "signatures", tx.chain, message)


def with_signatures(
    unit: UnitOfWork, txs: Sequence[OutboundTx], calls: Mapping[int, OutboundCall]
) -> dict[int, OutboundCall]:
    """These calls, those that carry out signatures with what is stored of them."""
    pay_ins = [tx for tx in txs if tx.kind is OutboundTxKind.PAY_IN and tx.id in calls]
    if not pay_ins:
        return dict(calls)
    stored = unit.payer_signatures.get_many({tx.intent_id for tx in pay_ins})
    found = [(tx, stored[key]) for tx in pay_ins if (key := (tx.intent_id, tx.cause)) in stored]
    return {
        **calls,
        **{
            tx.id: replace(
                calls[tx.id],
                signature=one,
                outputs=(Output(one.authorization.payer, tx.to_address, tx.token, tx.amount),),
            )
            for tx, one in found
        },
    }
