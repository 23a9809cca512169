"""Transfers of inventory that a person plans, and whether a planned one is still possible."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput, InvalidStatus
from crossway.domain.rebalancing import (
    NO_MAXIMUM,
    OPEN_REBALANCING_STATES,
    Location,
    LocationBalance,
    PlannedTransfer,
    RebalancingMode,
    RebalancingPolicy,
    RebalancingTransfer,
    RouteOffer,
)
from crossway.domain.rebalancing_needs import Pair, PlanInputs
from crossway.domain.rebalancing_planner import plan_rebalancing
from crossway.domain.rebalancing_sentences import format_held
from crossway.domain.roles import Permission
from crossway.ports.services import Services
from crossway.usecases.chains.kill_switches import active_kill_switches
from crossway.usecases.money.rebalancing_inputs import read_inputs

REASON = "Planned by hand."
_CENT = 10_000


def plan_by_hand(
    services: Services,
    caller: Principal,
    source: Location,
    destination: Location,
    amount: int,
    bridge: str = "",
) -> PlannedTransfer:
    """The transfer by which `amount` arrives, in units of the destination, over the cheapest bridge
    or a named one. Policies do not matter, nor hours, cool-down and the smallest transfer; all
    other limits do. Asks chains and bridges; nothing is stored. Raises `InvalidInput`, or
    `InvalidStatus` with a sentence where it is not possible."""
    caller.require_permission(Permission.VIEW)
    if amount <= 0:
        raise InvalidInput("amount must be more than zero")
    wanted = partial(_only, source=source, destination=destination, amount=amount)
    inputs = read_inputs(services, by_targets=True, adjust=wanted)
    if bridge:
        inputs = replace(inputs, offers=_of_bridge(inputs.offers, bridge))
    plan = plan_rebalancing(inputs)
    if not plan.transfers:
        raise InvalidStatus(" ".join(unserved.reason for unserved in plan.unserved))
    planned = plan.transfers[0]
    at = next(b for b in inputs.balances if b.location == destination)
    if at.micro_usd(amount - planned.amount) >= _CENT:
        most = format_held(at, planned.amount)
        raise InvalidStatus(f"Not more than {most} can be moved by one transfer now")
    return replace(planned, is_urgent=False, reason=REASON)


def require_possible(
    services: Services, planned: PlannedTransfer | RebalancingTransfer, held: int = 0
) -> frozenset[int]:
    """Raise `InvalidStatus`, with a sentence, where a planned transfer is not possible any more:
    rebalancing is paused, a kill switch is on, or what would leave is not there to spare. `held`
    is what of the source is kept for this very transfer. Returns the ids of the transfers that are
    open: this counts on no other."""
    if _is_disabled(services, planned):
        raise InvalidStatus("A chain or the bridge of this transfer is disabled")
    if planned.micro_usd <= 0:
        raise InvalidStatus("The price of this token is unknown, so that no limit can be kept")
    inputs = read_inputs(services, by_targets=True, adjust=_without_needs)
    if inputs.settings.mode is RebalancingMode.PAUSED:
        raise InvalidStatus("Rebalancing is paused: nothing begins until a treasurer ends that")
    source = next((b for b in inputs.balances if b.location == planned.source), None)
    if source is None or source.balance is None:
        raise InvalidStatus("The balance at the source cannot be read now: try again in a moment")
    spare = source.available - source.waiting + held
    if spare < planned.max_source_amount:
        has = format_held(source, max(spare, 0))
        needed = format_held(source, planned.max_source_amount)
        raise InvalidStatus(f"{source.name} has {has} to spare, and {needed} may leave it")
    return frozenset(t.id for t in inputs.recent if t.state in OPEN_REBALANCING_STATES)


def _only(inputs: PlanInputs, source: Location, destination: Location, amount: int) -> PlanInputs:
    """The inputs by which exactly this transfer is planned: only its two ends, of which one lacks
    the amount and the other may give everything."""
    ends = {b.location: b for b in inputs.balances if b.location in (source, destination)}
    if source == destination or len(ends) < 2:
        raise InvalidInput("source and destination must be two locations that hold the token")
    if ends[source].group != ends[destination].group:
        raise InvalidInput("source and destination must hold the same token")
    to = replace(ends[destination], waiting=0, balance=ends[destination].balance or 0)
    lack = to.virtual + amount
    settings = replace(
        inputs.settings,
        smallest_micro_usd=0,
        cool_down_seconds=0,
        begins_at=inputs.settings.ends_at,
    )
    policies = [_policy(to, lack, inputs), _policy(ends[source], 0, inputs)]
    return replace(inputs, balances=[to, ends[source]], policies=policies, settings=settings)


def _policy(at: LocationBalance, wanted: int, inputs: PlanInputs) -> RebalancingPolicy:
    return RebalancingPolicy(*at.location, wanted, wanted, NO_MAXIMUM, 1, "", inputs.now)


def _of_bridge(
    offers: Mapping[Pair, Sequence[RouteOffer]], bridge: str
) -> Mapping[Pair, Sequence[RouteOffer]]:
    return {
        pair: [offer for offer in of_pair if offer.bridge == bridge]
        for pair, of_pair in offers.items()
    }


def _without_needs(inputs: PlanInputs) -> PlanInputs:
    return replace(inputs, policies=[])


def _is_disabled(services: Services, planned: PlannedTransfer | RebalancingTransfer) -> bool:
    source, destination = planned.source[0], planned.destination[0]
    subjects = {
        f"chain:{source}",
        f"chain:{destination}",
        f"bridge:{planned.bridge}",
        f"route:{planned.bridge}:{source}:{destination}",
    }
    return not subjects.isdisjoint(active_kill_switches(services))
