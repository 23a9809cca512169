"""The network map's figures: what each corridor carried, and the payments that are under way."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from crossway.domain.bridge_transfer import BridgeTransfer
from crossway.domain.clients import OwnerFilter, Principal
from crossway.domain.corridor_stats import CorridorTotals, CorridorVolume, sum_volumes
from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTxKind
from crossway.domain.roles import Permission
from crossway.ports.records import IntentFilter, TransitionRecord
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.delays import find_delays
from crossway.usecases.pricing.corridor_quotes import LOOKBACK, Window

MAX_IN_FLIGHT: Final = 60
"""Payments under way that the map shows, the newest first; `NetworkFigures.open` counts all."""
ARRIVED_FOR: Final = timedelta(seconds=10)
"""How long a payment that has just ended is still listed, so that its arrival is seen."""
_MAX_RECENT: Final = 40
MAX_REFUNDS: Final = 20
_MAX_WAITING: Final = 200
_OPEN: Final = (State.FUNDED, State.INITIATED)
_ENDED: Final = (State.EXPIRED, State.FAILED)
# Bridge, source and destination; the bridge is empty within one chain.
Corridor = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Flight:
    """A payment between its deposit and its recipient, or one that failed or expired and waits for
    its refund. `since` is when it entered its state, `transfer` its bridge transfer, if a bridge
    carries it, and `delay` why it or its refund waits, as a sentence; empty where it does not, or
    nobody says why."""

    intent: Intent
    micro_usd: int
    since: datetime
    transfer: BridgeTransfer | None
    delay: str


@dataclass(frozen=True, slots=True)
class NetworkFigures:
    """What the corridors carried in the window, and what is under way: `open` payments are funded
    and not ended, of which `flights` are the newest; those that have just been paid, and those
    whose refund waits, follow."""

    totals: Mapping[Corridor, CorridorTotals]
    flights: Sequence[Flight]
    open: int


def get_network_figures(services: Services, caller: Principal, window: Window) -> NetworkFigures:
    """The figures of the caller's mode. Their cost depends on what is under way and on the hours or
    days of the window, not on the history."""
    caller.require_permission(Permission.VIEW)
    owners, now = caller.narrow(OwnerFilter()), services.clock.now()
    period, lookback = LOOKBACK[window]
    with services.store.read() as unit:
        volumes = unit.corridor_stats.sum_since(caller.mode, period, now - lookback)
        counts = unit.intents.count_by_state(owners)
        flights = _list_flights(unit, caller, now)
    by_corridor: dict[Corridor, list[CorridorVolume]] = defaultdict(list)
    for volume in volumes:
        by_corridor[volume.bridge, volume.source, volume.destination].append(volume)
    return NetworkFigures(
        {corridor: sum_volumes(of) for corridor, of in by_corridor.items()},
        flights,
        sum(counts.get(state, 0) for state in _OPEN),
    )


def _list_flights(unit: UnitOfWork, caller: Principal, now: datetime) -> list[Flight]:
    under_way = unit.intents.list_page(caller.narrow(IntentFilter(states=_OPEN)), MAX_IN_FLIGHT)
    refunds = _list_waiting_refunds(unit, caller)
    intents = [*under_way, *_list_arrived(unit, caller, now), *(one for one, _ in refunds)]
    ids = {intent.id for intent in intents}
    values, transfers = unit.intents.get_usd_values(ids), unit.bridge_transfers.get_many(ids)
    reasons = {one.id: reason for one, reason in refunds}
    reasons |= {id_: delay.reason for id_, delay in find_delays(unit, under_way, now).items()}
    entered = _entry_times(unit.intents.list_transitions(ids, newest=1)) if ids else {}
    return [
        Flight(
            intent,
            values.get(intent.id, 0),
            entered.get((intent.id, intent.state), intent.updated_at),
            transfers.get(intent.id),
            reasons.get(intent.id, ""),
        )
        for intent in intents
    ]


def _list_waiting_refunds(unit: UnitOfWork, caller: Principal) -> list[tuple[Intent, str]]:
    """Payments that failed or expired and whose refund waits, the newest first, with the reason. A
    refund that does not wait takes seconds, and is not shown."""
    waiting = {
        tx.intent_id: tx.reason
        for tx in unit.outbound_txs.list_needing_attention(_MAX_WAITING)
        if tx.kind is OutboundTxKind.REFUND
    }
    intents = unit.intents.get_many(waiting) if waiting else {}
    ended = [
        (intents[id_], waiting[id_])
        for id_ in sorted(intents, reverse=True)
        if intents[id_].state in _ENDED and caller.lists(intents[id_])
    ]
    return ended[:MAX_REFUNDS]


def _list_arrived(unit: UnitOfWork, caller: Principal, now: datetime) -> list[Intent]:
    """The payments whose recipient has just been paid."""
    recent = unit.intents.list_recent_transitions(caller.narrow(OwnerFilter()), _MAX_RECENT)
    paid = {
        record.intent_id
        for _, record in recent
        if record.to_state is State.COMPLETED
        and record.from_state is not State.COMPLETED
        and now - record.at < ARRIVED_FOR
    }
    intents = unit.intents.get_many(paid).values() if paid else ()
    return [intent for intent in intents if intent.state is State.COMPLETED]


def _entry_times(
    transitions: Sequence[TransitionRecord],
) -> dict[tuple[int, State], datetime]:
    """When each payment last entered each of its states."""
    return {
        (record.intent_id, record.to_state): record.at
        for record in sorted(transitions, key=lambda record: record.at)
        if record.from_state is not record.to_state
    }
