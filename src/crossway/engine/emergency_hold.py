"""Holds what the planner would sign while all outgoing money is stopped."""

from crossway.domain.outbound import OutboundTx
from crossway.engine.outbound_decision import Decision
from crossway.ports.store import UnitOfWork
from crossway.usecases.money.emergency_stop import (
    describe_hold,
    find_stop_before_signing,
    is_held,
)


class EmergencyHold:
    """The emergency stop as of one unit of work, which it cannot be pressed in the middle of."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._stop = find_stop_before_signing(unit)

    def apply(self, tx: OutboundTx, decision: Decision) -> Decision:
        """The decision, or to wait instead of signing. A payout that waits beyond its deadline is
        given up as any other, and its refund is sent after the release."""
        if self._stop is None or not decision.sign or not is_held(tx.kind):
            return decision
        return Decision(wait_reason=describe_hold(self._stop), ends_in_time=True)
