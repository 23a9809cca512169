"""The relayer's inventory while transactions are planned: what there is, and what is not promised
to payments that were started, and does not leave by what is signed."""

from collections.abc import Mapping

from crossway.domain.intent import Intent
from crossway.engine.inventory_snapshot import Location
from crossway.ports.store import UnitOfWork
from crossway.usecases.money.leaving_inventory import Spent, sum_sending, sum_spent_since


class AvailableInventory:
    """The balances at destinations, by (chain, token), less what was planned before. `spent` was
    read before the balances."""

    def __init__(
        self,
        unit: UnitOfWork,
        balances: Mapping[Location, int],
        spent: Mapping[Location, Spent],
    ) -> None:
        self._unit, self._balances, self._spent = unit, dict(balances), spent
        self._uncommitted: dict[Location, int] = {}

    def balance(self, intent: Intent) -> int:
        """What there is to pay an intent with; 0 where that was not read."""
        return self._balances.get(_location(intent), 0)

    def uncommitted(self, intent: Intent) -> int:
        """The part of it that is not committed to other intents, and not about to leave."""
        location = _location(intent)
        if location not in self._uncommitted:
            self._unit.leases.lock(f"inventory:{location[0]}")
            committed = self._unit.intents.sum_committed_payouts(*location)
            taken = committed + sum_sending(self._unit, *location)
            taken += sum_spent_since(self._unit, *location, self._spent[location])
            self._uncommitted[location] = self._balances[location] - taken
        return self._uncommitted[location]

    def commit(self, intent: Intent) -> None:
        """An intent is started on what is uncommitted."""
        self._uncommitted[_location(intent)] -= intent.terms.payout_amount

    def pay(self, intent: Intent, was_committed: bool) -> None:
        """An intent is paid, which had been started on it or not."""
        self._balances[_location(intent)] -= intent.terms.payout_amount
        if not was_committed:
            self.commit(intent)


def _location(intent: Intent) -> Location:
    return intent.terms.destination_chain, intent.terms.token_out
