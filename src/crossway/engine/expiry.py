"""Ending what is over: by the time of the chain where the money lies, never by our own."""

from collections.abc import Mapping, Sequence
from functools import partial

from crossway.domain.deposits import DepositState
from crossway.domain.errors import Unreachable
from crossway.domain.intent import Event, State
from crossway.domain.transfers import Duty, TransferEvent, TransferState, advance_transfer
from crossway.engine.isolation import in_one_go
from crossway.ports.chain import Heads
from crossway.ports.records import TransferChange
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.usecases.payments.ending import end
from crossway.usecases.payments.lifecycle import Step, return_foreign
from crossway.usecases.payments.processing import record

BATCH = 2_000


def expire(services: Services, heads: Mapping[str, Heads]) -> int:
    """Expire what was not started in time; what it holds is owed back. Answers how many."""
    ended = 0
    with services.store.read() as unit:
        found = unit.intents.expiring({c: head.time for c, head in heads.items()}, BATCH)
    for chain_id, over in found.items():
        try:
            _look_first(services, chain_id, over)
        except Unreachable:
            # Whether money lies there is unknown, so nothing is said about it yet.
            continue
        services.reached("before-expiry")
        in_one_go(services, "expiring", over, lambda i: i, partial(_expire_all, services))
        services.reached("expired")
        ended += len(over)
    return ended


def _look_first(services: Services, chain_id: str, ids: Sequence[int]) -> None:
    """Look up, before it is too late, what was not seen by itself: test networks are not scanned,
    and a deposit that a node once denied may be there after all."""
    with services.store.read() as unit:
        intents = unit.intents.of(ids)
        denied = {d.intent_id for d in unit.deposits.of(ids) if d.state is DepositState.ORPHANED}
    testnet = services.catalogue.chains[chain_id].testnet
    unsure = [intent for intent in intents.values() if testnet or intent.id in denied]
    if not unsure:
        return
    since = min(intent.created_at for intent in unsure)
    found = services.chains[chain_id].incoming_to([i.address for i in unsure], since)
    if found:
        services.store.write(lambda unit: record(unit, services, found))


def _expire_all(services: Services, ids: Sequence[int]) -> None:
    services.store.write(partial(_expire, services=services, ids=ids))


def _expire(unit: Unit, services: Services, ids: Sequence[int]) -> None:
    now = services.clock.now()
    step = Step(services, now, unit.intents.lock(ids))
    starts = {t.intent_id: t for t in unit.transfers.of(ids, Duty.START)}
    cancelled = []
    expired = []
    for intent in list(step.current.values()):
        start = starts.get(intent.id)
        under_way = start is not None and start.state is TransferState.SIGNED
        if intent.state not in (State.PENDING, State.FUNDED) or under_way:
            continue
        if start is not None and start.state is TransferState.DUE:
            cancelled.append(start)
        end(unit, step, intent, (Event.DEADLINE_EMPTY, Event.DEADLINE_HOLDING))
        expired.append(intent.id)
    locked = unit.transfers.lock([start.id for start in cancelled])
    unit.transfers.change(
        [
            TransferChange(
                start.id, start.state, advance_transfer(start.state, TransferEvent.CANCEL),
                start.tries, "The intent expired before it was started.",
                now, None, None,
            )
            for start in locked.values()
            if start.state is TransferState.DUE
        ],
        now,
    )  # fmt: skip
    return_foreign(unit, step, expired)
    step.store(unit)
