"""What limits the returns that cost the operator: their number, their value and a budget."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from crossway.domain.intent import Intent
from crossway.domain.network_costs import ChainCosts
from crossway.domain.outbound import OutboundTx
from crossway.domain.return_budget import ReturnBudget
from crossway.engine.outbound_decision import Decision
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.supported_chains import chain_name
from crossway.usecases.payments.dust import value_in_micro_usd
from crossway.usecases.payments.return_budgets import load_budget, return_cost

_DAY = timedelta(days=1)
_FEE_RETRY = timedelta(minutes=10)
_LONGEST_WAIT = timedelta(hours=1)
TOO_DEAR = (
    "Returning it costs more than it is worth at the network's fees now. It is tried again while "
    "fees change; anyone may return it on chain."
)
BUDGET_USED_UP = (
    "Refunds and returns on {} have used up what fees brought for them and their daily allowance. "
    "They go on as it refills; anyone may return the money on chain."
)


class ReturnLimits:
    """The limits for the transactions of one batch. Anybody can make us return money again and
    again, so none of it may cost more than it is worth, or without an end."""

    def __init__(
        self,
        unit: UnitOfWork,
        services: Services,
        costs: Mapping[str, ChainCosts],
        intents: Mapping[int, Intent],
    ) -> None:
        """`costs` are those of the chains that are known now."""
        self._unit, self._services, self._costs, self._intents = unit, services, costs, intents
        self._counts: dict[int, tuple[int, datetime]] | None = None
        self._budgets: dict[str, ReturnBudget] = {}
        self._changed: set[str] = set()

    def wait_for_next_day(self, tx: OutboundTx) -> Decision | None:
        """The decision to wait where the address has had its returns of a day."""
        now, most = self._services.clock.now(), self._services.policy.returns_per_day
        if self._counts is None:
            self._counts = self._unit.outbound_txs.count_returns(list(self._intents), now - _DAY)
        count, first = self._counts.get(tx.intent_id, (0, now))
        if count < most:
            return None
        reason = f"{count} returns were sent within a day; the next one follows a day after them."
        return Decision(wait_reason=reason, wait_until=first + _DAY)

    def wait_for_budget(self, tx: OutboundTx, intent: Intent, amount: int) -> Decision | None:
        """The decision to wait where returning this amount costs more than it is worth now, or
        than is left of the chain's budget."""
        now, cost = self._services.clock.now(), self._cost(tx.chain)
        value = value_in_micro_usd(self._services, intent, tx.token, tx.chain, amount)
        if value is not None and value < cost:
            return Decision(wait_reason=TOO_DEAR, wait_until=now + _FEE_RETRY)
        per_day = self._services.policy.return_allowance_micro_usd
        left = self._budget(tx.chain).time_until(cost, per_day)
        if left == timedelta():
            return None
        name = chain_name(self._services, tx.chain)
        return Decision(
            wait_reason=BUDGET_USED_UP.format(name),
            wait_until=now + min(left or _LONGEST_WAIT, _LONGEST_WAIT),
            alert_key=f"returns:{tx.chain}",
        )

    def spend(self, chain: str) -> None:
        """Take the cost of a return from the chain's budget."""
        self._budgets[chain] = self._budget(chain).spend(self._cost(chain))
        self._changed.add(chain)

    def earn(self, chain: str) -> None:
        """Add what a started payment's fee brings for returns to the chain's budget."""
        if chain in self._costs and (share := self._costs[chain].refund_share):
            self._budgets[chain] = self._budget(chain).earn(share)
            self._changed.add(chain)

    def save(self) -> None:
        """Store the budgets that changed."""
        for chain in sorted(self._changed):
            self._unit.treasury.save_return_budget(self._budgets[chain])

    def _budget(self, chain: str) -> ReturnBudget:
        if chain not in self._budgets:
            self._budgets[chain] = load_budget(self._unit, self._services, chain)
        return self._budgets[chain]

    def _cost(self, chain: str) -> int:
        return return_cost(self._services, chain, self._costs)
