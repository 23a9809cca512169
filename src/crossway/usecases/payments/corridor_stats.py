"""Count payments by corridor and outcome, in the transaction in which they end."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime

from crossway.domain.corridor_stats import CorridorVolume, Outcome, bucket_of
from crossway.domain.intent import Intent, IntentEvent, State
from crossway.ports.records import IntentChange, TransitionRecord
from crossway.ports.store import UnitOfWork

_OUTCOMES = {
    IntentEvent.FILLED: (Outcome.PAID, 1),
    IntentEvent.FILL_REFUSED: (Outcome.FAILED, 1),
    IntentEvent.FILL_GIVEN_UP: (Outcome.FAILED, 1),
}
_REVERSALS = {IntentEvent.FILL_REVERSED: (Outcome.PAID, -1)}
_COUNTS = _OUTCOMES | _REVERSALS


def count(unit: UnitOfWork, changes: Sequence[IntentChange], now: datetime) -> None:
    """Add the payments that end with these changes to the statistics of their corridors, and
    subtract those whose payout a reorg reversed."""
    ended = [change for change in changes if change.event in _COUNTS]
    if not ended:
        return
    transitions: dict[int, list[TransitionRecord]] = defaultdict(list)
    for transition in unit.intents.list_transitions({change.after.id for change in ended}):
        transitions[transition.intent_id].append(transition)
    unit.corridor_stats.add([_volume(change, transitions, now) for change in ended], now)


def _volume(
    change: IntentChange, transitions: Mapping[int, Sequence[TransitionRecord]], now: datetime
) -> CorridorVolume:
    intent, (outcome, sign) = change.after, _COUNTS[change.event]
    terms, costs = intent.terms, intent.costs
    history = transitions.get(intent.id, ())
    # A reversed payment is subtracted with the duration it was counted with.
    paid_at = (
        [transition.at for transition in history if transition.to_state is State.COMPLETED]
        if sign < 0
        else []
    )
    seconds = ((paid_at[-1] if paid_at else now) - _funded_at(intent, history)).total_seconds()
    return CorridorVolume(
        mode=intent.mode,
        source=terms.source_chain,
        destination=terms.destination_chain,
        bridge=terms.bridge,
        symbol=intent.asset_symbol,
        outcome=outcome,
        bucket=bucket_of(seconds),
        count=sign,
        micro_usd=sign * costs.amount_micro_usd,
        fee_micro_usd=sign * costs.fee_micro_usd,
    )


def _funded_at(intent: Intent, transitions: Sequence[TransitionRecord]) -> datetime:
    """The time at which the last deposit funded the intent."""
    funded_at = [
        transition.at
        for transition in transitions
        if transition.to_state is State.FUNDED and transition.from_state is State.PENDING
    ]
    return funded_at[-1] if funded_at else intent.created_at
