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
from crossway.usecases.payments.claims import BUDGET_USED_UP, BY_HAND, DAILY_LIMIT, TOO_DEAR
from crossway.usecases.payments.dust import value_in_micro_usd, value_now
from crossway.usecases.payments.return_budgets import load_budget, return_cost

_DAY = timedelta(days=1)
_RETRY = timedelta(minutes=10)


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
        # By chain, the cost of the returns of this batch that wait for the budget.
        self._queued: dict[str, int] = {}

    def wait_for_next_day(self, tx: OutboundTx) -> Decision | None:
        """The decision to wait where the address has had its returns of a day."""
        now, most = self._services.clock.now(), self._services.policy.returns_per_day
        if self._counts is None:
            self._counts = self._unit.outbound_txs.count_returns(list(self._intents), now - _DAY)
        count, first = self._counts.get(tx.intent_id, (0, now))
        if count < most or tx.reason == BY_HAND:
            return None
        return Decision(wait_reason=DAILY_LIMIT.format(count), wait_until=first + _DAY)

    def wait_for_budget(
        self, tx: OutboundTx, intent: Intent | None, amount: int
    ) -> Decision | None:
        """The decision to wait where returning this amount costs more than it is worth now, or
        than is left of the chain's budget. What came to a standing address has no payment."""
        if tx.reason == BY_HAND:
            return None
        services, place = self._services, (tx.token, tx.chain, amount)
        now, cost = services.clock.now(), self._cost(tx.chain)
        if intent is None:
            value = value_now(services, *place)
        else:
            value = value_in_micro_usd(services, intent, *place)
        if value is not None and value < cost:
            return Decision(wait_reason=TOO_DEAR, wait_until=now + _RETRY)
        per_day = self._services.policy.return_allowance_micro_usd
        if self._budget(tx.chain).micro_usd >= cost:
            return None
        # Each waits until those before it are paid for, so that not all of them come back at once.
        queued = self._queued[tx.chain] = self._queued.get(tx.chain, 0) + cost
        left = self._budget(tx.chain).time_until(queued, per_day)
        goes_on = "as it refills" if per_day else "once it is raised"
        return Decision(
            wait_reason=BUDGET_USED_UP.format(chain_name(self._services, tx.chain), goes_on),
            wait_until=now + (_RETRY if left is None else min(left, _RETRY)),
            alert_key=f"returns:{tx.chain}",
        )

    def spend(self, tx: OutboundTx) -> None:
        """Take the cost of a return from its chain's budget, unless somebody asked for it."""
        if tx.reason == BY_HAND:
            return
        chain = tx.chain
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
