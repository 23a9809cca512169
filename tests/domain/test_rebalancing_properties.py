"""What holds of every plan, whatever the balances, policies and offers are."""

from collections import defaultdict
from dataclasses import replace
from datetime import timedelta
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from crossway.domain.inventory_transfer import InventoryTransferKind
from crossway.domain.rebalancing import Location
from crossway.domain.rebalancing_needs import PlanInputs, find_needs
from crossway.domain.rebalancing_planner import plan_rebalancing
from tests.domain.rebalancing_worlds import Step, by_location, under_way, worlds

EXAMPLES = settings(max_examples=300, deadline=None)


def worth(units: int, decimals: int) -> Fraction:
    """Whole tokens."""
    return Fraction(units, 10**decimals)


@EXAMPLES
@given(worlds())
def test_every_transfer_keeps_to_the_limits(world: PlanInputs) -> None:
    limits, balances = world.settings, by_location(world.balances)
    plan = plan_rebalancing(world)
    per_bridge: dict[str, int] = defaultdict(int)
    for one in plan.transfers:
        per_bridge[one.bridge] += 1
        arrives = worth(one.amount, balances[one.destination].decimals)
        leaves = worth(one.max_source_amount, balances[one.source].decimals)
        most_bps = limits.max_cost_bps * (3 if one.is_urgent else 1)
        assert limits.smallest_micro_usd <= one.micro_usd <= limits.largest_micro_usd
        assert one.micro_usd <= arrives * 10**6 < one.micro_usd + 1
        assert one.fee_micro_usd * 10_000 <= most_bps * one.micro_usd
        # Nothing is made of nothing, and no more is given for it than it may cost, but for what
        # less than a unit of six decimals is.
        assert arrives <= leaves
        assert leaves <= arrives * (10_000 + most_bps) / 10_000 + Fraction(1, 10**6)
        if one.kind is InventoryTransferKind.DEPOSIT:
            assert leaves - arrives < Fraction(1, 10**6)
    assert sum(one.fee_micro_usd for one in plan.transfers) <= limits.max_cost_day_micro_usd
    assert all(count <= limits.max_open_per_bridge for count in per_bridge.values())


@EXAMPLES
@given(worlds())
def test_no_source_falls_below_its_minimum(world: PlanInputs) -> None:
    taken: dict[Location, int] = defaultdict(int)
    urgent: dict[Location, bool] = defaultdict(bool)
    for one in plan_rebalancing(world).transfers:
        taken[one.source] += one.max_source_amount
        urgent[one.source] |= one.is_urgent
    policies, balances = {p.location: p for p in world.policies}, by_location(world.balances)
    for location, units in taken.items():
        policy, source = policies[location], balances[location]
        assert source.balance is not None
        promised = source.reserved + source.leaving + source.sending + source.waiting
        left = source.balance - promised - units
        assert left >= (policy.minimum if urgent[location] else policy.target)


@EXAMPLES
@given(worlds())
def test_no_destination_rises_above_its_maximum(world: PlanInputs) -> None:
    gained: dict[Location, int] = defaultdict(int)
    for one in plan_rebalancing(world).transfers:
        gained[one.destination] += one.amount
    policies, balances = {p.location: p for p in world.policies}, by_location(world.balances)
    for location, units in gained.items():
        assert balances[location].virtual + units <= policies[location].maximum


@EXAMPLES
@given(worlds(), st.data())
def test_with_a_plan_under_way_nothing_more_is_planned(
    world: PlanInputs, data: st.DataObject
) -> None:
    plan = plan_rebalancing(world)
    steps = [data.draw(st.sampled_from(Step)) for _ in plan.transfers]
    again = plan_rebalancing(under_way(world, plan.transfers, steps))
    # Where an excess has arrived, there may be something to spare for a lack that had no source;
    # where one leaves, there may be room for another excess that had nowhere to go.
    pairs = zip(plan.transfers, steps, strict=True)
    arrived = {one.destination for one, step in pairs if step is Step.ARRIVED}
    left = {one.source for one in plan.transfers}
    lacking = {lack.at.location for lack in find_needs(world)[0]}
    for one in again.transfers:
        assert one.source in arrived or (one.destination in left and one.destination not in lacking)


@EXAMPLES
@given(worlds())
def test_every_lack_is_served_or_explained(world: PlanInputs) -> None:
    plan, balances = plan_rebalancing(world), by_location(world.balances)
    explained = {one.location: one for one in plan.unserved}
    assert all(one.reason.endswith(".") for one in plan.unserved)
    lacks, _ = find_needs(world)
    for lack in lacks:
        got = sum(p.amount for p in plan.transfers if p.destination == lack.at.location)
        missing = balances[lack.at.location].micro_usd(max(lack.units - got, 0))
        if got == 0 or missing >= world.settings.smallest_micro_usd:
            assert explained[lack.at.location].units == lack.units - got


@EXAMPLES
@given(worlds())
def test_payouts_come_first_and_then_the_priority(world: PlanInputs) -> None:
    lacks, _ = find_needs(world)
    order = [lack.at.location for lack in lacks]
    served = [p.destination for p in plan_rebalancing(world).transfers if p.destination in order]
    # Excesses come after all lacks, and may fill the same locations.
    first = list(dict.fromkeys(served))
    assert first == sorted(first, key=order.index)
    urgent = [lack.is_urgent for lack in lacks]
    assert urgent == sorted(urgent, reverse=True)


@EXAMPLES
@given(worlds())
def test_without_new_payments_nothing_returns_to_where_it_came_from(world: PlanInputs) -> None:
    """Each plan is carried out at its full cost before the next one is made."""
    moved: set[tuple[Location, Location]] = set()
    for number in range(30):
        world = replace(world, now=world.now + timedelta(days=1))
        plan = plan_rebalancing(world)
        if not plan.transfers:
            return
        for one in plan.transfers:
            assert (one.destination, one.source) not in moved, number
            moved.add((one.source, one.destination))
        balances = []
        for balance in world.balances:
            assert balance.balance is not None
            left = sum(p.max_source_amount for p in plan.transfers if p.source == balance.location)
            came = sum(p.amount for p in plan.transfers if p.destination == balance.location)
            balances.append(replace(balance, balance=balance.balance - left + came))
        world = replace(world, balances=balances)
