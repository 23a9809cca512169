"""Decides on due transactions that belong to no payment."""

from crossway.domain.outbound import STANDING_KINDS, OutboundTx, OutboundTxKind
from crossway.engine.inventory_planner import FundingPlanner
from crossway.engine.nonce_skips import NonceSkips
from crossway.engine.outbound_decision import Decision
from crossway.engine.standing_planner import StandingPlanner


def decide_without_payment(
    tx: OutboundTx, skips: NonceSkips, standing: StandingPlanner, funding: FundingPlanner
) -> Decision:
    """The decision on a transaction that belongs to no payment, by its kind."""
    if tx.kind is OutboundTxKind.SKIP_NONCE:
        return skips.decide(tx)
    return standing.decide(tx) if tx.kind in STANDING_KINDS else funding.decide(tx, None)
