"""The opening balances that the first reconciliation of a chain takes in by itself."""

from collections.abc import Collection
from typing import Final

from crossway.domain.errors import Conflict, Unreachable
from crossway.ports.records import Alert
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.money.inventory_adjustments import take_in_opening_balances
from crossway.usecases.money.reconciliation_findings import Reconciliation

ACTOR: Final = "the first reconciliation"
TAKEN_IN: Final = "taken_in"
"""The kind of the notice about them."""
_NEWEST_RUNS: Final = 50


def take_in_openings(services: Services, comparison: Reconciliation) -> None:
    """Book the opening balances that a run misses on chains which no run has compared before, and
    move them from those that are missing to those that were taken in."""
    missing = comparison.missing_opening_balances
    if not missing:
        return
    with services.store.read() as unit:
        compared = _compared_before(unit, {chain for chain, _, _ in missing})
    for chain in sorted(({key[0] for key in missing} & services.chains.keys()) - compared):
        try:
            booked = take_in_opening_balances(services, services.chains[chain], ACTOR)
        except (Conflict, Unreachable):
            continue  # What is missing stays so: a treasurer records it.
        for kind, token in booked:
            if amount := missing.pop((chain, kind, token), 0):
                comparison.taken_in[chain, kind, token] = amount


def _compared_before(unit: UnitOfWork, chains: Collection[str]) -> set[str]:
    """The chains that an earlier run has compared."""
    found = set[str]()
    for run in unit.treasury.list_reconciliations(_NEWEST_RUNS, None):
        if run.ended_at is not None and "error" not in run.result:
            # Earlier versions did not record which chains a run compared.
            found |= set(run.result.get("compared", chains))
    return found


def tell_taken_in(unit: UnitOfWork, services: Services, comparison: Reconciliation) -> None:
    """Raise the notice about what was taken in; it stays until somebody has looked at it."""
    count, now = len(comparison.taken_in), services.clock.now()
    if count:
        message = (
            f"{count} opening balance{' was' if count == 1 else 's were'} taken in from the chains "
            "by the first reconciliation: compare them with what you brought."
        )
        unit.alerts.raise_alert(Alert(TAKEN_IN, TAKEN_IN, "", message, now, now, None))
