"""Payments past their time, and money that nobody asked for: what only waiting tells."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from crossway.domain.intent import State
from crossway.domain.transfers import Duty
from crossway.ports.records import Alarm
from crossway.ports.store import Unit

STUCK, FOREIGN = "stuck", "foreign"
START_WITHIN = timedelta(minutes=5)
FILL_GRACE = timedelta(minutes=5)
CREDIT_WITHIN = timedelta(minutes=30)
RETURN_WITHIN = timedelta(minutes=10)
_MOST = 500
_BACK = (Duty.REFUND, Duty.RETURN_EXCESS)


@dataclass(frozen=True, slots=True)
class Late:
    """One alarm that is due; its subject is the intent."""

    key: str
    kind: str
    intent_id: int
    message: str


def late(unit: Unit, alarms: Sequence[Alarm], now: datetime) -> list[Late]:
    """Everything past its time, without what waits for something that an alarm tells already."""
    found = [*_not_started(unit, now), *_not_filled(unit, now), *_not_credited(unit, now)]
    found += _not_returned(unit, now)
    excused = _excused(unit, alarms, {one.intent_id for one in found})
    once = {one.key: one for one in reversed(found) if one.intent_id not in excused}
    return [*once.values(), *_foreign(unit)]


def _not_started(unit: Unit, now: datetime) -> list[Late]:
    return [
        _stuck(i.id, f"Payment {i.id} was paid in full over 5 minutes ago and is not started.")
        for i in unit.intents.lingering(State.FUNDED, now - START_WITHIN, _MOST)
    ]


def _not_filled(unit: Unit, now: datetime) -> list[Late]:
    """Each has the time that its quote said, and some minutes more."""
    started = unit.intents.lingering(State.INITIATED, now - FILL_GRACE, _MOST)
    return [
        _stuck(i.id, f"Payment {i.id} was started and is not paid out in the time of its quote.")
        for i in started
        if now > i.updated_at + timedelta(seconds=i.settle_seconds) + FILL_GRACE
    ]


def _not_credited(unit: Unit, now: datetime) -> list[Late]:
    seen = unit.deposits.lingering(now - CREDIT_WITHIN, _MOST)
    return [
        _stuck(d.intent_id, f"A deposit of payment {d.intent_id} was seen over 30 minutes ago "
               "and has not enough confirmations yet.")
        for d in seen
    ]  # fmt: skip


def _not_returned(unit: Unit, now: datetime) -> list[Late]:
    owed = unit.transfers.overdue(_BACK, now - RETURN_WITHIN, _MOST)
    return [
        _stuck(t.intent_id, f"Money of payment {t.intent_id} should have gone back 10 minutes ago.")
        for t in owed
    ]


def _stuck(intent_id: int, message: str) -> Late:
    return Late(f"{STUCK}:{intent_id}", STUCK, intent_id, message)


def _foreign(unit: Unit) -> list[Late]:
    return [
        Late(
            f"{FOREIGN}:{d.id}", FOREIGN, d.intent_id,
            f"Payment {d.intent_id} was sent money that it did not ask for. It goes back when the "
            "payment expires, or by hand now.",
        )
        for d in unit.deposits.open_foreign()[:_MOST]
    ]  # fmt: skip


def _excused(unit: Unit, alarms: Sequence[Alarm], ids: Collection[int]) -> set[int]:
    """Those whose transfers say that they wait for stock or gas, and those from or to a chain that
    does not go on."""
    if not ids:
        return set()
    told = {alarm.message for alarm in alarms if alarm.kind in ("stock", "gas")}
    silent = {a.subject for a in alarms if a.key.startswith(("unreachable:", "stale:"))}
    waiting = {t.intent_id for t in unit.transfers.of(ids) if t.reason in told}
    between = {
        one.id: {one.terms.source_chain, one.terms.destination_chain}
        for one in unit.intents.of(ids).values()
    }
    return {one for one in ids if one in waiting or between.get(one, set()) & silent}
