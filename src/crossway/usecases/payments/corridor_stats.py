"""Counting how payments ended, in the same transaction in which they end."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime

from crossway.domain.corridor_stats import CorridorVolume, Outcome, bucket_of
from crossway.domain.intent import Intent, IntentEvent, State
from crossway.ports.records import IntentChange, TransitionRecord
from crossway.ports.store import UnitOfWork

_ENDS = {IntentEvent.FILLED: (Outcome.PAID, 1), IntentEvent.FILL_REFUSED: (Outcome.FAILED, 1)}
_TAKES_BACK = {IntentEvent.FILL_REVERSED: (Outcome.PAID, -1)}
_COUNTS = _ENDS | _TAKES_BACK


def count(unit: UnitOfWork, changes: Sequence[IntentChange], now: datetime) -> None:
    """Add the payments that end by these changes to the counts of their corridors; a payment that
    a reorganisation brings back is taken out again."""
    ending = [change for change in changes if change.event in _COUNTS]
    if not ending:
        return
    moves: dict[int, list[TransitionRecord]] = defaultdict(list)
    for move in unit.intents.list_transitions({change.after.id for change in ending}):
        moves[move.intent_id].append(move)
    unit.corridor_stats.add([_flow(change, moves, now) for change in ending], now)


def _flow(
    change: IntentChange, moves: Mapping[int, Sequence[TransitionRecord]], now: datetime
) -> CorridorVolume:
    intent, (ended, sign) = change.after, _COUNTS[change.event]
    terms, costs = intent.terms, intent.costs
    known = moves.get(intent.id, ())
    # What is taken back was counted with the time it had then.
    paid = [m.at for m in known if m.to_state is State.COMPLETED] if sign < 0 else []
    seconds = ((paid[-1] if paid else now) - _funded(intent, known)).total_seconds()
    return CorridorVolume(
        source=terms.source_chain,
        destination=terms.destination_chain,
        bridge=terms.bridge,
        symbol=intent.asset_symbol,
        outcome=ended,
        bucket=bucket_of(seconds),
        count=sign,
        micro_usd=sign * costs.amount_micro_usd,
        fee_micro_usd=sign * (costs.service_micro_usd + costs.bridge_micro_usd),
    )


def _funded(intent: Intent, moves: Sequence[TransitionRecord]) -> datetime:
    """When the last deposit made it whole."""
    funded = [m.at for m in moves if m.to_state is State.FUNDED and m.from_state is State.PENDING]
    return funded[-1] if funded else intent.created_at
