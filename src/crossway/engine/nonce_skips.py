"""Decides on transactions that use a nonce which no other transaction has."""

from crossway.domain.outbound import OutboundTx
from crossway.engine.outbound_decision import SIGN, Decision
from crossway.engine.tx_builder import nonce_to_skip
from crossway.ports.store import UnitOfWork


class NonceSkips:
    """Decides in order; a nonce is skipped once, and only where no transaction uses it."""

    def __init__(self, unit: UnitOfWork, next_nonce: int) -> None:
        self._unit, self._next_nonce = unit, next_nonce
        self._used: set[int] | None = None

    def decide(self, tx: OutboundTx) -> Decision:
        """The decision on a due transaction that skips a nonce."""
        if self._used is None:
            pending = self._unit.account_nonces.list_pending(tx.chain)
            self._used = {pending_nonce.nonce for pending_nonce in pending}
        nonce = nonce_to_skip(tx)
        if nonce < self._next_nonce or nonce in self._used:
            return Decision(cancel_reason=f"Nonce {nonce} is used by another transaction.")
        self._used.add(nonce)
        return SIGN
