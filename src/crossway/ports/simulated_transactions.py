"""What the simulated chains have of a transaction and of an address, for a person who looks."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from crossway.ports.chain import TokenTransfer


class TxPlace(StrEnum):
    """Where a transaction is: in a block, waiting for one, or dropped by the nodes."""

    INCLUDED = "included"
    WAITING = "waiting"
    DROPPED = "dropped"


class TxSender(StrEnum):
    """Whose transaction it is: of the operator's account, of a third party that used its nonce, of
    a payer, of anybody, or none, as the simulator set balances."""

    OPERATOR = "operator"
    OUTSIDER = "outsider"
    PAYER = "payer"
    STRANGER = "stranger"
    SIMULATOR = "simulator"


@dataclass(frozen=True, slots=True)
class SimulatedTransaction:
    """A transaction of a simulated chain as its blocks have it now.

    `tip` and `finalized` are the chain's newest and newest final height. A transaction that is in
    no block has no height, block hash, time, transfers or fee. `reason` is why it reverted, empty
    for success. `account` and `nonce` are of the operator's transactions only.
    A bridge's burn has no receiver, its mint no sender.
    """

    chain: str
    tx_hash: str
    place: TxPlace
    tip: int
    finalized: int
    sender: TxSender
    account: str = ""
    nonce: int | None = None
    height: int | None = None
    block_hash: str = ""
    at: datetime | None = None
    reason: str = ""
    fee_units: int | None = None
    transfers: Sequence[TokenTransfer] = ()

    @property
    def confirmations(self) -> int:
        """How many blocks there are from its own on; 0 while it is in none."""
        return 0 if self.height is None else max(0, self.tip - self.height + 1)

    @property
    def is_final(self) -> bool:
        """Whether no reorganization replaces its block any more."""
        return self.height is not None and self.height <= self.finalized
