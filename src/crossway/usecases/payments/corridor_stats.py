"""Count payments by corridor and outcome, in the transaction in which they end."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from crossway.domain.corridor_stats import CorridorVolume, Outcome, bucket_of
from crossway.domain.intent import Intent, State
from crossway.domain.success import follow_outcome
from crossway.ports.records import IntentChange, TransitionRecord
from crossway.ports.store import UnitOfWork

_ENDED: Final = frozenset({State.COMPLETED, State.EXPIRED, State.FAILED})
# It ends, but was not funded, so it is not counted.
_UNFUNDED: Final = (State.PENDING, State.EXPIRED)


@dataclass(frozen=True, slots=True)
class _Ending:
    """How and when a payment ended, and how long that took from its complete deposit."""

    outcome: Outcome
    at: datetime
    seconds: float


def count(unit: UnitOfWork, changes: Sequence[IntentChange], now: datetime) -> None:
    """Add the funded payments that end with these changes to the statistics of their corridors,
    and subtract those that had ended otherwise before, where they were counted. `now` is the time
    of the changes."""
    changed = Counter(change.after.id for change in changes)
    intents = {change.after.id: change.after for change in changes if _may_count(change)}
    if not intents:
        return
    histories: dict[int, list[TransitionRecord]] = defaultdict(list)
    for transition in unit.intents.list_transitions(intents.keys()):
        histories[transition.intent_id].append(transition)
    by_time: dict[datetime, list[CorridorVolume]] = defaultdict(list)
    for intent_id, intent in intents.items():
        history = histories[intent_id]
        before = _find_ending(intent, history[: -changed[intent_id]])
        after = _find_ending(intent, history)
        if before != after:
            for ending, sign in ((before, -1), (after, 1)):
                if ending is not None:
                    by_time[ending.at].append(_volume(intent, ending, sign))
    for at, volumes in by_time.items():
        unit.corridor_stats.add(volumes, at)


def _may_count(change: IntentChange) -> bool:
    states = change.before.state, change.after.state
    if states[0] is states[1] or states == _UNFUNDED or State.REFUNDED in states:
        return False
    return not _ENDED.isdisjoint(states)


def _find_ending(intent: Intent, history: Sequence[TransitionRecord]) -> _Ending | None:
    outcome, ended_at, funded_at = None, intent.created_at, intent.created_at
    for transition in history:
        if transition.to_state is State.FUNDED and transition.from_state is State.PENDING:
            funded_at = transition.at
        now = follow_outcome(outcome, transition.from_state, transition.to_state)
        if now is not outcome:
            outcome, ended_at = now, transition.at
    seconds = (ended_at - funded_at).total_seconds()
    return None if outcome is None else _Ending(outcome, ended_at, seconds)


def _volume(intent: Intent, ending: _Ending, sign: int) -> CorridorVolume:
    terms, costs = intent.terms, intent.costs
    return CorridorVolume(
        mode=intent.mode,
        source=terms.source_chain,
        destination=terms.destination_chain,
        bridge=terms.bridge,
        symbol=intent.asset_symbol,
        outcome=ending.outcome,
        bucket=bucket_of(ending.seconds),
        count=sign,
        micro_usd=sign * costs.amount_micro_usd,
        fee_micro_usd=sign * costs.fee_micro_usd,
    )
