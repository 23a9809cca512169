"""Plans rebalancing: which transfers bring every location back to what its policy wants."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from crossway.domain.inventory_transfer import InventoryTransferKind
from crossway.domain.money import rescale_down, rescale_up
from crossway.domain.quotes import bridge_title
from crossway.domain.rebalancing import (
    OPEN_REBALANCING_STATES,
    Location,
    LocationBalance,
    PlannedTransfer,
    RebalancingPlan,
    RebalancingState,
    RouteOffer,
)
from crossway.domain.rebalancing_needs import (
    DECLINED_FOR,
    Need,
    Pair,
    PlanInputs,
    find_needs,
    spare_units,
)
from crossway.domain.rebalancing_sentences import (
    describe_excess,
    describe_lack,
    describe_refusals,
)

URGENT_COST_FACTOR: Final = 3
"""Transfers for which payouts wait may cost so many times as much as others."""
_BPS: Final = 10_000
_PICO_IN_MICRO: Final = 10**6
_ENDED_UNUSED: Final = (
    RebalancingState.DECLINED,
    RebalancingState.LAPSED,
    RebalancingState.REFUSED,
)


def plan_rebalancing(inputs: PlanInputs) -> RebalancingPlan:
    """The transfers to start now, in order, and the lacks that none of them serves. A second plan
    with the first one's transfers under way is empty."""
    return _Planner(inputs).plan()


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A transfer that may be planned, with what it would take at most from the source."""

    offer: RouteOffer
    source: LocationBalance
    destination: LocationBalance
    amount: int
    most: int
    micro_usd: int


class _Planner:
    """Plans in order, and counts what it has planned as done."""

    def __init__(self, inputs: PlanInputs) -> None:
        self._inputs, self._settings = inputs, inputs.settings
        self._policies = {policy.location: policy for policy in inputs.policies}
        self._taken: dict[Location, int] = defaultdict(int)
        self._gained: dict[Location, int] = defaultdict(int)
        self._groups: dict[tuple[str, bool], list[LocationBalance]] = defaultdict(list)
        for balance in inputs.balances:
            if balance.location in self._policies and balance.balance is not None:
                self._groups[balance.group].append(balance)
        self._open = defaultdict[str, int](int)
        self._busy: set[Pair] = set()
        self._spent = 0
        cool = timedelta(seconds=self._settings.cool_down_seconds)
        for transfer in inputs.recent:
            is_open = transfer.state in OPEN_REBALANCING_STATES
            self._open[transfer.bridge] += is_open
            age = inputs.now - transfer.created_at
            is_declined = transfer.state is RebalancingState.DECLINED
            if is_open or age < cool or (is_declined and age < DECLINED_FOR):
                self._rest(transfer.source, transfer.destination)
            is_today = transfer.created_at.date() == inputs.now.date()
            if is_today and transfer.state not in _ENDED_UNUSED:
                self._spent += transfer.fee_micro_usd

    def _rest(self, source: Location, destination: Location) -> None:
        """Plan nothing more between two locations, in either direction."""
        self._busy |= {(source, destination), (destination, source)}

    def plan(self) -> RebalancingPlan:
        lacks, excesses = find_needs(self._inputs)
        planned: list[PlannedTransfer] = []
        unserved = []
        for lack in lacks:
            if forbidden := self._why_nothing(lack):
                unserved.append(lack.unserved(lack.units, forbidden))
            elif missing := self._serve(lack, planned):
                unserved.append(lack.unserved(missing, self._explain(lack, missing)))
        for excess in excesses:
            if not self._why_nothing(excess):
                self._serve(excess, planned)
        return RebalancingPlan(tuple(planned), tuple(unserved))

    def _why_nothing(self, need: Need) -> str:
        """Why nothing may begin now for a need's group; empty where it may."""
        reasons = list(self._inputs.unreadable.get(need.at.group, ()))
        if not self._settings.is_open(self._inputs.now):
            begins, ends = self._settings.begins_at, self._settings.ends_at
            reasons.append(f"Transfers begin between {begins:%H:%M} and {ends:%H:%M} UTC.")
        return " ".join(reasons)

    def _serve(self, need: Need, planned: list[PlannedTransfer]) -> int:
        """Plan what serves a need; returns how many units are not served, 0 where less than the
        smallest transfer is left of it."""
        missing = need.units
        while missing > 0:
            sizes = (
                self._size(need, offer, source, destination, missing)
                for source, destination in self._pairs(need)
                for offer in self._inputs.offers.get((source.location, destination.location), ())
            )
            candidates = [size for size in sizes if isinstance(size, _Candidate)]
            if not candidates:
                break
            uncovered = need.uncovered - (need.units - missing)
            best = min(candidates, key=lambda c: _rank(c, need.is_urgent, uncovered))
            planned.append(self._take(need, best))
            missing -= best.most if need.is_excess else best.amount
        is_small = need.at.micro_usd(missing) < self._settings.smallest_micro_usd
        return 0 if is_small and missing < need.units else missing

    def _pairs(self, need: Need) -> Iterable[tuple[LocationBalance, LocationBalance]]:
        """The sources and destinations that may serve a need and are not resting."""
        for other in self._groups[need.at.group]:
            source, destination = (need.at, other) if need.is_excess else (other, need.at)
            pair = (source.location, destination.location)
            if other is not need.at and pair not in self._busy:
                yield source, destination

    def _spare(self, source: LocationBalance, is_urgent: bool) -> int:
        """What may leave a location, without what is planned already."""
        spare = spare_units(source, self._policies[source.location], is_urgent)
        return max(0, spare - self._taken[source.location])

    def _room(self, need: Need, destination: LocationBalance, missing: int) -> int:
        """How much a location may get: what it lacks, or, of an excess, what it has room for."""
        policy = self._policies[destination.location]
        held = destination.virtual + self._gained[destination.location]
        if not need.is_excess:
            return min(missing, max(policy.maximum - held, 0))
        upper = policy.target if held < policy.target else policy.maximum
        return min(_convert(missing, need.at, destination), max(upper - held, 0))

    def _size(
        self,
        need: Need,
        offer: RouteOffer,
        source: LocationBalance,
        destination: LocationBalance,
        missing: int,
    ) -> _Candidate | str:
        """The largest transfer by an offer within all limits, or why there is none."""
        settings, title = self._settings, bridge_title(offer.bridge)
        if self._open[offer.bridge] >= settings.max_open_per_bridge:
            return f"{title} has as many open transfers as are allowed"
        if self._spent + offer.fee_micro_usd > settings.max_cost_day_micro_usd:
            return "the day's limit of costs is reached"
        room = self._room(need, destination, missing)
        if not room:
            return "with what is on its way, it is at its maximum"
        most_bps = settings.max_cost_bps * (URGENT_COST_FACTOR if need.is_urgent else 1)
        spare = self._spare(source, need.is_urgent)
        pays_gas_only = offer.kind is InventoryTransferKind.DEPOSIT
        # What may leave at most, with all that the transfer may cost, must be there to spare.
        within = spare if pays_gas_only else spare * _BPS // (_BPS + most_bps)
        largest = _units(destination, min(settings.largest_micro_usd, offer.largest_micro_usd))
        amount = min(_convert(within, source, destination), room, largest)
        micro_usd = destination.micro_usd(amount)
        at_par = rescale_up(amount, destination.decimals, source.decimals)
        if amount <= 0 or at_par > spare or micro_usd < max(settings.smallest_micro_usd, 1):
            return "what could be moved is less than the smallest transfer"
        if offer.fee_micro_usd * _BPS > most_bps * micro_usd:
            bps = offer.fee_micro_usd * _BPS / micro_usd
            return f"{title} costs {bps:,.1f} bps, more than is allowed"
        most = at_par if pays_gas_only else min(spare, at_par + at_par * most_bps // _BPS)
        return _Candidate(offer, source, destination, amount, most, micro_usd)

    def _take(self, need: Need, best: _Candidate) -> PlannedTransfer:
        source, destination, offer = best.source, best.destination, best.offer
        self._taken[source.location] += best.most
        self._gained[destination.location] += best.amount
        self._open[offer.bridge] += 1
        self._rest(source.location, destination.location)
        self._spent += offer.fee_micro_usd
        describe = describe_excess if need.is_excess else describe_lack
        return PlannedTransfer(
            offer.bridge,
            offer.kind,
            source.location,
            destination.location,
            best.amount,
            best.most,
            best.micro_usd,
            offer.fee_micro_usd,
            offer.seconds,
            need.is_urgent,
            describe(need.at, need.policy, need.units, need.is_urgent),
        )

    def _explain(self, lack: Need, missing: int) -> str:
        """Why a lack is not served, or not all of it: by the source that has most to spare."""
        others = [b for b in self._groups[lack.at.group] if b is not lack.at]
        spares = {b.location: self._spare(b, lack.is_urgent) for b in others}
        others.sort(key=lambda b: -b.micro_usd(spares[b.location]))
        best = others[0] if others else None
        if best is None or not spares[best.location]:
            return describe_refusals(lack.at, missing, best, 0, [])
        pair = (best.location, lack.at.location)
        offers = self._inputs.offers.get(pair, ())
        sizes = [self._size(lack, offer, best, lack.at, missing) for offer in offers]
        reasons = [size for size in sizes if isinstance(size, str)]
        if pair in self._busy:
            reasons = ["a transfer between the two is open or was made a short while ago"]
        elif not offers:
            reasons = [self._inputs.refusals.get(pair, "no bridge moves it there")]
        return describe_refusals(lack.at, missing, best, spares[best.location], reasons)


def _rank(candidate: _Candidate, is_urgent: bool, uncovered: int) -> tuple[float, ...]:
    """Payouts wait: the fastest that covers them all, so that small ones do not use up what may be
    open. Otherwise the cheapest of what is moved, the larger at par."""
    cost = candidate.offer.fee_micro_usd / candidate.micro_usd
    seconds = candidate.offer.seconds
    if is_urgent:
        return max(uncovered - candidate.amount, 0) > 0, seconds, cost
    return cost, -candidate.micro_usd, seconds


def _convert(units: int, given: LocationBalance, wanted: LocationBalance) -> int:
    return rescale_down(units, given.decimals, wanted.decimals)


def _units(at: LocationBalance, micro_usd: int) -> int:
    """What so much is of the token of a location, rounded down; 0 without a price."""
    if not at.pico_usd:
        return 0
    return int(micro_usd * _PICO_IN_MICRO * 10**at.decimals // at.pico_usd)
