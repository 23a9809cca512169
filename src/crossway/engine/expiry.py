"""Expires intents by the clock of their source chain, never by the machine's clock."""

from collections.abc import Mapping, Sequence
from functools import partial

from crossway.domain.errors import Unreachable
from crossway.domain.intent import IntentEvent, State
from crossway.domain.outbound import (
    OutboundTxEvent,
    OutboundTxKind,
    OutboundTxState,
)
from crossway.engine.bisect_batch import bisect_batch
from crossway.ports.chain import ChainHead
from crossway.ports.records import OutboundTxChange
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.cancellation import close
from crossway.usecases.payments.deposits import record_deposits
from crossway.usecases.payments.lifecycle import IntentBatch
from crossway.usecases.payments.returns import enqueue_deposit_returns

BATCH = 2_000


def expire_intents(services: Services, heads: Mapping[str, ChainHead]) -> int:
    """Expire intents that were not started in time and enqueue their refunds; returns how many."""
    expired_count = 0
    with services.store.read() as unit:
        expired_by_chain = unit.intents.list_expired(
            {c: head.time for c, head in heads.items()}, BATCH
        )
    for chain_id, intent_ids in expired_by_chain.items():
        try:
            _record_unseen_deposits(services, chain_id, intent_ids)
        except Unreachable:
            # The deposit address could not be read, so nothing is decided yet.
            continue
        services.process.failpoint("before-expiry")
        bisect_batch(
            services, "expiring", intent_ids, lambda i: i, partial(_expire_batch, services)
        )
        services.process.failpoint("expired")
        expired_count += len(intent_ids)
    return expired_count


def _record_unseen_deposits(services: Services, chain_id: str, ids: Sequence[int]) -> None:
    """Record deposits that scanning cannot have found, before the intents expire.

    Testnets are not scanned, and a deposit that a node once failed to confirm may exist after all.
    """
    with services.store.read() as unit:
        intents = unit.intents.get_many(ids)
        disputed = unit.deposits.find_orphaned(ids)
    testnet = services.catalogue.chains[chain_id].testnet
    to_check = [intent for intent in intents.values() if testnet or intent.id in disputed]
    if not to_check:
        return
    since = min(intent.created_at for intent in to_check)
    transfers = services.chains[chain_id].transfers_to([i.address for i in to_check], since)
    if transfers:
        services.store.write(lambda unit: record_deposits(unit, services, transfers))


def _expire_batch(services: Services, ids: Sequence[int]) -> None:
    services.store.write(partial(_expire, services=services, ids=ids))


def _expire(unit: UnitOfWork, services: Services, ids: Sequence[int]) -> None:
    now = services.clock.now()
    batch = IntentBatch(services, now, unit.intents.lock(ids))
    starts = {t.intent_id: t for t in unit.outbound_txs.list_by_intents(ids, OutboundTxKind.START)}
    cancelled = []
    expired = []
    for intent in list(batch.current.values()):
        start = starts.get(intent.id)
        start_pending = start is not None and start.state is OutboundTxState.SIGNED
        if intent.state not in (State.PENDING, State.FUNDED) or start_pending:
            continue
        if start is not None and start.state is OutboundTxState.DUE:
            cancelled.append(start)
        close(unit, batch, intent, (IntentEvent.DEADLINE_EMPTY, IntentEvent.DEADLINE_HOLDING))
        expired.append(intent.id)
    locked = unit.outbound_txs.lock([start.id for start in cancelled])
    unit.outbound_txs.update(
        [
            OutboundTxChange.after_event(
                start, OutboundTxEvent.CANCEL, "The intent expired before it was started.", now
            )
            for start in locked.values()
            if start.state is OutboundTxState.DUE
        ],
        now,
    )
    enqueue_deposit_returns(unit, batch, expired)
    batch.store(unit)
