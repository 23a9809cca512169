"""Turning a family's receipt into the port's `IncludedTx`."""

from typing import Protocol

from crossway.adapters.chains.rpc.block_scan import BlockHeader
from crossway.adapters.chains.rpc.revert_reasons import RevertReason
from crossway.ports.chain import IncludedTx, TokenTransfer


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
