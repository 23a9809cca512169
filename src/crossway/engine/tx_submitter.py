"""Submits due outbound transactions: plans, signs and stores them at once, then broadcasts."""

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from crossway.domain.errors import SigningRefused, StorageUnavailable, Unreachable
from crossway.domain.outbound import (
    OutboundTx,
    OutboundTxKind,
    OutboundTxState,
)
from crossway.domain.outbound_call import OutboundCall
from crossway.engine.alerts import (
    SIGNING_ALERT,
    describe_outbound_tx,
    raise_alert,
    raise_signing_alert,
)
from crossway.engine.bisect_batch import bisect_batch
from crossway.engine.chain_snapshot import ChainSnapshot, take_chain_snapshot
from crossway.engine.decision_effects import Decisions, apply_decisions, build_change
from crossway.engine.foreign_nonces import detect_foreign_nonces
from crossway.engine.inventory_effects import store_funding
from crossway.engine.outbound_calls import build_calls
from crossway.engine.outbound_decision import Decision
from crossway.engine.outbound_planner import OutboundPlanner
from crossway.engine.pass_writes import PassWrite, PassWrites
from crossway.engine.sending_accounts import SendingAccounts
from crossway.engine.signing_refusals import find_refusals, postpone
from crossway.engine.tx_builder import nonce_to_skip
from crossway.ports.chain import Chain, ChainHead, SignedTx
from crossway.ports.records import TxAttempt
from crossway.ports.services import Services
from crossway.ports.shards import Shards
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.agents import AGENT_ALERT
from crossway.usecases.chains.shared_transactions import share_transactions
from crossway.usecases.chains.supported_chains import chain_name
from crossway.usecases.money.approvals import SYSTEM
from crossway.usecases.money.emergency_stop import stop_signing
from crossway.usecases.money.outgoing_pace import OutgoingTooFast, count_outgoing
from crossway.usecases.payments.inventory_transfers import InventoryTransferBatch
from crossway.usecases.payments.redirects import COORDINATOR_ALERT
from crossway.usecases.payments.signing_policy import SigningPolicy

BATCH = 2_000
# What is stored and may be broadcast, with the kind of each.
Signed = list[tuple[OutboundTxKind, SignedTx]]
Prepare = Callable[[Sequence[OutboundTx], UnitOfWork], Signed]


def submit_due(
    services: Services, heads: Mapping[str, ChainHead], writes: PassWrites, shards: Shards
) -> None:
    """Sign and broadcast the transactions that are due on these chains."""
    chains = set(heads)
    while chains:
        with services.store.read() as unit:
            due = unit.outbound_txs.list_due(chains, services.clock.now(), BATCH, shards)
        by_chain: dict[str, list[OutboundTx]] = defaultdict(list)
        for tx in due:
            by_chain[tx.chain].append(tx)
        for chain_id, all_txs in by_chain.items():
            chain = services.chains[chain_id]
            txs = all_txs[: chain.max_signatures]
            try:
                snapshot = take_chain_snapshot(services, chain, heads[chain_id], txs)
            except Unreachable:
                continue
            prepare = partial(_prepare, services, chain, heads[chain_id], snapshot, shards)
            _plan_signing(services, chain, txs, prepare, writes)
        # Many that are due on some chains must not keep the others waiting.
        chains = chains - by_chain.keys() if len(due) == BATCH else set()


def report_signer(services: Services, chain_id: str, error: Unreachable) -> None:
    """Raise an alert: nothing was signed, nothing is stored, and all of it is tried again."""
    message = f"Nothing can be signed on {chain_name(services, chain_id)} now: {error}."
    services.store.write(
        lambda unit: raise_alert(unit, services, f"signer:{chain_id}", "signer", chain_id, message)
    )


def _plan_signing(
    services: Services,
    chain: Chain,
    txs: Sequence[OutboundTx],
    prepare: Prepare,
    writes: PassWrites,
) -> None:
    services.process.failpoint("before-sign")
    alone = partial(_prepare_alone, services, chain, txs, prepare)
    # A signer outside this process signs few at once.
    asks_signer = chain.max_signatures < BATCH
    write = PassWrite(partial(prepare, txs), alone, partial(_send, services, chain), asks_signer)
    writes.add(write)


def _prepare_alone(
    services: Services, chain: Chain, txs: Sequence[OutboundTx], prepare: Prepare
) -> Signed:
    def prepare_part(batch: Sequence[OutboundTx]) -> Signed:
        try:
            return services.store.write(partial(prepare, batch))
        except SigningRefused as refused:
            # The signer does not say which of several it refuses: they are tried in halves.
            if len(batch) > 1:
                raise
            reason = str(refused)
            services.store.write(lambda unit: postpone(unit, services, batch[0], reason))
            return []
        except OutgoingTooFast as limit:
            why = str(limit)
            services.store.write(lambda unit: stop_signing(unit, services, SYSTEM, why))
            return []

    try:
        batches = bisect_batch(services, "signing", txs, lambda t: t.intent_id, prepare_part)
    except StorageUnavailable:
        raise
    except Unreachable as error:
        report_signer(services, chain.id, error)
        return []
    return [entry for batch in batches for entry in batch]


def _send(services: Services, chain: Chain, signed: Signed) -> int:
    """Broadcast what is stored; returns how many transactions that is."""
    if signed:
        services.process.failpoint(f"signed:{signed[0][0].value}")
        broadcast(services, chain, [s for _, s in signed])
        services.process.failpoint(f"sent:{signed[0][0].value}")
    return len(signed)


def broadcast(services: Services, chain: Chain, signed: Sequence[SignedTx]) -> set[str]:
    """Broadcast stored transactions, each once; those that nodes refuse. No answer is not a
    failure: `tx_tracker` tries it again."""
    # A node may keep no transaction whose nonce is not the next one.
    once = sorted({s.tx_id: s for s in signed}.values(), key=lambda s: s.nonce)
    try:
        errors = chain.broadcast(once)
    except Unreachable:
        services.process.failpoint("broadcast-unanswered")
        return set()
    return {one.tx_id for one, error in zip(once, errors, strict=True) if error}


def _prepare(
    services: Services,
    chain: Chain,
    head: ChainHead,
    snapshot: ChainSnapshot,
    shards: Shards,
    txs: Sequence[OutboundTx],
    unit: UnitOfWork,
) -> Signed:
    now = services.clock.now()
    due = unit.outbound_txs.lock_in_state({t.id: t.tx_id for t in txs}, OutboundTxState.DUE)
    locked = [tx for tx in txs if tx.id in due]
    intents = unit.intents.get_many({t.intent_id for t in locked})
    calls = build_calls(unit, services, chain, locked, intents)
    refused: dict[int, Decision] = {}
    while True:
        # What is refused reserves nothing: gas, inventory and the budget for returns are planned
        # anew without it.
        accounts = SendingAccounts(chain.accounts, snapshot, shards, calls)
        planner = OutboundPlanner(unit, services, head, snapshot, intents, accounts)
        decisions = [(tx, refused.get(tx.id) or planner.decide(tx)) for tx in locked]
        to_sign = [tx for tx, decision in decisions if decision.sign]
        policy = SigningPolicy(unit, services, chain, to_sign, snapshot.authorized)
        if not (refusals := find_refusals(policy, to_sign, calls, now)):
            break
        refused |= refusals
    count_outgoing(unit, services, chain.id, [(tx, intents.get(tx.intent_id)) for tx in to_sign])
    planner.save()
    _raise_alerts(unit, services, chain, snapshot, decisions)
    groups = share_transactions(chain, to_sign, calls, snapshot.fee_per_tx)
    signed_by_id = _sign(unit, chain, groups, accounts, calls, policy, snapshot) if to_sign else {}
    unit.outbound_txs.update(
        [build_change(t, d, signed_by_id.get(t.id), now) for t, d in decisions], now
    )
    attempts = [TxAttempt(i, chain.id, signed, now) for i, signed in signed_by_id.items()]
    unit.outbound_txs.add_attempts(attempts)
    apply_decisions(unit, services, chain, head, decisions)
    store_funding(unit, decisions, signed_by_id, InventoryTransferBatch(now))
    return [(tx.kind, signed_by_id[tx.id]) for tx in to_sign]


def _sign(
    unit: UnitOfWork,
    chain: Chain,
    groups: Sequence[Sequence[OutboundTx]],
    accounts: SendingAccounts,
    calls: Mapping[int, OutboundCall],
    policy: SigningPolicy,
    snapshot: ChainSnapshot,
) -> dict[int, SignedTx]:
    """By outbound transaction, the signed one that carries it out, with the rest of its group."""
    senders = accounts.choose(groups)
    firsts = [(group[0], sender) for group, sender in zip(groups, senders, strict=True)]
    nonces = _reserve_nonces(unit, chain, firsts, snapshot.next_nonces)
    requests = [
        (tx, replace(calls[tx.id], account=sender), nonce)
        for group, sender, nonce in zip(groups, senders, nonces, strict=True)
        for tx in group
    ]
    signed = policy.sign(requests, snapshot.fee_per_tx)
    return {tx.id: s for (tx, _, _), s in zip(requests, signed, strict=True)}


def _reserve_nonces(
    unit: UnitOfWork,
    chain: Chain,
    txs: Sequence[tuple[OutboundTx, str]],
    next_nonces: Mapping[str, int],
) -> list[int]:
    """A new nonce of its account for each transaction, or the one that it is to skip."""
    skipped = {tx.id: nonce_to_skip(tx) for tx, _ in txs if tx.kind is OutboundTxKind.SKIP_NONCE}
    counts = Counter(sender for tx, sender in txs if tx.id not in skipped)
    # In one order, in which engines wait for each other.
    new = {
        sender: itertools.count(
            unit.account_nonces.reserve(chain.id, sender, count, next_nonces[sender])
        )
        for sender, count in sorted(counts.items())
    }
    return [skipped[tx.id] if tx.id in skipped else next(new[sender]) for tx, sender in txs]


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
    detect_foreign_nonces(unit, services, chain, snapshot.next_nonces)
