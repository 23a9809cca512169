"""Replaces stuck transactions by ones with the same nonce and a higher fee."""

from collections.abc import Sequence

from crossway.domain.errors import SigningRefused, StorageUnavailable, Unreachable
from crossway.domain.outbound import OutboundTx, OutboundTxEvent
from crossway.domain.outbound_call import OutboundCall
from crossway.engine.alerts import raise_signing_alert
from crossway.engine.tx_builder import build_outbound_call
from crossway.engine.tx_submitter import broadcast, report_signer
from crossway.ports.chain import Chain, SignedTx
from crossway.ports.records import OutboundTxChange, TxAttempt
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.signing_policy import SigningPolicy

# A stuck transaction is not bumped once its fee is this many times the chain's current fee.
_MAX_FEE_FACTOR = 2
_REPLACED_REASON = "Pending for too long: sent again with a higher fee."


def bump_fees(services: Services, chain: Chain, stuck: Sequence[TxAttempt]) -> None:
    """Replace transactions that wait too long by ones with the same nonce and a higher fee.

    A transaction that already pays well above the current fee is not stuck because of its fee and
    is left alone; otherwise its fee would grow without limit.
    """
    current_fee = chain.fee_units()
    underpriced = [a for a in stuck if a.signed.fee_units < _MAX_FEE_FACTOR * current_fee]
    underpriced = underpriced[: chain.max_signatures]
    if not underpriced:
        return
    fee = max([current_fee, *(a.signed.fee_units * 5 // 4 + 1 for a in underpriced)])
    _bump(services, chain, underpriced, fee)


def _bump(services: Services, chain: Chain, attempts: Sequence[TxAttempt], fee: int) -> None:
    """Replace these, or each by itself where the signer refuses one; `fee` in units of the native
    coin. What is confirmed must not wait for a signer, so nothing of it is raised."""
    try:
        signed = services.store.write(lambda unit: _replace(unit, services, chain, attempts, fee))
    except StorageUnavailable:
        raise
    except Unreachable as error:
        report_signer(services, chain.id, error)
    except SigningRefused as refused:
        if len(attempts) == 1:
            reason = str(refused)
            services.store.write(lambda unit: _report_refusal(unit, services, attempts[0], reason))
            return
        for attempt in attempts:
            _bump(services, chain, [attempt], fee)
    else:
        broadcast(services, chain, signed)


def _report_refusal(unit: UnitOfWork, services: Services, attempt: TxAttempt, reason: str) -> None:
    if (tx := unit.outbound_txs.get(attempt.outbound_tx_id)) is not None:
        raise_signing_alert(unit, services, tx, reason)


def _replace(
    unit: UnitOfWork,
    services: Services,
    chain: Chain,
    underpriced: Sequence[TxAttempt],
    fee: int,
) -> Sequence[SignedTx]:
    """Sign and store the replacements of those that are still signed; `fee` in units of the native
    coin."""
    now = services.clock.now()
    locked = unit.outbound_txs.lock_signed({a.outbound_tx_id: a.signed.tx_id for a in underpriced})
    still_signed = [(tx, a) for a in underpriced if (tx := locked.get(a.outbound_tx_id))]
    intents = unit.intents.get_many({tx.intent_id for tx, _ in still_signed})
    policy = SigningPolicy(unit, services, chain, [tx for tx, _ in still_signed])
    requests = [
        (tx, build_outbound_call(tx, intents[tx.intent_id], chain.accounts), a.signed.nonce)
        for tx, a in still_signed
    ]
    requests = [request for request in requests if _is_signable(unit, services, policy, *request)]
    signed = policy.sign(requests, fee)
    replaced = [(tx, s) for (tx, _, _), s in zip(requests, signed, strict=True)]
    unit.outbound_txs.add_attempts(
        [TxAttempt(tx.id, chain.id, chain.accounts.relayer, s, now) for tx, s in replaced]
    )
    event = OutboundTxEvent.REPLACE
    unit.outbound_txs.update(
        [
            OutboundTxChange.after_event(tx, event, _REPLACED_REASON, now, tx_id=s.tx_id)
            for tx, s in replaced
        ],
        now,
    )
    return signed


def _is_signable(
    unit: UnitOfWork,
    services: Services,
    policy: SigningPolicy,
    tx: OutboundTx,
    call: OutboundCall,
    nonce: int,
) -> bool:
    """Whether a replacement may be signed; raises an alert where it must not."""
    try:
        policy.require_signable(tx, call, nonce)
    except SigningRefused as refused:
        raise_signing_alert(unit, services, tx, str(refused))
        return False
    return True
