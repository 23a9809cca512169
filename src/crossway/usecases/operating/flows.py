"""Counting how payments ended, in the same transaction in which they end."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime

from crossway.domain.flows import Ended, Flow, bucket_of
from crossway.domain.intent import Event, Intent, State
from crossway.ports.records import Change, MoveRecord
from crossway.ports.store import Unit

_ENDS = {Event.FILLED: (Ended.PAID, 1), Event.FILL_REFUSED: (Ended.FAILED, 1)}
_TAKES_BACK = {Event.FILL_REVERSED: (Ended.PAID, -1)}
_COUNTS = _ENDS | _TAKES_BACK


def count(unit: Unit, changes: Sequence[Change], now: datetime) -> None:
    """Add the payments that end by these changes to the counts of their corridors; a payment that
    a reorganisation brings back is taken out again."""
    ending = [change for change in changes if change.event in _COUNTS]
    if not ending:
        return
    moves: dict[int, list[MoveRecord]] = defaultdict(list)
    for move in unit.intents.moves({change.after.id for change in ending}):
        moves[move.intent_id].append(move)
    unit.flows.count([_flow(change, moves, now) for change in ending], now)


def _flow(change: Change, moves: Mapping[int, Sequence[MoveRecord]], now: datetime) -> Flow:
    intent, (ended, sign) = change.after, _COUNTS[change.event]
    terms, costs = intent.terms, intent.costs
    known = moves.get(intent.id, ())
    # What is taken back was counted with the time it had then.
    paid = [m.at for m in known if m.to_state is State.COMPLETED] if sign < 0 else []
    seconds = ((paid[-1] if paid else now) - _funded(intent, known)).total_seconds()
    return Flow(
        source=terms.source_chain,
        destination=terms.destination_chain,
        bridge=terms.bridge,
        symbol=intent.asset_symbol,
        ended=ended,
        bucket=bucket_of(seconds),
        n=sign,
        micro_usd=sign * costs.amount_micro_usd,
        fee_micro_usd=sign * (costs.service_micro_usd + costs.bridge_micro_usd),
    )


def _funded(intent: Intent, moves: Sequence[MoveRecord]) -> datetime:
    """When the last deposit made it whole."""
    funded = [m.at for m in moves if m.to_state is State.FUNDED and m.from_state is State.PENDING]
    return funded[-1] if funded else intent.created_at
