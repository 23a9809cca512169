"""Native payments in full blocks: transactions that send the native coin directly."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from crossway.adapters.chains.evm.chain_context import (
    ChainContext,
    full_block_request,
    receipt_request,
)
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
from crossway.domain.deposits import IncomingTransfer

TRANSACTION_INDEX = 1 << 29
"""The index of a direct payment, above that of any log in a block."""

# Without old balances, after a pause, at most so many of the newest blocks are read in full.
MAX_FULL_BLOCKS, _BLOCKS_PER_BATCH = 1_000, 20


def read_payments(
    context: ChainContext, session: RpcSession, addresses: Sequence[str], low: int, high: int
) -> list[IncomingTransfer]:
    """The transactions above `low` up to `high` that pay these addresses directly. Their hashes
    make them unique, so that none is credited twice."""
    transfers: list[IncomingTransfer] = []
    watched = set(addresses)
    heights = range(max(low, high - MAX_FULL_BLOCKS) + 1, high + 1) if watched else range(0)
    for start in range(0, len(heights), _BLOCKS_PER_BATCH):
        part = heights[start : start + _BLOCKS_PER_BATCH]
        results = session.call(*(full_block_request(height) for height in part))
        for height, result in zip(part, results, strict=True):
            block = parse_block(result, height)
            payments = [payment for payment in parse_payments(result) if payment.to in watched]
            transfers += filter_successful(context, session, block, payments)
    return transfers


@dataclass(frozen=True, slots=True)
class NativePayment:
    """A native payment; `amount` in base units."""

    tx_hash: str
    sender: str
    to: str
    amount: int


def parse_payments(block: Any) -> Iterator[NativePayment]:
    """The transactions of a block that send a value."""
    for value in as_list(as_object(block, "a block").get("transactions"), "transactions"):
        transaction = as_object(value, "a transaction")
        to, amount = transaction.get("to"), parse_quantity(transaction.get("value"), "a value")
        if to and amount:
            sender, tx_hash = parse_address(transaction.get("from")), transaction.get("hash")
            yield NativePayment(parse_hash(tx_hash), sender, parse_address(to), amount)


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
