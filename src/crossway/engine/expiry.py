"""Expires intents by the clock of their source chain, never by the machine's clock."""

from collections.abc import Mapping, Sequence
from functools import partial

from crossway.domain.errors import Unreachable
from crossway.domain.intent import Intent, IntentEvent, State
from crossway.domain.ledger import Account
from crossway.domain.money import format_units
from crossway.domain.outbound import (
    OutboundTxEvent,
    OutboundTxKind,
    OutboundTxState,
)
from crossway.engine.alerts import raise_alert
from crossway.engine.bisect_batch import bisect_batch
from crossway.engine.pass_writes import PassWrite, PassWrites
from crossway.engine.unseen_deposits import check_addresses
from crossway.ports.chain import ChainHead
from crossway.ports.records import OutboundTxChange
from crossway.ports.services import Services
from crossway.ports.shards import Shards
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.supported_chains import chain_name
from crossway.usecases.payments.bridge_collections import end_collected, is_collected
from crossway.usecases.payments.cancellation import close
from crossway.usecases.payments.lifecycle import IntentBatch
from crossway.usecases.payments.returns import enqueue_deposit_returns

BATCH = 2_000


def expire_intents(
    services: Services, heads: Mapping[str, ChainHead], writes: PassWrites, shards: Shards
) -> None:
    """Expire intents that were not started in time and enqueue their refunds."""
    with services.store.read() as unit:
        expired_by_chain = unit.intents.list_expired(
            {c: head.time for c, head in heads.items()}, BATCH, shards
        )
    for chain_id, intent_ids in expired_by_chain.items():
        try:
            check = check_addresses(services, chain_id, intent_ids)
        except Unreachable:
            # The deposit address could not be read, so nothing is decided yet.
            continue
        decided = [i for i in intent_ids if i not in check.disputed | check.changed]
        services.process.failpoint("before-expiry")
        if decided:
            expire = partial(_expire, services, check.unexplained, decided)
            alone = partial(_expire_alone, services, check.unexplained, decided)
            writes.add(PassWrite(expire, alone, partial(_expired, services)))


def _expired(services: Services, count: int) -> int:
    services.process.failpoint("expired")
    return count


def _expire_alone(services: Services, unexplained: Mapping[int, int], ids: Sequence[int]) -> int:
    def expire(part: Sequence[int]) -> int:
        return services.store.write(partial(_expire, services, unexplained, part))

    return sum(bisect_batch(services, "expiring", ids, lambda i: i, expire))


def _expire(
    services: Services, unexplained: Mapping[int, int], ids: Sequence[int], unit: UnitOfWork
) -> int:
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
        if intent.id in unexplained:
            _book_unexplained(unit, batch, intent, unexplained[intent.id])
        elif is_collected(unit, batch, intent):
            note = "The bridge's contract holds the deposit, and gives it back."
            end_collected(unit, batch, intent, note)
        else:
            close(unit, batch, intent, (IntentEvent.DEADLINE_EMPTY, IntentEvent.DEADLINE_HOLDING))
        expired.append(intent.id)
    locked = unit.outbound_txs.lock([start.id for start in cancelled])
    unit.outbound_txs.update(
        [
            OutboundTxChange.after_event(
                start, OutboundTxEvent.CANCEL, "The payment expired before it was started.", now
            )
            for start in locked.values()
            if start.state is OutboundTxState.DUE
        ],
        now,
    )
    enqueue_deposit_returns(unit, batch, expired)
    batch.store(unit)
    return len(ids)


def _book_unexplained(unit: UnitOfWork, batch: IntentBatch, intent: Intent, amount: int) -> None:
    """Expire an intent whose address holds money that is in no transfer which a node reports: it is
    booked as it lies there, so that it is refunded. Should its transfer be found later after all,
    the second refund finds nothing to move."""
    location = (intent.terms.source_chain, intent.terms.token_in)
    leg = (Account.HELD, Account.PAYER, amount)
    batch.add_postings(intent.id, *location, f"unexplained:{intent.id}", leg)
    balance = intent.balance_at_address + amount
    batch.apply_event(
        intent.id,
        IntentEvent.DEADLINE_HOLDING,
        "expiry",
        "Its address holds money that is in no transfer which a node reports.",
        balance_at_address=balance,
    )
    shown = f"{format_units(amount, intent.asset_decimals)} {intent.asset_symbol}"
    raise_alert(
        unit,
        batch.services,
        f"unexplained:{intent.id}",
        "unexplained",
        str(intent.id),
        f"Payment {intent.id} expired with {shown} at its address that are in no transfer which a "
        f"node of {chain_name(batch.services, location[0])} reports. They are refunded.",
    )
