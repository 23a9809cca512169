"""Replaces stuck transactions by ones with the same nonce and a higher fee."""

from collections.abc import Sequence
from dataclasses import replace

from crossway.domain.errors import SigningRefused, StorageUnavailable, Unreachable
from crossway.domain.outbound import (
    OutboundTx,
    OutboundTxEvent,
)
from crossway.domain.outbound_call import OutboundCall
from crossway.engine.alerts import raise_signing_alert
from crossway.engine.outbound_calls import build_calls
from crossway.engine.tx_submitter import broadcast, report_signer
from crossway.ports.chain import Chain, SignedTx
from crossway.ports.records import OutboundTxChange, TxAttempt
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.shared_transactions import group_by_slot
from crossway.usecases.payments.signing_policy import SigningPolicy

# A stuck transaction is not bumped once its fee is this many times the chain's current fee.
_MAX_FEE_FACTOR = 2
_REPLACED_REASON = "Not included for too long: sent again with a higher fee."
_LEFT_OUT = "It shared a transaction that was replaced without it; signed anew."


def bump_fees(services: Services, chain: Chain, stuck: Sequence[TxAttempt]) -> None:
    """Replace transactions that wait too long by ones with the same nonce and a higher fee.

    A transaction that already pays well above the current fee is not stuck because of its fee and
    is left alone; otherwise its fee would grow without limit.
    """
    current_fee = chain.fee_units()
    underpriced = [a for a in stuck if a.signed.fee_units < _MAX_FEE_FACTOR * current_fee]
    _bump(services, chain, _first_with_their_nonces(chain, underpriced), current_fee)


def split_refused(services: Services, chain: Chain, refused: Sequence[TxAttempt]) -> None:
    """Replace transactions for several payments by ones for the first half of them, where nodes
    have refused them for long; the other half is signed anew. A refused transaction keeps its
    nonce, and with it the chain, waiting, whatever the reason of the refusal."""
    by_slot = group_by_slot(_first_with_their_nonces(chain, refused))
    halves = [a for group in by_slot.values() for a in group[: max(len(group) // 2, 1)]]
    _bump(services, chain, halves, chain.fee_units())


def _first_with_their_nonces(chain: Chain, attempts: Sequence[TxAttempt]) -> list[TxAttempt]:
    """As many as are signed at once, and those that share a transaction with one of them."""
    slots = {attempt.signed.slot for attempt in attempts[: chain.max_signatures]}
    return [attempt for attempt in attempts if attempt.signed.slot in slots]


def _bump(
    services: Services, chain: Chain, attempts: Sequence[TxAttempt], current_fee: int
) -> None:
    """Replace these, or each transaction by itself where the signer refuses one. What is confirmed
    must not wait for a signer, so nothing of it is raised."""
    if not attempts:
        return
    fee = max([current_fee, *(a.signed.fee_units * 5 // 4 + 1 for a in attempts)])
    try:
        signed = services.store.write(lambda unit: _replace(unit, services, chain, attempts, fee))
    except StorageUnavailable:
        raise
    except Unreachable as error:
        report_signer(services, chain.id, error)
    except SigningRefused as refused:
        by_slot = group_by_slot(attempts)
        if len(by_slot) == 1:
            reason = str(refused)
            services.store.write(lambda unit: _report_refusal(unit, services, attempts[0], reason))
            return
        for sharing in by_slot.values():
            _bump(services, chain, sharing, current_fee)
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
    replaced, left_out = _lock_groups(unit, chain, underpriced, fee)
    intents = unit.intents.get_whole({tx.intent_id for tx, _ in replaced})
    txs = [tx for tx, _ in replaced]
    policy = SigningPolicy(unit, services, chain, txs)
    calls = build_calls(unit, services, chain, txs, intents)
    requests = [
        (tx, replace(calls[tx.id], account=attempt.signed.account), attempt.signed.nonce)
        for tx, attempt in replaced
        if tx.id in calls
    ]
    requests = [request for request in requests if _is_signable(unit, services, policy, *request)]
    signed = policy.sign(requests, fee)
    pairs = [(tx, s) for (tx, _, _), s in zip(requests, signed, strict=True)]
    unit.outbound_txs.add_attempts(
        [TxAttempt(tx.id, chain.id, signed_tx, now) for tx, signed_tx in pairs]
    )
    replaced_by, drop = OutboundTxEvent.REPLACE, OutboundTxEvent.DROP
    changes = [
        OutboundTxChange.after_event(tx, replaced_by, _REPLACED_REASON, now, tx_id=s.tx_id)
        for tx, s in pairs
    ]
    changes += [OutboundTxChange.after_event(tx, drop, _LEFT_OUT, now) for tx in left_out]
    unit.outbound_txs.update(changes, now)
    return signed


def _lock_groups(
    unit: UnitOfWork, chain: Chain, attempts: Sequence[TxAttempt], fee: int
) -> tuple[list[tuple[OutboundTx, TxAttempt]], list[OutboundTx]]:
    """Lock these and what shares their transactions. Returns those to replace, as many as may share
    one at this fee, and those left out of it, to be signed anew. A transaction waits for the next
    pass where another process has a part of it locked."""
    sharing = unit.outbound_txs.list_sharing({a.signed.tx_id for a in attempts})
    tx_ids = {id: tx_id for tx_id, ids in sharing.items() for id in ids}
    locked = unit.outbound_txs.lock_signed(tx_ids)
    replaced: list[tuple[OutboundTx, TxAttempt]] = []
    left_out: list[OutboundTx] = []
    for group in group_by_slot(attempts).values():
        members = set(sharing[group[0].signed.tx_id])
        if unit.outbound_txs.list_still_signed(members - locked.keys(), group[0].signed.tx_id):
            continue
        most = chain.calls_per_tx(fee) if len(group) > 1 else 1
        kept = [a for a in group if a.outbound_tx_id in locked][:most]
        kept_ids = {a.outbound_tx_id for a in kept}
        replaced += [(locked[a.outbound_tx_id], a) for a in kept]
        if kept:
            left_out += [locked[id] for id in members & locked.keys() - kept_ids]
    return replaced, left_out


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
