"""What an account and the contracts did on an EVM chain, whoever signed it."""

from collections.abc import Mapping, Sequence
from typing import Any

from crossway.adapters.chains.evm.abi import TOKENS_MOVED, decode
from crossway.adapters.chains.evm.calldata import call_request, executed_call, spent_call
from crossway.adapters.chains.evm.chain_context import (
    ChainContext,
    full_block_request,
    transaction_request,
)
from crossway.adapters.chains.evm.logs import address_topic, fetch_events
from crossway.adapters.chains.evm.rpc_schemas import (
    parse_address,
    parse_data,
    parse_hash,
    parse_quantity,
)
from crossway.adapters.chains.evm.tx_results import read_included
from crossway.adapters.chains.rpc.client import RpcRequest
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_schemas import as_list, as_object
from crossway.adapters.chains.rpc.tx_history import ContractTxHistory
from crossway.ports.chain import ChainHead

# So many of the newest blocks are read in full; older transactions are found by our events.
MAX_FULL_BLOCKS, _BLOCKS_PER_BATCH = 600, 20
_EVENT_BLOCKS = 200_000


class EvmTxHistory(ContractTxHistory[ChainContext]):
    """Finds transactions in the newest blocks, and older ones in our contracts' events."""

    markers_per_call = 500

    def _executed_request(self, contract: str, intent_hashes: Sequence[str]) -> RpcRequest:
        if contract == self._context.deployment.escrow2:
            return call_request(spent_call(contract, intent_hashes))
        return call_request(executed_call(contract, intent_hashes))

    def _parse_executed(self, result: Any, count: int) -> list[int] | None:
        what = "executed markers"
        # Those of the second escrow are more than true and false.
        (executed,) = decode(["uint8[]"], parse_data(result, what), what)
        return list(executed) if len(executed) == count else None

    def _find_nonces(
        self, session: RpcSession, head: ChainHead, account: str, from_nonce: int
    ) -> dict[str, int]:
        count = session.call(RpcRequest("eth_getTransactionCount", (account, "latest")))[0]
        if parse_quantity(count, "a nonce") <= from_nonce:
            return {}
        nonces = _from_newest_blocks(session, head, account, from_nonce)
        if from_nonce not in nonces.values():
            nonces = _from_events(self._context, session, head, account, from_nonce) | nonces
        return nonces

    def _read_included(self, session: RpcSession, tx_ids: list[str]) -> Mapping[str, object]:
        return read_included(self._context, session, tx_ids)


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
    # What makes several calls of ours is their caller.
    batch = context.deployment.call_batch
    callers = [address_topic(caller) for caller in (account, batch) if caller]
    log_filter = {
        "address": list(context.deployment.contracts),
        "topics": [TOKENS_MOVED.topic, None, callers],
    }
    lowest = max(head.height - _EVENT_BLOCKS, 0)
    logs = fetch_events(session, context.limits, log_filter, lowest, head.height)
    tx_ids = sorted({log.tx_hash for log in logs})
    results = session.call(*(transaction_request(tx_id) for tx_id in tx_ids))
    return _account_nonces([r for r in results if r is not None], account, from_nonce)
