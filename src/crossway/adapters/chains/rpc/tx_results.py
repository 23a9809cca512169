"""Results of included transactions, and why Crossway's contracts revert, in the same words on every
chain."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Protocol

from crossway.adapters.chains.rpc.block_scan import BlockHeader
from crossway.ports.chain import (
    ALREADY_DONE,
    DONE_BY_OTHERS,
    NOTHING_TO_MOVE,
    IncludedTx,
    TokenTransfer,
)


@dataclass(frozen=True, slots=True)
class RevertReason:
    """A contract's error as a message; `permanent` when the same call can never succeed."""

    message: str
    permanent: bool


REVERT_REASONS: Final[Mapping[str, RevertReason]] = {
    "ALREADY_STARTED": RevertReason(ALREADY_DONE, True),
    "ALREADY_FILLED": RevertReason(ALREADY_DONE, True),
    "ALREADY_SETTLED": RevertReason(ALREADY_DONE, True),
    "ALREADY_LEFT": RevertReason(ALREADY_DONE, True),
    "ALREADY_RECLAIMED": RevertReason(DONE_BY_OTHERS, False),
    "ALREADY_SENT": RevertReason(DONE_BY_OTHERS, False),
    "ALREADY_DELIVERED": RevertReason(DONE_BY_OTHERS, False),
    "ALREADY_GIVEN_BACK": RevertReason("the bridge's contract has given the deposit back", True),
    "NOTHING_TO_TRANSFER": RevertReason(NOTHING_TO_MOVE, False),
    "EXPIRED": RevertReason("the time in which it could be started is over", True),
    "TOO_EARLY": RevertReason("it is too early for this", False),
    "INSUFFICIENT_DEPOSIT": RevertReason("the deposit address holds less than the total", False),
    "INSUFFICIENT_BALANCE": RevertReason("the standing address holds less than this", False),
    "AMOUNT_TOO_LOW": RevertReason("the recipient would get less than was committed to", True),
    "NOT_STARTED": RevertReason("the deposit was not collected", False),
    "TRANSFER_FAILED": RevertReason("the receiver or the token refuses this transfer", True),
    "RECEIVED_LESS": RevertReason("the token keeps a part of what is sent", True),
    "INVALID_TERMS": RevertReason("the contract does not accept the terms", True),
    "NOT_AUTHORIZED": RevertReason("this account may not do this", True),
    "NOT_A_PAYEE": RevertReason("the coordinator does not let its agents pay this account", False),
    "WRONG_CHAIN": RevertReason("the terms name another chain", True),
    "WRONG_VALUE": RevertReason("another value was sent along", True),
    "EXCEEDS_AVAILABLE": RevertReason("more was to be paid out than was collected", True),
    "INVALID_MESSAGE": RevertReason("the message is not one of the bridge's contract", True),
    "UNKNOWN_CHAIN": RevertReason("the bridge does not reach this chain", True),
    "BRIDGE_FAILED": RevertReason("the bridge did not take the deposit", False),
    "TOO_DEAR": RevertReason("the exchange asks for more of the token than was deposited", False),
    "SWAP_FAILED": RevertReason("the exchange did not give what was to be sent", False),
    "NO_POOL": RevertReason("the exchange does not have a pool of the path", False),
    "NO_SWAPS": RevertReason("the contract knows no exchange on this chain", True),
    "INVALID_PATH": RevertReason("the path does not lead from the token to what is sent", False),
    "NOT_PARKED": RevertReason(DONE_BY_OTHERS, False),
    "ALREADY_PAID": RevertReason(
        "somebody has paid the recipient, and `release` repays them", False
    ),
    "DEPOSITS_ARE_PAUSED": RevertReason("its pool takes no deposits at present", False),
    "INVALID_QUOTE_TIMESTAMP": RevertReason(
        "its pool does not accept the time of the deposit", False
    ),
    "INVALID_FILL_DEADLINE": RevertReason("its pool does not accept the deadline", False),
    "INVALID_EXCLUSIVE_RELAYER": RevertReason("its pool asks for an exclusive relayer", False),
    "DISABLED_ROUTE": RevertReason("its pool does not carry this token there", False),
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
    included = IncludedTx(
        receipt.height,
        block.hash,
        block.time,
        transfers,
        receipt.fee_units,
    )
    if reason is None:
        return included
    message, permanent = reason.message, reason.permanent
    return replace(included, transfers=(), reason=message, permanent=permanent)
