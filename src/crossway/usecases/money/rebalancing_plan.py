"""The rebalancing plan of now: what should be moved, and why a lack is not served."""

from dataclasses import dataclass

from crossway.domain.clients import Principal
from crossway.domain.rebalancing import RebalancingPlan
from crossway.domain.rebalancing_needs import PlanInputs
from crossway.domain.rebalancing_planner import plan_rebalancing
from crossway.domain.roles import Permission
from crossway.ports.services import Services
from crossway.usecases.money.rebalancing_inputs import read_inputs


@dataclass(frozen=True, slots=True)
class PlanOfNow:
    """A plan, and what it follows from."""

    inputs: PlanInputs
    plan: RebalancingPlan


def read_plan(services: Services, caller: Principal) -> PlanOfNow:
    """What would be moved now by policies, and by targets where there is none, and what that
    follows from. Asks chains and bridges; nothing is stored."""
    caller.require_permission(Permission.VIEW)
    inputs = read_inputs(services, by_targets=True)
    return PlanOfNow(inputs, plan_rebalancing(inputs))


def suggest_plan(services: Services, caller: Principal) -> RebalancingPlan:
    """The plan of `read_plan` alone."""
    return read_plan(services, caller).plan
