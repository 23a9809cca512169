"""The rebalancing plan of now: what should be moved, and why a lack is not served."""

from crossway.domain.clients import Principal
from crossway.domain.rebalancing import RebalancingPlan
from crossway.domain.rebalancing_planner import plan_rebalancing
from crossway.domain.roles import Permission
from crossway.ports.services import Services
from crossway.usecases.money.rebalancing_inputs import read_inputs


def suggest_plan(services: Services, caller: Principal) -> RebalancingPlan:
    """What would be moved now by policies, and by targets where there is none. Asks chains and
    bridges; nothing is stored."""
    caller.require_permission(Permission.VIEW)
    return plan_rebalancing(read_inputs(services, by_targets=True))
