"""Keeping the list of alarms true: what is late or stale is raised, what is over is cleared."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from crossway.domain.errors import Unreachable
from crossway.domain.intent import Intent, State
from crossway.domain.transfers import Duty, Transfer, TransferState
from crossway.engine.alarms import alarm
from crossway.engine.lateness import FOREIGN, STUCK, late
from crossway.engine.naming import chain_name
from crossway.engine.signing import tell_outsiders
from crossway.ports.chain import Heads
from crossway.ports.records import Alarm
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.usecases.ramps.timing import LONGEST_WAIT

EVERY_SECONDS = 5
STALE = timedelta(minutes=5)
CLAIM_GRACE = timedelta(minutes=10)
# What still fails is raised again in every pass.
TRIED_AGAIN = timedelta(minutes=1)
NODE_QUIET = timedelta(minutes=10)
_MOST_ALARMS, _MOST_WAITING = 1_000, 5_000
_SHORT = ("stock", "gas")


def look_after(services: Services, heads: Mapping[str, Heads]) -> int:
    """Raise and clear what only time or another sweep can tell; answers how many changed."""
    now = services.clock.now()
    with services.store.read() as unit:
        alarms = unit.network.alarms(limit=_MOST_ALARMS)
        waiting = unit.transfers.waiting(_MOST_WAITING)
        claims = _late_claims(unit, waiting, now)
        past_time = late(unit, alarms, now)
        keys = {*claims, *(one.key for one in past_time)}
        over = [a.key for a in alarms if _is_over(unit, a, waiting, keys, now)]
    stale = {chain for chain, head in heads.items() if now - head.time > STALE}
    fresh = {f"stale:{chain}" for chain in heads if chain not in stale}
    over += [a.key for a in alarms if a.key in fresh]
    standing = {alarm.key: alarm.message for alarm in alarms}
    fresh_late = [one for one in past_time if standing.get(one.key) != one.message]
    if not (over or stale or claims or fresh_late):
        return 0

    def work(unit: Unit) -> None:
        unit.network.clear_alarms(over, now)
        for chain in stale:
            minutes = (now - heads[chain].time).total_seconds() // 60
            name = chain_name(services, chain)
            message = (
                f"The newest block of {name} is {minutes:.0f} minutes old: is its node behind?"
            )
            alarm(unit, services, f"stale:{chain}", "node", chain, message)
        for key, (intent_id, message) in claims.items():
            alarm(unit, services, key, "claim", str(intent_id), message)
        for one in fresh_late:
            alarm(unit, services, one.key, one.kind, str(one.intent_id), one.message)

    services.store.write(work)
    return len(over)


def _late_claims(
    unit: Unit, waiting: Sequence[Transfer], now: datetime
) -> dict[str, tuple[int, str]]:
    """Repayments of the relayer that are open past their time, by the key of their alarm."""
    claims = [t for t in waiting if t.duty is Duty.REIMBURSE]
    intents = unit.intents.of({t.intent_id for t in claims})
    return {
        f"claim:{t.id}": (
            t.intent_id,
            f"The relayer's claim for payment {t.intent_id} is open past its time: {t.reason}",
        )
        for t in claims
        if now > t.created_at + timedelta(seconds=intents[t.intent_id].settle_seconds) + CLAIM_GRACE
    }


def _is_over(
    unit: Unit, raised: Alarm, waiting: Sequence[Transfer], due: Collection[str], now: datetime
) -> bool:
    """Whether the cause of an alarm is gone; of kinds kept by others nothing is known here."""
    kind, _, subject = raised.key.partition(":")
    if kind in _SHORT:
        # The alarm says what the transfers say that wait for it.
        return raised.message not in {t.reason for t in waiting}
    if kind in ("claim", STUCK, FOREIGN):
        return raised.key not in due
    if kind == "record":
        return now - raised.seen_at > TRIED_AGAIN
    if kind == "provider":
        # Nobody may have a reason to ask it any more.
        return now - raised.seen_at > 2 * LONGEST_WAIT
    if kind == "forged":
        return now - raised.seen_at > NODE_QUIET
    if kind not in ("transfer", "reorg"):
        return False
    transfer = unit.transfers.get(int(subject))
    intent = unit.intents.get(transfer.intent_id) if transfer else None
    if transfer is None or intent is None:
        return True
    ended = transfer.state in (TransferState.FINAL, TransferState.CANCELLED)
    return ended or _mended(transfer, intent)


def _mended(transfer: Transfer, intent: Intent) -> bool:
    """A payment that failed underway and then ended well another way needs nobody any more."""
    underway = transfer.duty in (Duty.START, Duty.FILL)
    return underway and transfer.state is TransferState.FAILED and intent.state is State.REFUNDED


def hurry(services: Services) -> int:
    """After the machine's clock went back: nothing waits for a time that is far away now."""

    def work(unit: Unit) -> None:
        unit.transfers.hurry(services.clock.now())
        unit.orders.hurry(services.clock.now(), LONGEST_WAIT)

    services.store.write(work)
    return 0


def look_for_outsiders(services: Services, chains: Collection[str]) -> None:
    """When an engine takes chains over: are there transactions of ours that the books lack?"""
    nonces = dict(_next_nonces(services, chains))

    def work(unit: Unit) -> None:
        for chain, nonce in nonces.items():
            tell_outsiders(unit, services, services.chains[chain], nonce)

    if nonces:
        services.store.write(work)


def _next_nonces(services: Services, chains: Collection[str]) -> Iterator[tuple[str, int]]:
    for chain in chains:
        try:
            yield chain, services.chains[chain].next_nonce(services.chains[chain].own.relayer)
        except Unreachable:
            continue
