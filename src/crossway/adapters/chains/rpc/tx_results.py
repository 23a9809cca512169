"""Results of included transactions, and why Crossway's contracts revert, in the same words on every
chain."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from crossway.adapters.chains.rpc.block_scan import BlockHeader
from crossway.ports.chain import ALREADY_DONE, NOTHING_TO_MOVE, IncludedTx, TokenTransfer


@dataclass(frozen=True, slots=True)
class RevertReason:
    """A contract's error as a message; `permanent` when the same call can never succeed."""

    message: str
    permanent: bool


REVERT_REASONS: Final[Mapping[str, RevertReason]] = {
    "ALREADY_STARTED": RevertReason(ALREADY_DONE, True),
    "ALREADY_FILLED": RevertReason(ALREADY_DONE, True),
    "ALREADY_SETTLED": RevertReason(ALREADY_DONE, True),
    "NOTHING_TO_TRANSFER": RevertReason(NOTHING_TO_MOVE, False),
    "EXPIRED": RevertReason("the time in which it could be started is over", True),
    "TOO_EARLY": RevertReason("it is too early for this", False),
    "INSUFFICIENT_DEPOSIT": RevertReason("the deposit address holds less than the total", False),
    "NOT_STARTED": RevertReason("the deposit was not collected", False),
    "TRANSFER_FAILED": RevertReason("the receiver or the token refuses this transfer", True),
    "RECEIVED_LESS": RevertReason("the token keeps a part of what is sent", True),
    "INVALID_TERMS": RevertReason("the contract does not accept the terms", True),
    "NOT_AUTHORIZED": RevertReason("this account may not do this", True),
    "WRONG_CHAIN": RevertReason("the terms name another chain", True),
    "WRONG_VALUE": RevertReason("another value was sent along", True),
    "EXCEEDS_AVAILABLE": RevertReason("more was to be paid out than was collected", True),
    "BALANCE_UNKNOWN": RevertReason("the token does not say what is held", False),
}
"""Errors that the contracts of several families share, by name in upper snake case."""

UNKNOWN_REVERT = RevertReason("the transaction reverted", False)


class TxReceipt(Protocol):
    """What every family's receipt has."""

    @property
    def height(self) -> int:
        """The height of its block."""
        ...

    @property
    def block_hash(self) -> str:
        """The hash of its block."""
        ...

    @property
    def fee_units(self) -> int:
        """The transaction's cost in base units of the native coin."""
        ...


def build_included_tx(
    receipt: TxReceipt,
    block: BlockHeader,
    reason: RevertReason | None,
    transfers: tuple[TokenTransfer, ...],
) -> IncludedTx | None:
    """The result of a transaction; `reason` is None where it succeeded. None where the block at the
    receipt's height is another one by now."""
    if block.hash != receipt.block_hash:
        return None
    height, fee = receipt.height, receipt.fee_units
    if reason is None:
        return IncludedTx(height, block.hash, block.time, transfers, fee)
    message, permanent = reason.message, reason.permanent
    return IncludedTx(height, block.hash, block.time, (), fee, message, permanent)
