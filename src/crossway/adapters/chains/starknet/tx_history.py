"""What an account and the contracts did on a Starknet chain, whoever signed it."""

from collections.abc import Mapping, Sequence
from typing import Any

from crossway.adapters.chains.rpc.client import RpcRequest
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_schemas import MalformedResponse, as_list, as_object
from crossway.adapters.chains.rpc.tx_history import ContractTxHistory
from crossway.adapters.chains.starknet.calldata import block_id, call_request, executed_call
from crossway.adapters.chains.starknet.chain_context import ChainContext, nonce_request
from crossway.adapters.chains.starknet.felts import to_felt
from crossway.adapters.chains.starknet.rpc_schemas import (
    ACCEPTED_STATUSES,
    parse_felt,
    parse_felts,
    parse_hash,
)
from crossway.adapters.chains.starknet.tx_results import read_included
from crossway.ports.chain import ChainHead

# About three days: older transactions are final or expired.
MAX_BLOCKS = 60_000


class StarknetTxHistory(ContractTxHistory[ChainContext]):
    """Finds transactions in the blocks in which the account's nonce rose, by bisection."""

    markers_per_call = 200

    def _executed_request(self, contract: str, intent_hashes: Sequence[str]) -> RpcRequest:
        return call_request(executed_call(contract, intent_hashes))

    def _parse_executed(self, result: Any, count: int) -> Sequence[int] | None:
        length, *flags = parse_felts(result, "executed markers")
        return flags if length == len(flags) == count else None

    def _find_nonces(
        self, session: RpcSession, head: ChainHead, account: str, from_nonce: int
    ) -> dict[str, int]:
        result = session.call(nonce_request(account, head.height))[0]
        current = parse_felt(result, "a nonce")
        if current <= from_nonce:
            return {}
        low = max(head.height - MAX_BLOCKS, 0)
        nonces: dict[str, int] = {}
        for height in _bisect_nonces(session, account, from_nonce, low, head.height, current):
            nonces |= _account_nonces(session, height, account, from_nonce)
        return nonces

    def _read_included(self, session: RpcSession, tx_ids: list[str]) -> Mapping[str, object]:
        return read_included(self._context, session, tx_ids)


def _bisect_nonces(
    session: RpcSession, account: str, from_nonce: int, low: int, high: int, current: int
) -> list[int]:
    """The heights up to `high` of blocks in which nonces from `from_nonce` on were used. `current`
    is the next nonce after `high`."""
    ranges = [(low, from_nonce, high, current)]
    heights: list[int] = []
    while ranges:
        heights += [top for bottom, _, top, _ in ranges if top - bottom <= 1]
        wide = [r for r in ranges if r[2] - r[0] > 1]
        middles = [(bottom + top) // 2 for bottom, _, top, _ in wide]
        results = session.call(*(nonce_request(account, height) for height in middles))
        ranges = []
        for (bottom, before, top, after), middle, result in zip(
            wide, middles, results, strict=True
        ):
            nonce = max(parse_felt(result, "a nonce"), from_nonce)
            ranges += [(bottom, before, middle, nonce)] if nonce > before else []
            ranges += [(middle, nonce, top, after)] if after > nonce else []
    return sorted(heights)


def _account_nonces(
    session: RpcSession, height: int, account: str, from_nonce: int
) -> dict[str, int]:
    """Nonces by transaction, of one account in one block."""
    result = session.call(RpcRequest("starknet_getBlockWithTxs", (block_id(height),)))[0]
    block = as_object(result, "a block")
    if block.get("status") not in ACCEPTED_STATUSES:
        raise MalformedResponse("the node returned a block that is not accepted")
    nonces: dict[str, int] = {}
    for value in as_list(block.get("transactions"), "transactions"):
        nonce = _nonce_of(as_object(value, "a transaction"), account)
        if nonce is not None and nonce >= from_nonce:
            nonces[parse_hash(value.get("transaction_hash"), "a transaction's hash")] = nonce
    return nonces


def _nonce_of(transaction: Any, account: str) -> int | None:
    sender = transaction.get("sender_address")
    if sender is None or parse_felt(sender, "a sender") != to_felt(account):
        return None
    return parse_felt(transaction.get("nonce"), "a nonce")
