"""Decides on transactions that use a nonce which no other transaction has."""

from collections.abc import Mapping

from crossway.domain.outbound import OutboundTx
from crossway.engine.outbound_decision import SIGN, Decision
from crossway.engine.tx_builder import nonce_to_skip
from crossway.ports.store import UnitOfWork


class NonceSkips:
    """Decides in order; a nonce is skipped once, and only where no transaction uses it."""

    def __init__(self, unit: UnitOfWork, next_nonces: Mapping[str, int]) -> None:
        """`next_nonces` are by account."""
        self._unit, self._next_nonces = unit, next_nonces
        self._used: set[tuple[str, int]] | None = None

    def decide(self, tx: OutboundTx) -> Decision:
        """The decision on a due transaction that skips a nonce."""
        if self._used is None:
            pending = self._unit.account_nonces.list_pending(tx.chain)
            self._used = {(one.account, one.nonce) for one in pending}
        account, nonce = tx.to_address, nonce_to_skip(tx)
        if account not in self._next_nonces:
            return Decision(cancel_reason=f"{account} is not an account of this service any more.")
        if nonce < self._next_nonces[account] or (account, nonce) in self._used:
            return Decision(cancel_reason=f"Nonce {nonce} is used by another transaction.")
        self._used.add((account, nonce))
        return SIGN
