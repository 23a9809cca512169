"""What an account and the contracts did on an EVM chain, whoever signed it."""

from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

from crossway.adapters.chains.evm.calldata import call_request, executed_call
from crossway.adapters.chains.evm.chain_context import (
    ChainContext,
    full_block_request,
    transaction_request,
)
from crossway.adapters.chains.evm.logs import address_topic, fetch_events
from crossway.adapters.chains.evm.native_deposits import TOKENS_MOVED
from crossway.adapters.chains.evm.rpc_schemas import (
    parse_address,
    parse_data,
    parse_hash,
    parse_quantity,
)
from crossway.adapters.chains.evm.tx_results import read_included
from crossway.adapters.chains.intent_hash import WORD
from crossway.adapters.chains.rpc import quorum_reads
from crossway.adapters.chains.rpc.client import RpcRequest
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.quorum_reads import group_markers, marker_intent_hash
from crossway.adapters.chains.rpc.rpc_schemas import MalformedResponse, as_list, as_object
from crossway.ports.chain import AccountTx, ChainHead

# So many of the newest blocks are read in full; older transactions are found by our events.
MAX_FULL_BLOCKS, _BLOCKS_PER_BATCH = 600, 20
_EVENT_BLOCKS = 200_000
_MARKERS_PER_CALL = 500


def executed_markers(context: ChainContext, markers: Collection[str]) -> set[str]:
    """The markers that a contract has executed, according to every node of the quorum."""
    return quorum_reads.executed_markers(context.pool, markers, partial(_read_executed, context))


def _read_executed(context: ChainContext, session: RpcSession, markers: Sequence[str]) -> set[str]:
    at = context.deployment
    contracts = {"start": at.factory, "fill": at.filler, "settle": at.escrow}
    groups = group_markers(contracts, markers, _MARKERS_PER_CALL)
    calls = [executed_call(to, [marker_intent_hash(m) for m in part]) for to, part in groups]
    results = session.call(*(call_request(call) for call in calls))
    executed: set[str] = set()
    for (_, part), result in zip(groups, results, strict=True):
        words = parse_data(result, "executed markers")
        if len(words) != (len(part) + 2) * WORD:
            raise MalformedResponse("the contracts are not deployed where expected")
        flags = [words[(n + 3) * WORD - 1] for n in range(len(part))]
        executed |= {marker for marker, flag in zip(part, flags, strict=True) if flag}
    return executed


def transactions_from(
    context: ChainContext, head: ChainHead, account: str, from_nonce: int
) -> Sequence[AccountTx]:
    """The included transactions of an account from a nonce on, oldest first: all in the newest
    blocks, and of older ones those in our contracts' events."""

    def read(session: RpcSession) -> list[AccountTx]:
        count = session.call(RpcRequest("eth_getTransactionCount", (account, "latest")))[0]
        if parse_quantity(count, "a nonce") <= from_nonce:
            return []
        nonces = _from_newest_blocks(session, head, account, from_nonce)
        if from_nonce not in nonces.values():
            nonces = _from_events(context, session, head, account, from_nonce) | nonces
        included = read_included(context, session, list(nonces))
        transactions = [
            AccountTx(tx_id, nonces[tx_id], result)
            for tx_id, result in included.items()
            if result is not None
        ]
        return sorted(transactions, key=lambda transaction: transaction.nonce)

    return context.pool.first(read)


def _from_newest_blocks(
    session: RpcSession, head: ChainHead, account: str, from_nonce: int
) -> dict[str, int]:
    """Nonces by transaction, newest block first, down to the block that has `from_nonce`."""
    nonces: dict[str, int] = {}
    lowest = max(head.height - MAX_FULL_BLOCKS, 0)
    for top in range(head.height, lowest, -_BLOCKS_PER_BATCH):
        heights = range(top, max(top - _BLOCKS_PER_BATCH, lowest), -1)
        for result in session.call(*(full_block_request(height) for height in heights)):
            listed = as_list(as_object(result, "a block").get("transactions"), "transactions")
            nonces |= _account_nonces(listed, account, from_nonce)
        if from_nonce in nonces.values():
            break
    return nonces


def _account_nonces(transactions: Sequence[Any], account: str, from_nonce: int) -> dict[str, int]:
    nonces = {}
    for value in transactions:
        transaction = as_object(value, "a transaction")
        if parse_address(transaction.get("from")) == account:
            nonce = parse_quantity(transaction.get("nonce"), "a nonce")
            if nonce >= from_nonce:
                nonces[parse_hash(transaction.get("hash"))] = nonce
    return nonces


def _from_events(
    context: ChainContext, session: RpcSession, head: ChainHead, account: str, from_nonce: int
) -> dict[str, int]:
    """Nonces by transaction, of those in the events of our contracts."""
    at = context.deployment
    log_filter = {
        "address": [at.factory, at.escrow, at.filler],
        "topics": [TOKENS_MOVED, None, address_topic(account)],
    }
    lowest = max(head.height - _EVENT_BLOCKS, 0)
    logs = fetch_events(session, context.limits, log_filter, lowest, head.height)
    tx_ids = sorted({log.tx_hash for log in logs})
    results = session.call(*(transaction_request(tx_id) for tx_id in tx_ids))
    return _account_nonces([r for r in results if r is not None], account, from_nonce)
