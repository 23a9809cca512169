"""Native payments in full blocks: transactions that send the native coin directly."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from crossway.adapters.chains.evm.chain_context import (
    ChainContext,
    full_block_request,
    receipt_request,
)
from crossway.adapters.chains.evm.log_hits import FindWatched
from crossway.adapters.chains.evm.rpc_schemas import (
    Block,
    parse_address,
    parse_block,
    parse_hash,
    parse_quantity,
    parse_receipt,
)
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_schemas import as_list, as_object
from crossway.domain.deposits import IncomingTransfer, address_key

TRANSACTION_INDEX = 1 << 29
"""The index of a direct payment, above that of any log in a block."""

# Without old balances, after a pause, at most so many of the newest blocks are read in full.
MAX_FULL_BLOCKS, BLOCKS_PER_BATCH = 1_000, 20


def read_payments(
    context: ChainContext, session: RpcSession, addresses: Sequence[str], low: int, high: int
) -> list[IncomingTransfer]:
    """The transactions above `low` up to `high` that pay these addresses directly. Their hashes
    make them unique, so that none is credited twice."""
    transfers: list[IncomingTransfer] = []
    watched = {address_key(address) for address in addresses}
    heights = range(max(low, high - MAX_FULL_BLOCKS) + 1, high + 1) if watched else range(0)
    for start in range(0, len(heights), BLOCKS_PER_BATCH):
        part = heights[start : start + BLOCKS_PER_BATCH]
        results = session.call(*(full_block_request(height) for height in part))
        for height, result in zip(part, results, strict=True):
            transfers += payments_in(context, session, height, result, watched.intersection)
    return transfers


def payments_in(
    context: ChainContext, session: RpcSession, height: int, result: Any, find_watched: FindWatched
) -> list[IncomingTransfer]:
    """The transactions of a full block that pay watched addresses directly. Raises `Unreachable`,
    also where the block is not the one of this height."""
    block, payments = parse_block(result, height), parse_payments(result, find_watched)
    return filter_successful(context, session, block, payments)


@dataclass(frozen=True, slots=True)
class NativePayment:
    """A native payment; `amount` in base units."""

    tx_hash: str
    sender: str
    to: str
    amount: int


def parse_payments(block: Any, find_watched: FindWatched) -> list[NativePayment]:
    """The transactions of a block that send a value to watched addresses."""
    transactions = [
        as_object(value, "a transaction")
        for value in as_list(as_object(block, "a block").get("transactions"), "transactions")
    ]
    # Checksums of all payees would take longer than reading the block.
    keys = [address_key(str(transaction.get("to") or "")) for transaction in transactions]
    watched = find_watched(set(keys))
    payments = []
    for key, transaction in zip(keys, transactions, strict=True):
        if key in watched and (amount := parse_quantity(transaction.get("value"), "a value")):
            sender, to = parse_address(transaction.get("from")), parse_address(transaction["to"])
            tx_hash = parse_hash(transaction.get("hash"))
            payments.append(NativePayment(tx_hash, sender, to, amount))
    return payments


def filter_successful(
    context: ChainContext, session: RpcSession, block: Block, payments: Sequence[NativePayment]
) -> list[IncomingTransfer]:
    """The payments that did not revert."""
    results = session.call(*(receipt_request(payment.tx_hash) for payment in payments))
    transfers = []
    for payment, result in zip(payments, results, strict=True):
        receipt = parse_receipt(result, payment.tx_hash)
        if receipt is not None and receipt.succeeded:
            transfers.append(to_transfer(context, block, payment, TRANSACTION_INDEX))
    return transfers


def to_transfer(
    context: ChainContext, block: Block, payment: NativePayment, index: int
) -> IncomingTransfer:
    return IncomingTransfer(
        chain=context.chain.id,
        tx_hash=payment.tx_hash,
        index=index,
        block_height=block.height,
        block_hash=block.hash,
        token=context.native_token,
        sender=payment.sender,
        to=payment.to,
        amount=payment.amount,
        at=block.time,
    )
