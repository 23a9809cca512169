"""What became of sent transactions: confirm, retry, give up, and undo what a reorg took back."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from crossway.domain.errors import Unreachable
from crossway.domain.transfers import (
    Duty,
    Transfer,
    TransferEvent,
    TransferState,
    advance_transfer,
    backoff_seconds,
)
from crossway.engine.outcomes import booked, failed, foreign_after, undone
from crossway.engine.signing import bump, send
from crossway.ports.chain import ALREADY_DONE, Chain, Heads, Mined, Missing, Status, Waiting
from crossway.ports.services import Services
from crossway.ports.store import Attempt, InFlight, TransferChange, Unit
from crossway.usecases.lifecycle import Step

BATCH = 2_000
STUCK_SECONDS = 30
_MOST_TRIES = {Duty.START: 8, Duty.FILL: 10, Duty.REFUND: 5, Duty.RETURN_EXCESS: 5}


@dataclass(frozen=True, slots=True)
class Seen:
    """A transfer and what its chain says of the attempt that decides it."""

    transfer: InFlight
    tx_id: str
    mined: Mined


def check_signed(services: Services, heads: Mapping[str, Heads]) -> int:
    """Follow every signed transfer on these chains; answers how many came to an end."""
    with services.store.read() as unit:
        signed = unit.transfers.signed(heads.keys(), BATCH)
        worths = unit.intents.worths({t.intent_id for t in signed})
    done = 0
    by_chain: dict[str, list[InFlight]] = defaultdict(list)
    for transfer in signed:
        by_chain[transfer.chain].append(transfer)
    for chain_id, transfers in by_chain.items():
        try:
            done += _check(services, services.chains[chain_id], heads[chain_id], transfers, worths)
        except Unreachable:
            continue
    return done


def _check(
    services: Services,
    chain: Chain,
    head: Heads,
    transfers: Sequence[InFlight],
    worths: Mapping[int, int],
) -> int:
    known = chain.status([t.tx_id for t in transfers])
    deep: list[Seen] = []
    unsettled: list[InFlight] = []
    for transfer in transfers:
        status = known.get(transfer.tx_id)
        if not isinstance(status, Mined):
            unsettled.append(transfer)
        elif _is_deep(services, transfer, worths[transfer.intent_id], status, head):
            deep.append(Seen(transfer, transfer.tx_id, status))
    dropped: list[InFlight] = []
    if unsettled:
        more, dropped = _follow(services, chain, head, unsettled, worths, known)
        deep += more
    if deep or dropped:
        services.reached("before-confirm")
        services.store.write(lambda unit: _settle(unit, services, chain, deep, dropped))
        services.reached(f"confirmed:{(deep[0].transfer if deep else dropped[0]).duty.value}")
    return len(deep) + len(dropped)


def _is_deep(services: Services, transfer: InFlight, worth: int, mined: Mined, head: Heads) -> bool:
    confirmations = services.catalogue.chains[transfer.chain].confirmations
    needed = confirmations.for_worth(worth)
    return head.height - mined.block_height >= needed


def _follow(
    services: Services,
    chain: Chain,
    head: Heads,
    transfers: Sequence[InFlight],
    worths: Mapping[int, int],
    known: Mapping[str, Status],
) -> tuple[list[Seen], list[InFlight]]:
    """Transfers whose newest attempt is not in a block: an earlier one may be; else send again,
    offer more, or, when none can ever land, let go of them."""
    with services.store.read() as unit:
        attempts = unit.transfers.attempts([t.id for t in transfers])
    of: dict[int, list[Attempt]] = defaultdict(list)
    for attempt in attempts:
        of[attempt.transfer_id].append(attempt)
    older = [a.signed.tx_id for a in attempts if a.signed.tx_id not in known]
    statuses = {**known, **(chain.status(older) if older else {})}
    deep: list[Seen] = []
    dropped: list[InFlight] = []
    again: list[Attempt] = []
    stuck: list[Attempt] = []
    for transfer in transfers:
        tries = [(a, statuses.get(a.signed.tx_id, Missing(False))) for a in of[transfer.id]]
        mined = next(((a, s) for a, s in tries if isinstance(s, Mined)), None)
        if mined is not None:
            if _is_deep(services, transfer, worths[transfer.intent_id], mined[1], head):
                deep.append(Seen(transfer, mined[0].signed.tx_id, mined[1]))
        elif all(isinstance(s, Missing) and s.never for _, s in tries):
            dropped.append(transfer)
        elif not any(isinstance(s, Waiting) for _, s in tries):
            again.append(tries[-1][0])
        elif services.clock.now() - tries[-1][0].at > timedelta(seconds=STUCK_SECONDS):
            stuck.append(tries[-1][0])
    if again:
        send(services, chain, [attempt.signed for attempt in again])
    if stuck:
        bump(services, chain, stuck)
    return deep, dropped


def _settle(
    unit: Unit,
    services: Services,
    chain: Chain,
    seen: Sequence[Seen],
    dropped: Sequence[InFlight],
) -> None:
    now = services.clock.now()
    ids = [s.transfer.id for s in seen] + [t.id for t in dropped]
    locked = {i: t for i, t in unit.transfers.lock(ids).items() if t.state is TransferState.SIGNED}
    step = Step(services, now, unit.intents.lock({t.intent_id for t in locked.values()}))
    changes = [
        _again(
            locked[t.id],
            TransferEvent.DROP,
            "It can no longer land; signed anew.",
            now,
            locked[t.id].tries,
        )
        for t in dropped
        if t.id in locked
    ]
    for one in seen:
        transfer = locked.get(one.transfer.id)
        if transfer is None:
            continue
        if one.mined.reason in ("", ALREADY_DONE):
            booked(step, chain, transfer, one.tx_id, one.mined)
            changes.append(_confirmed(transfer, one, now))
        else:
            changes.append(_reverted(unit, step, chain, transfer, one, now))
    settled = [
        (locked[one.transfer.id], one.mined.reason in ("", ALREADY_DONE))
        for one in seen
        if one.transfer.id in locked
    ]
    foreign_after(unit, step, chain, settled)
    unit.transfers.change(changes, now)
    step.store(unit)


def _confirmed(transfer: Transfer, one: Seen, now: datetime) -> TransferChange:
    after = advance_transfer(transfer.state, TransferEvent.CONFIRM)
    return TransferChange(
        transfer.id, transfer.state, after, transfer.tries, one.mined.reason, now,
        None if one.tx_id == transfer.tx_id else one.tx_id, one.mined.block_height,
    )  # fmt: skip


def _reverted(
    unit: Unit, step: Step, chain: Chain, transfer: Transfer, one: Seen, now: datetime
) -> TransferChange:
    """Try again later, or give up: at once when it can never work and that was seen twice."""
    tries = transfer.tries + 1
    hopeless = one.mined.permanent and tries >= 2
    if transfer.duty is not Duty.REIMBURSE and (hopeless or tries >= _MOST_TRIES[transfer.duty]):
        failed(unit, step, chain, transfer, one.tx_id, one.mined)
        after = advance_transfer(transfer.state, TransferEvent.GIVE_UP)
        return TransferChange(
            transfer.id, transfer.state, after, tries, one.mined.reason, now, one.tx_id, None
        )
    failed(unit, step, chain, transfer, one.tx_id, one.mined, for_good=False)
    return _again(transfer, TransferEvent.REVERT, one.mined.reason, now, tries)


def _again(
    transfer: Transfer, event: TransferEvent, reason: str, now: datetime, tries: int
) -> TransferChange:
    after = advance_transfer(transfer.state, event)
    next_at = now + timedelta(seconds=backoff_seconds(tries) if tries else 0)
    return TransferChange(transfer.id, transfer.state, after, tries, reason, next_at, None, None)


def finalize(services: Services, heads: Mapping[str, Heads]) -> int:
    """Let go of confirmed transfers whose block is final; answers how many."""
    with services.store.read() as unit:
        deep = unit.transfers.settled_by({c: h.finalized for c, h in heads.items()}, BATCH)
    for chain_id, transfers in _by_chain(deep).items():
        try:
            _recheck(services, services.chains[chain_id], transfers, final=True)
        except Unreachable:
            continue
    return len(deep)


def reorganised(services: Services, chain_id: str, from_height: int) -> None:
    """After a reorganisation: look again at everything that was confirmed above its root."""
    with services.store.read() as unit:
        touched = unit.transfers.in_state(
            [chain_id], TransferState.CONFIRMED, BATCH, min_height=from_height
        )
    if touched:
        _recheck(services, services.chains[chain_id], touched, final=False)


def _recheck(services: Services, chain: Chain, transfers: Sequence[Transfer], final: bool) -> None:
    statuses = chain.status([t.tx_id for t in transfers if t.tx_id])
    standing: list[TransferChange] = []
    gone: list[Transfer] = []
    now = services.clock.now()
    for transfer in transfers:
        status = statuses.get(transfer.tx_id or "")
        if not isinstance(status, Mined) or status.reason not in ("", ALREADY_DONE):
            gone.append(transfer)
        elif final:
            standing.append(_rechecked(transfer, TransferEvent.FINALIZE, status.block_height, now))

    def work(unit: Unit) -> None:
        ids = [change.id for change in standing] + [transfer.id for transfer in gone]
        confirmed = unit.transfers.lock_in(ids, TransferState.CONFIRMED)
        lost = [transfer for transfer in gone if transfer.id in confirmed]
        step = Step(services, now, unit.intents.lock({t.intent_id for t in lost}))
        for transfer in lost:
            undone(unit, step, chain, transfer)
        changes = [change for change in standing if change.id in confirmed]
        changes += [_rechecked(t, TransferEvent.REORG, None, now) for t in lost]
        unit.transfers.change(changes, now)
        step.store(unit)

    if standing or gone:
        services.store.write(work)


def _rechecked(
    transfer: Transfer, event: TransferEvent, height: int | None, now: datetime
) -> TransferChange:
    after = advance_transfer(transfer.state, event)
    return TransferChange(
        transfer.id, transfer.state, after, transfer.tries, transfer.reason, now, None, height
    )  # fmt: skip


def _by_chain(transfers: Sequence[Transfer]) -> dict[str, list[Transfer]]:
    grouped: dict[str, list[Transfer]] = defaultdict(list)
    for transfer in transfers:
        grouped[transfer.chain].append(transfer)
    return grouped
