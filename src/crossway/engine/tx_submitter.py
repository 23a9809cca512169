"""Submits due outbound transactions: plans, signs and stores them at once, then broadcasts."""

import itertools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from crossway.domain.errors import SigningRefused, StorageUnavailable, Unreachable
from crossway.domain.outbound import (
    OutboundTx,
    OutboundTxEvent,
    OutboundTxKind,
    OutboundTxState,
)
from crossway.engine.alerts import (
    SIGNING_ALERT,
    describe_outbound_tx,
    raise_alert,
    raise_signing_alert,
)
from crossway.engine.bisect_batch import bisect_batch
from crossway.engine.chain_snapshot import ChainSnapshot, take_chain_snapshot
from crossway.engine.outbound_decision import Decision
from crossway.engine.outbound_planner import OutboundPlanner
from crossway.engine.signing_refusals import find_refusals, postpone
from crossway.engine.tx_builder import build_outbound_call, nonce_to_skip
from crossway.engine.tx_effects import apply_abandonment, apply_already_done, apply_refusal
from crossway.ports.chain import Chain, ChainHead, SignedTx
from crossway.ports.records import OutboundTxChange, TxAttempt
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.agents import AGENT_ALERT
from crossway.usecases.chains.supported_chains import chain_name
from crossway.usecases.payments.abandoned_payouts import give_payout_up
from crossway.usecases.payments.dust import DUST_NOTE
from crossway.usecases.payments.lifecycle import IntentBatch
from crossway.usecases.payments.redirects import COORDINATOR_ALERT
from crossway.usecases.payments.signing_policy import SigningPolicy

BATCH = 2_000
_WAIT_SECONDS = 5
_START_EXECUTED = "The chain shows that the payment was started: nothing to refund."
Decisions = Sequence[tuple[OutboundTx, Decision]]


def submit_due(services: Services, heads: Mapping[str, ChainHead]) -> int:
    """Sign and broadcast the transactions that are due on these chains; returns their number."""
    chains, sent = set(heads), 0
    while chains:
        with services.store.read() as unit:
            due = unit.outbound_txs.list_due(chains, services.clock.now(), BATCH)
        by_chain: dict[str, list[OutboundTx]] = defaultdict(list)
        for tx in due:
            by_chain[tx.chain].append(tx)
        unanswered = set()
        for chain_id, all_txs in by_chain.items():
            chain = services.chains[chain_id]
            txs = all_txs[: chain.max_signatures]
            try:
                snapshot = take_chain_snapshot(services, chain, heads[chain_id], txs)
            except Unreachable:
                unanswered.add(chain_id)
                continue
            try:
                sent += _sign_and_send(services, chain, heads, txs, snapshot)
            except StorageUnavailable:
                raise
            except Unreachable as error:
                report_signer(services, chain_id, error)
                unanswered.add(chain_id)
        # Many that are due where nobody answers must not keep the other chains waiting.
        chains = chains - unanswered if unanswered and len(due) == BATCH else set()
    return sent


def report_signer(services: Services, chain_id: str, error: Unreachable) -> None:
    """Raise an alert: nothing was signed, nothing is stored, and all of it is tried again."""
    message = f"Nothing can be signed on {chain_name(services, chain_id)} now: {error}."
    services.store.write(
        lambda unit: raise_alert(unit, services, f"signer:{chain_id}", "signer", chain_id, message)
    )


def _sign_and_send(
    services: Services,
    chain: Chain,
    heads: Mapping[str, ChainHead],
    txs: Sequence[OutboundTx],
    snapshot: ChainSnapshot,
) -> int:
    def prepare(batch: Sequence[OutboundTx]) -> list[tuple[OutboundTxKind, SignedTx]]:
        try:
            return services.store.write(
                lambda unit: _prepare(unit, services, chain, heads[chain.id], batch, snapshot)
            )
        except SigningRefused as refused:
            # The signer does not say which of several it refuses: they are tried in halves.
            if len(batch) > 1:
                raise
            reason = str(refused)
            services.store.write(lambda unit: postpone(unit, services, batch[0], reason))
            return []

    services.process.failpoint("before-sign")
    batches = bisect_batch(services, "signing", txs, lambda t: t.intent_id, prepare)
    signed = [entry for batch in batches for entry in batch]
    if signed:
        services.process.failpoint(f"signed:{signed[0][0].value}")
        broadcast(services, chain, [s for _, s in signed])
        services.process.failpoint(f"sent:{signed[0][0].value}")
    return len(signed)


def broadcast(services: Services, chain: Chain, signed: Sequence[SignedTx]) -> None:
    """Broadcast stored transactions. No answer is not a failure: `tx_tracker` tries again."""
    try:
        chain.broadcast(signed)
    except Unreachable:
        services.process.failpoint("broadcast-unanswered")


def _prepare(
    unit: UnitOfWork,
    services: Services,
    chain: Chain,
    head: ChainHead,
    txs: Sequence[OutboundTx],
    snapshot: ChainSnapshot,
) -> list[tuple[OutboundTxKind, SignedTx]]:
    now = services.clock.now()
    due = unit.outbound_txs.lock_in_state({t.id: t.tx_id for t in txs}, OutboundTxState.DUE)
    locked = [tx for tx in txs if tx.id in due]
    intents = unit.intents.get_many({t.intent_id for t in locked})
    calls = {t.id: build_outbound_call(t, intents[t.intent_id], chain.accounts) for t in locked}
    refused: dict[int, Decision] = {}
    while True:
        # What is refused reserves nothing: gas, inventory and the budget for returns are planned
        # anew without it.
        planner = OutboundPlanner(unit, services, head, snapshot, intents)
        decisions = [(tx, refused.get(tx.id) or planner.decide(tx)) for tx in locked]
        to_sign = [tx for tx, decision in decisions if decision.sign]
        policy = SigningPolicy(unit, services, chain, to_sign, snapshot.authorized)
        if not (refusals := find_refusals(policy, to_sign, calls, now)):
            break
        refused |= refusals
    planner.save()
    _raise_alerts(unit, services, chain, snapshot, decisions)
    signed: Sequence[SignedTx] = ()
    if to_sign:
        nonces = _reserve_nonces(unit, chain, to_sign, snapshot.next_nonce)
        requests = [(t, calls[t.id], nonce) for t, nonce in zip(to_sign, nonces, strict=True)]
        signed = policy.sign(requests, snapshot.fee_per_tx)
    signed_by_id = {tx.id: s for tx, s in zip(to_sign, signed, strict=True)}
    unit.outbound_txs.update(
        [_build_change(t, d, signed_by_id.get(t.id), now) for t, d in decisions], now
    )
    unit.outbound_txs.add_attempts(
        [TxAttempt(i, chain.id, chain.accounts.relayer, s, now) for i, s in signed_by_id.items()]
    )
    _apply_decisions(unit, services, chain, head, decisions, now)
    return [(tx.kind, signed_by_id[tx.id]) for tx in to_sign]


def _reserve_nonces(
    unit: UnitOfWork, chain: Chain, txs: Sequence[OutboundTx], next_nonce: int
) -> list[int]:
    """A new nonce for each transaction, or the one that it is to skip."""
    skipped = {tx.id: nonce_to_skip(tx) for tx in txs if tx.kind is OutboundTxKind.SKIP_NONCE}
    first = unit.account_nonces.reserve(
        chain.id, chain.accounts.relayer, len(txs) - len(skipped), next_nonce
    )
    new = itertools.count(first)
    return [skipped[tx.id] if tx.id in skipped else next(new) for tx in txs]


def _raise_alerts(
    unit: UnitOfWork,
    services: Services,
    chain: Chain,
    snapshot: ChainSnapshot,
    decisions: Decisions,
) -> None:
    """Raise alerts for shortages, failures and transactions that this service did not sign."""
    raised: set[str] = set()
    for tx, decision in decisions:
        if decision.alert_key in raised:
            continue
        if decision.alert_key:
            raised.add(decision.alert_key)
            kind, _, subject = decision.alert_key.partition(":")
            if kind == SIGNING_ALERT:
                raise_signing_alert(unit, services, tx, decision.wait_reason)
                continue
            subject = str(tx.intent_id) if kind == COORDINATOR_ALERT else subject
            subject = tx.chain if kind == AGENT_ALERT else subject
            raise_alert(unit, services, decision.alert_key, kind, subject, decision.wait_reason)
        elif failure := decision.fail_reason or decision.refusal:
            subject = describe_outbound_tx(tx.kind, tx.intent_id)
            message = f"{subject} failed: {failure}"
            key = f"transfer:{tx.id}"
            raise_alert(unit, services, key, "transfer", str(tx.intent_id), message)
    detect_foreign_nonces(unit, services, chain, snapshot.next_nonce)


def _count_transactions(count: int) -> str:
    return "a transaction" if count == 1 else f"{count} transactions"


def detect_foreign_nonces(
    unit: UnitOfWork, services: Services, chain: Chain, next_nonce: int
) -> None:
    """Raise an alert when the chain has used relayer nonces that were never reserved here."""
    nonce_range = unit.account_nonces.get_range(chain.id, chain.accounts.relayer)
    if nonce_range is None:
        unit.account_nonces.reserve(chain.id, chain.accounts.relayer, 0, next_nonce)
    elif next_nonce > nonce_range[1]:
        raise_alert(
            unit,
            services,
            f"outside:{chain.id}",
            "outside",
            chain.id,
            f"The relayer's account on {chain_name(services, chain.id)} made "
            f"{_count_transactions(next_nonce - nonce_range[1])} that the ledger does not have: "
            "reconcile the ledger with the chains.",
        )


def _apply_decisions(
    unit: UnitOfWork,
    services: Services,
    chain: Chain,
    head: ChainHead,
    decisions: Decisions,
    now: datetime,
) -> None:
    """Apply the decisions that change intents and the ledger without signing anything."""
    to_apply = [
        (t, d)
        for t, d in decisions
        if d.already_done
        or d.fail_reason
        or d.refusal
        or d.give_up_reason
        or d.keep_as_dust
        or d.revive_start
    ]
    if not to_apply:
        return
    batch = IntentBatch(services, now, unit.intents.lock({t.intent_id for t, _ in to_apply}))
    for tx, decision in to_apply:
        if decision.already_done:
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


def _build_change(
    tx: OutboundTx, decision: Decision, signed: SignedTx | None, now: datetime
) -> OutboundTxChange:
    event, reason = None, decision.wait_reason
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
