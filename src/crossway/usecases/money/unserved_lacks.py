"""Why the rebalancing plan moves nothing to a place that the treasury says is short."""

from collections.abc import Sequence

from crossway.domain.rebalancing import LocationBalance, RebalancingPolicy, Unserved
from crossway.domain.rebalancing_sentences import format_held
from crossway.usecases.money.inventory import InventoryPosition
from crossway.usecases.money.rebalancing_plan import PlanOfNow


def explain_lacks(now: PlanOfNow, positions: Sequence[InventoryPosition]) -> list[Unserved]:
    """The lacks that no transfer of a plan serves, each with the reason: those of the plan, and
    those of `positions` below a target of which the plan says nothing."""
    told = {transfer.destination for transfer in now.plan.transfers}
    told |= {lack.location for lack in now.plan.unserved}
    balances = {balance.location: balance for balance in now.inputs.balances}
    policies = {policy.location: policy for policy in now.inputs.policies}
    lacks = list(now.plan.unserved)
    for position in positions:
        location = (position.token.chain, position.token.address)
        if position.shortfall and location not in told and location in balances:
            reason = _explain(balances[location], policies.get(location))
            lacks.append(Unserved(location, position.shortfall, reason))
    return lacks


def _explain(at: LocationBalance, policy: RebalancingPolicy | None) -> str:
    if at.balance is None:
        return f"{at.name} did not answer."
    if policy is None:
        return f"No policy says how much {at.name} is to have."
    if at.arriving and at.virtual >= policy.target:
        return f"{format_held(at, at.arriving)} is on its way."
    if at.virtual >= policy.minimum:
        coming = " with what is on its way" if at.arriving or at.expected else ""
        has, least = format_held(at, at.virtual), format_held(at, policy.minimum)
        return f"{at.name} has {has}{coming}: it is filled once that is less than {least}."
    return "Balances have changed since the plan was made; it is made anew every half minute."
