"""Replays the past: what rebalancing by given policies would have moved, and who would have waited.

A model: what is replayed are the movements and payments that there were, and no others."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from heapq import heappop, heappush
from itertools import count
from typing import Final

from crossway.domain.inventory_transfer import InventoryTransferKind
from crossway.domain.money import rescale_up, units_for_micro_usd_up
from crossway.domain.rebalancing import (
    Location,
    LocationBalance,
    PlannedTransfer,
    RebalancingPolicy,
    RebalancingSettings,
    RebalancingState,
    RebalancingTransfer,
)
from crossway.domain.rebalancing_needs import PlanInputs, find_needs
from crossway.domain.rebalancing_planner import plan_rebalancing

INTERVAL: Final = timedelta(minutes=10)
"""So often a replay plans, and at once when a payout begins to wait."""
_WHILE_WAITING: Final = timedelta(minutes=2)
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Movement:
    """What came to a location, in smallest units; negative what left."""

    at: datetime
    location: Location
    units: int


@dataclass(frozen=True, slots=True)
class Demand:
    """A payment out of inventory: what it needed where, from when it was funded until it was paid,
    which is a movement then, or, if it never started, until it ended."""

    intent_id: int
    location: Location
    units: int
    funded_at: datetime
    started_at: datetime | None
    ended_at: datetime


@dataclass(frozen=True, slots=True)
class InventoryHistory:
    """A time and what happened in it. `opening` has the balance of each location when it began, and
    nothing reserved."""

    began: datetime
    ended: datetime
    opening: Sequence[LocationBalance]
    movements: Sequence[Movement]
    demands: Sequence[Demand]


@dataclass(frozen=True, slots=True)
class ReplayedTransfer:
    """A transfer that would have been made at a time."""

    at: datetime
    planned: PlannedTransfer


@dataclass(frozen=True, slots=True)
class Replay:
    """What would have moved, and how long payments would have waited for inventory, without those
    that would not: until they started, or, if they are `unstarted`, until they or the time ended.
    """

    transfers: tuple[ReplayedTransfer, ...]
    waits: Mapping[int, timedelta]
    unstarted: frozenset[int]


Offer = Callable[[PlanInputs], PlanInputs]
"""Adds to the inputs of a plan what bridges would have offered, and why they would not."""


def replay(
    history: InventoryHistory,
    policies: Sequence[RebalancingPolicy],
    settings: RebalancingSettings,
    offer: Offer,
    on_progress: Callable[[float], None] = lambda share: None,
) -> Replay:
    """Replay with these policies, as if rebalancing were automatic and every transfer approved at
    once; without policies, what there was. `on_progress` is told the share done."""
    return _Replayer(history, policies, settings, offer).run(on_progress)


class _Replayer:
    """Goes through what happened in order of time, with what its own transfers change."""

    def __init__(
        self,
        history: InventoryHistory,
        policies: Sequence[RebalancingPolicy],
        settings: RebalancingSettings,
        offer: Offer,
    ) -> None:
        self._history, self._policies = history, policies
        self._settings, self._offer = settings, offer
        self._places = {balance.location: balance for balance in history.opening}
        self._units = {b.location: b.balance or 0 for b in history.opening}
        self._reserved: dict[Location, int] = defaultdict(int)
        self._arriving: dict[Location, int] = defaultdict(int)
        self._waiting: dict[int, Demand] = {}
        self._started: set[int] = set()
        self._late: set[int] = set()
        self._waits: dict[int, timedelta] = {}
        self._unstarted: set[int] = set()
        self._recent: dict[int, RebalancingTransfer] = {}
        self._transfers: list[ReplayedTransfer] = []
        self._events: list[tuple[datetime, int, Callable[[datetime], None]]] = []
        self._numbers = count()
        # What has happened at the time that is replayed.
        self._gaining: set[Location] = set()
        self._is_pressing = False
        self._plan_at = history.began

    def run(self, on_progress: Callable[[float], None]) -> Replay:
        for movement in self._history.movements:
            self._at(movement.at, partial(self._move, movement))
        for demand in self._history.demands:
            self._at(demand.funded_at, partial(self._fund, demand))
            self._at(demand.ended_at, partial(self._end, demand))
        self._at(self._history.began, _look)
        span = max(self._history.ended - self._history.began, timedelta(seconds=1))
        done = 0
        while self._events and self._events[0][0] <= self._history.ended:
            now = self._events[0][0]
            while self._events and self._events[0][0] == now:
                heappop(self._events)[2](now)
            self._start_waiting(now)
            if self._policies and (self._is_pressing or now >= self._plan_at):
                self._plan(now)
            percent = int((now - self._history.began) / span * 100)
            if percent > done:
                done = percent
                on_progress(done / 100)
        for demand in list(self._waiting.values()):
            self._give_up(demand, self._history.ended)
        return Replay(tuple(self._transfers), self._waits, frozenset(self._unstarted))

    def _at(self, at: datetime, event: Callable[[datetime], None]) -> None:
        heappush(self._events, (at, next(self._numbers), event))

    def _move(self, movement: Movement, now: datetime) -> None:
        del now
        self._units[movement.location] += movement.units
        if movement.units > 0:
            self._gaining.add(movement.location)

    def _fund(self, demand: Demand, now: datetime) -> None:
        if not self._start(demand, now):
            self._waiting[demand.intent_id] = demand
            self._is_pressing = True

    def _end(self, demand: Demand, now: datetime) -> None:
        """It was paid, which is a movement, or ended unpaid."""
        if demand.intent_id in self._started:
            if demand.started_at is not None:
                self._reserved[demand.location] -= demand.units
        elif demand.started_at is None:
            self._give_up(demand, now)
        else:
            # It was paid out of what is not here: here it is paid later.
            self._units[demand.location] += demand.units
            self._late.add(demand.intent_id)

    def _give_up(self, demand: Demand, now: datetime) -> None:
        del self._waiting[demand.intent_id]
        self._unstarted.add(demand.intent_id)
        self._waits[demand.intent_id] = now - demand.funded_at

    def _start_waiting(self, now: datetime) -> None:
        """Start what waits where something has come, what was funded first before."""
        if self._gaining:
            for demand in list(self._waiting.values()):
                if demand.location in self._gaining and self._start(demand, now):
                    del self._waiting[demand.intent_id]
            self._gaining.clear()

    def _start(self, demand: Demand, now: datetime) -> bool:
        """Start a payment if there is inventory for it."""
        location = demand.location
        if self._units[location] - self._reserved[location] < demand.units:
            return False
        self._started.add(demand.intent_id)
        if now > demand.funded_at:
            self._waits[demand.intent_id] = now - demand.funded_at
        is_late = demand.intent_id in self._late
        if demand.started_at is not None and not is_late:
            self._reserved[location] += demand.units
        elif is_late or self._policies:
            # It was not paid by then, and would have been.
            self._units[location] -= demand.units
        return True

    def _plan(self, now: datetime) -> None:
        interval = _WHILE_WAITING if self._waiting else INTERVAL
        self._is_pressing, self._plan_at = False, now + interval
        self._at(self._plan_at, _look)
        inputs = self._inputs(now)
        if not any(find_needs(inputs)):
            return
        for planned in plan_rebalancing(self._offer(inputs)).transfers:
            self._carry_out(planned, now)

    def _inputs(self, now: datetime) -> PlanInputs:
        waiting: dict[Location, int] = defaultdict(int)
        for demand in self._waiting.values():
            waiting[demand.location] += demand.units
        balances = [
            replace(
                place,
                balance=self._units[location],
                reserved=self._reserved[location],
                waiting=waiting[location],
                arriving=self._arriving[location],
            )
            for location, place in self._places.items()
        ]
        # What a plan asks about: the open ones, and those of this day and of the cool-down.
        since = now - max(_DAY, timedelta(seconds=self._settings.cool_down_seconds))
        self._recent = {
            id: transfer
            for id, transfer in self._recent.items()
            if transfer.state is RebalancingState.STARTED or transfer.created_at >= since
        }
        recent = list(self._recent.values())
        return PlanInputs(balances, self._policies, self._settings, {}, now, recent)

    def _carry_out(self, planned: PlannedTransfer, now: datetime) -> None:
        source, destination = self._places[planned.source], self._places[planned.destination]
        left = rescale_up(planned.amount, destination.decimals, source.decimals)
        if planned.kind is not InventoryTransferKind.DEPOSIT and source.pico_usd:
            fee = units_for_micro_usd_up(planned.fee_micro_usd, source.decimals, source.pico_usd)
            left = min(left + fee, planned.max_source_amount)
        self._units[planned.source] -= left
        self._arriving[planned.destination] += planned.amount
        self._transfers.append(ReplayedTransfer(now, planned))
        id = len(self._transfers)
        self._recent[id] = _stored(planned, id, now)
        arrives_at = now + timedelta(seconds=max(planned.seconds, 1))
        self._at(arrives_at, partial(self._arrive, planned, id))

    def _arrive(self, planned: PlannedTransfer, id: int, now: datetime) -> None:
        del now
        self._arriving[planned.destination] -= planned.amount
        self._units[planned.destination] += planned.amount
        self._gaining.add(planned.destination)
        self._recent[id] = replace(self._recent[id], state=RebalancingState.ARRIVED)


def _look(now: datetime) -> None:
    """Nothing happens; it is time to plan."""
    del now


def _stored(planned: PlannedTransfer, id: int, now: datetime) -> RebalancingTransfer:
    return RebalancingTransfer(
        id=id,
        bridge=planned.bridge,
        kind=planned.kind,
        source_chain=planned.source[0],
        source_token=planned.source[1],
        destination_chain=planned.destination[0],
        destination_token=planned.destination[1],
        amount=planned.amount,
        max_source_amount=planned.max_source_amount,
        micro_usd=planned.micro_usd,
        fee_micro_usd=planned.fee_micro_usd,
        seconds=planned.seconds,
        is_urgent=planned.is_urgent,
        reason=planned.reason,
        state=RebalancingState.STARTED,
        proposed_by="",
        proposed_by_identity="",
        decided_by="",
        note="",
        created_at=now,
        updated_at=now,
    )
