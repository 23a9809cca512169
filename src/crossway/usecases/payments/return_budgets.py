"""What refunds and returns at our cost may still cost on each chain."""

from collections.abc import Mapping

from crossway.domain.clients import Principal
from crossway.domain.network_costs import ChainCosts
from crossway.domain.return_budget import ReturnBudget, full_budget
from crossway.domain.roles import Permission
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork


def load_budget(unit: UnitOfWork, services: Services, chain: str) -> ReturnBudget:
    """A chain's budget as it has refilled until now; nobody else changes it until the unit of work
    ends."""
    now, per_day = services.clock.now(), services.policy.return_allowance_micro_usd
    stored = unit.treasury.lock_return_budget(chain)
    budget = (stored or full_budget(chain, now, per_day)).refilled(now, per_day)
    if stored is not None and budget.updated_at < stored.updated_at:
        # The clock was ahead for a while: it refills from now on, and not from then.
        unit.treasury.save_return_budget(budget)
    return budget


def list_budgets(services: Services, caller: Principal) -> list[ReturnBudget]:
    """The budgets of chains on which something was returned, as they have refilled until now; staff
    only."""
    caller.require_permission(Permission.VIEW)
    now, per_day = services.clock.now(), services.policy.return_allowance_micro_usd
    with services.store.read() as unit:
        return [b.refilled(now, per_day) for b in unit.treasury.list_return_budgets()]


def return_cost(services: Services, chain: str, costs: Mapping[str, ChainCosts]) -> int:
    """What a return costs in micro-USD: by current `costs`, else the chain's constant."""
    known = costs.get(chain)
    if known is not None:
        return known.refund
    return services.catalogue.chains[chain].transfer_cost_micro_usd
