"""What became of sent transactions: confirm, send again, offer more, retry, give up."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial

from crossway.domain.errors import Unreachable
from crossway.domain.transfers import (
    Duty,
    Transfer,
    TransferEvent,
    TransferState,
    advance_transfer,
    backoff_seconds,
)
from crossway.engine.isolation import in_one_go
from crossway.engine.outcomes import WORKED, booked, failed, foreign_after, left_at
from crossway.engine.signing import bump, send
from crossway.ports.chain import NOTHING_LEFT, Chain, Heads, Mined, Missing, Status, Unsure, Waiting
from crossway.ports.records import Attempt, InFlight, TransferChange
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.usecases.payments.lifecycle import Step

BATCH = 2_000
STUCK_SECONDS = 30
_MOST_TRIES = {Duty.START: 8, Duty.FILL: 10, Duty.REFUND: 5, Duty.RETURN_EXCESS: 5}


@dataclass(frozen=True, slots=True)
class Seen:
    """A transfer and what its chain says of the attempt that decides it."""

    transfer: InFlight
    tx_id: str
    mined: Mined


@dataclass
class Followed:
    """What to do about transfers whose newest attempt has not worked yet."""

    deep: list[Seen] = field(default_factory=list)
    dropped: list[InFlight] = field(default_factory=list)
    again: list[Attempt] = field(default_factory=list)
    stuck: list[Attempt] = field(default_factory=list)
    refused: list[Attempt] = field(default_factory=list)


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
    found = Followed()
    unsettled: list[InFlight] = []
    for transfer in transfers:
        status = known.get(transfer.tx_id)
        if not isinstance(status, Mined) or status.reason:
            unsettled.append(transfer)
        elif _is_deep(services, transfer, worths[transfer.intent_id], status, head):
            found.deep.append(Seen(transfer, transfer.tx_id, status))
    if unsettled:
        _follow(services, chain, head, unsettled, worths, known, found)
    deep, dropped = found.deep, found.dropped
    if deep or dropped:
        services.reached("before-confirm")
        settled: list[Seen | InFlight] = [*deep, *dropped]
        settle = partial(_settle_all, services, chain)
        in_one_go(services, "settling", settled, _intent_of, settle)
        services.reached(f"confirmed:{(deep[0].transfer if deep else dropped[0]).duty.value}")
    return len(deep) + len(dropped)


def _intent_of(one: Seen | InFlight) -> int:
    return (one.transfer if isinstance(one, Seen) else one).intent_id


def _settle_all(services: Services, chain: Chain, found: Sequence[Seen | InFlight]) -> None:
    seen = [one for one in found if isinstance(one, Seen)]
    dropped = [one for one in found if isinstance(one, InFlight)]
    services.store.write(lambda unit: _settle(unit, services, chain, seen, dropped))


def _is_deep(services: Services, transfer: InFlight, worth: int, mined: Mined, head: Heads) -> bool:
    """Deep enough to act on. What makes us give a payment up, or believe that somebody else did
    our duty, must be final: an attempt that comes back to life would pay a second time."""
    gives_up = transfer.duty is Duty.FILL and _hopeless(transfer.duty, transfer.tries + 1, mined)
    if mined.reason == NOTHING_LEFT or gives_up:
        return mined.block_height <= head.finalized
    confirmations = services.catalogue.chains[transfer.chain].confirmations
    return head.height - mined.block_height >= confirmations.for_worth(worth)


def _hopeless(duty: Duty, tries: int, mined: Mined) -> bool:
    """Whether a revert is the last: it can never work and that was seen twice, or too many."""
    if mined.reason in WORKED or duty is Duty.REIMBURSE:
        return False
    return (mined.permanent and tries >= 2) or tries >= _MOST_TRIES[duty]


def _follow(
    services: Services,
    chain: Chain,
    head: Heads,
    transfers: Sequence[InFlight],
    worths: Mapping[int, int],
    known: Mapping[str, Status],
    found: Followed,
) -> None:
    """Transfers whose newest attempt has not worked: an earlier one may have; else send again,
    offer more, or, when none can ever land, let go of them."""
    with services.store.read() as unit:
        attempts = unit.transfers.attempts([t.id for t in transfers])
    of: dict[int, list[Attempt]] = defaultdict(list)
    for attempt in attempts:
        of[attempt.transfer_id].append(attempt)
    older = [a.signed.tx_id for a in attempts if a.signed.tx_id not in known]
    statuses = {**known, **(chain.status(older) if older else {})}
    for transfer in transfers:
        tries = [(a, statuses.get(a.signed.tx_id, Missing(False))) for a in of[transfer.id]]
        decisive = _decisive(tries)
        if decisive is not None:
            attempt, mined = decisive
            if _is_deep(services, transfer, worths[transfer.intent_id], mined, head):
                found.deep.append(Seen(transfer, attempt.signed.tx_id, mined))
            continue
        newest = tries[-1][0]
        current = [status for a, status in tries if a.signed.nonce == newest.signed.nonce]
        if all(isinstance(status, Missing) and status.never for status in current):
            found.dropped.append(transfer)
            continue
        if any(isinstance(status, Unsure) for status in current):
            continue
        late = abs(services.clock.now() - newest.at) > timedelta(seconds=STUCK_SECONDS)
        if any(isinstance(status, Waiting) for status in current):
            found.stuck += [newest] if late and chain.replaces else []
            continue
        found.again.append(newest)
        found.refused += [newest] if late and chain.replaces else []
    _offer(services, chain, found)


def _offer(services: Services, chain: Chain, found: Followed) -> None:
    """Send again what its chain does not know, and offer more for what waits or is refused."""
    if found.again:
        send(services, chain, [attempt.signed for attempt in found.again])
    if found.refused:
        # Some nodes refuse what offers less than they ask for today, instead of letting it wait.
        asked = chain.fee_units()
        found.stuck += [one for one in found.refused if one.signed.fee_units < asked]
    if found.stuck:
        bump(services, chain, found.stuck)


def _decisive(tries: Sequence[tuple[Attempt, Status]]) -> tuple[Attempt, Mined] | None:
    """The attempt that worked, however old; else a mined one with the newest nonce. Others that
    reverted were counted when they did."""
    mined = [(attempt, status) for attempt, status in tries if isinstance(status, Mined)]
    newest = tries[-1][0].signed.nonce
    worked = [one for one in mined if not one[1].reason]
    current = [one for one in mined if one[0].signed.nonce == newest]
    return next(iter((*worked, *current)), None)


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
        if (transfer := locked.get(one.transfer.id)) is not None:
            changes.append(_seen(unit, step, chain, transfer, one))
    settled = [
        (locked[one.transfer.id], one.mined.reason in WORKED)
        for one in seen
        if one.transfer.id in locked
    ]
    foreign_after(unit, step, chain, settled)
    unit.transfers.change(changes, now)
    step.store(unit)


def _seen(unit: Unit, step: Step, chain: Chain, transfer: Transfer, one: Seen) -> TransferChange:
    """What a mined transaction means for its transfer; intent and books follow in the step."""
    if one.mined.reason == NOTHING_LEFT and left_at(unit, step, transfer) <= 0:
        # What was to go back was undone as well: the duty is looked at anew.
        failed(unit, step, chain, transfer, one.tx_id, one.mined, for_good=False)
        return _again(transfer, TransferEvent.REVERT, "", step.now, transfer.tries)
    if one.mined.reason in WORKED:
        booked(unit, step, chain, transfer, one.tx_id, one.mined)
        return _confirmed(transfer, one, step.now)
    return _reverted(unit, step, chain, transfer, one, step.now)


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
    if _hopeless(transfer.duty, tries, one.mined):
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
