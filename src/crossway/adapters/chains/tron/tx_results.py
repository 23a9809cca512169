"""Results of included Tron transactions: transfers and burnt TRX, or why they failed."""

from collections import Counter, OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any

from crossway.adapters.chains.evm.abi import FILL
from crossway.adapters.chains.evm.chain_context import ChainContext, read_blocks
from crossway.adapters.chains.evm.rpc_schemas import Receipt
from crossway.adapters.chains.evm.tx_results import (
    INVENTORY_SHORT,
    TRANSFER_FAILED,
    decode_revert,
    inventory_short,
    read_receipts,
    token_transfers,
)
from crossway.adapters.chains.rpc.client import RpcRequest
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_schemas import as_count, as_list, as_object
from crossway.adapters.chains.rpc.tx_results import UNKNOWN_REVERT, RevertReason, build_included_tx
from crossway.adapters.chains.tron.address_format import add_0x, strip_0x, to_base58
from crossway.adapters.chains.tron.blocks import parse_transaction
from crossway.adapters.chains.tron.transactions import ParsedTx
from crossway.ports.chain import IncludedTx, TokenTransfer, TxPending, TxUnknown

# With so many transactions in a block, the infos of the whole block are requested at once.
_MAX_CACHED_COSTS, _WHOLE_BLOCK_THRESHOLD = 4_096, 3
_BLOCK_INFOS = "/wallet/gettransactioninfobyblocknum"
_TRANSACTION_INFO = "/wallet/gettransactioninfobyid"
_RESOURCE_FAILURES = {
    "OUT_OF_ENERGY": RevertReason("the transaction ran out of energy", False),
    "OUT_OF_TIME": RevertReason("the transaction exceeded the chain's time limit", False),
}


@dataclass(frozen=True, slots=True)
class TxCost:
    """The sun that a transaction burnt, and why it failed; None where it succeeded."""

    fee_units: int
    revert_reason: RevertReason | None


class TxResults:
    """Reads receipts in batches, and caches what each transaction cost."""

    def __init__(self, context: ChainContext) -> None:
        self._context, self._lock = context, Lock()
        self._costs: OrderedDict[tuple[str, str], TxCost] = OrderedDict()

    def read_included(
        self, session: RpcSession, tx_ids: list[str]
    ) -> dict[str, IncludedTx | TxPending | TxUnknown]:
        """The results of those that have a receipt: `TxPending` where its block was replaced, and
        `TxUnknown` where the node does not know its cost yet."""
        receipts = read_receipts(session, [add_0x(tx_id) for tx_id in tx_ids])
        if not receipts:
            return {}
        blocks = read_blocks(session, {receipt.height for receipt in receipts.values()})
        infos = self._read_infos(session, list(receipts.values()))
        results: dict[str, IncludedTx | TxPending | TxUnknown] = {}
        for tx_hash, receipt in receipts.items():
            tx_id, block = strip_0x(tx_hash), blocks[receipt.height]
            cost = self._cost(session, receipt, infos)
            if block.hash != receipt.block_hash:
                results[tx_id] = TxPending()
            elif cost is None:
                results[tx_id] = TxUnknown()
            else:
                charged = replace(receipt, fee_units=cost.fee_units)
                transfers = self._transfers(receipt)
                included = build_included_tx(charged, block, cost.revert_reason, transfers)
                results[tx_id] = included or TxPending()
        return results

    def _transfers(self, receipt: Receipt) -> tuple[TokenTransfer, ...]:
        if not receipt.succeeded:
            return ()
        return tuple(_in_base58(t) for t in token_transfers(self._context, receipt))

    def _read_infos(
        self, session: RpcSession, receipts: list[Receipt]
    ) -> dict[str, Mapping[str, Any]]:
        """The transaction infos of those without a cached cost, by id. One that the node does not
        have yet, as another machine behind the same address, is left out."""
        with self._lock:
            new = [r for r in receipts if (r.tx_hash, r.block_hash) not in self._costs]
        counts = Counter(receipt.height for receipt in new)
        heights = [h for h, count in counts.items() if count >= _WHOLE_BLOCK_THRESHOLD]
        single = [strip_0x(receipt.tx_hash) for receipt in new if receipt.height not in heights]
        requests = [RpcRequest(_BLOCK_INFOS, ({"num": height},)) for height in heights]
        requests += [_info_request(tx_id) for tx_id in single]
        results = session.call(*requests)
        listed = [i for r in results[: len(heights)] for i in as_list(r, "transaction infos")]
        infos = [as_object(i, "a transaction info") for i in [*listed, *results[len(heights) :]]]
        return {str(info.get("id")): info for info in infos if info}

    def _cost(
        self, session: RpcSession, receipt: Receipt, infos: Mapping[str, Mapping[str, Any]]
    ) -> TxCost | None:
        key, info = (receipt.tx_hash, receipt.block_hash), infos.get(strip_0x(receipt.tx_hash), {})
        with self._lock:
            cost = self._costs.get(key)
        if cost is not None or not info or info.get("blockNumber") != receipt.height:
            return cost
        fee = as_count(info.get("fee", 0), "a fee")
        cost = TxCost(fee, None if receipt.succeeded else self._reason(session, receipt, info))
        with self._lock:
            self._costs[key] = cost
            while len(self._costs) > _MAX_CACHED_COSTS:
                self._costs.popitem(last=False)
        return cost

    def _reason(
        self, session: RpcSession, receipt: Receipt, info: Mapping[str, Any]
    ) -> RevertReason:
        result = as_object(info.get("receipt", {}), "a receipt").get("result")
        if result in _RESOURCE_FAILURES:
            return _RESOURCE_FAILURES[str(result)]
        returned = as_list(info.get("contractResult", []), "a result")
        try:
            data = bytes.fromhex(str(returned[0])) if returned else b""
        except ValueError:
            return UNKNOWN_REVERT
        reason = decode_revert(data) if returned else UNKNOWN_REVERT
        if reason == TRANSFER_FAILED and self._inventory_short(session, receipt):
            return INVENTORY_SHORT
        return reason

    def _inventory_short(self, session: RpcSession, receipt: Receipt) -> bool:
        transaction = read_transaction(session, strip_0x(receipt.tx_hash))
        if transaction is None or transaction.data[:4] != FILL.selector:
            return False
        call = {"from": receipt.sender, "to": receipt.to, "data": "0x" + transaction.data.hex()}
        return inventory_short(session, call)


def _info_request(tx_id: str) -> RpcRequest:
    return RpcRequest(_TRANSACTION_INFO, ({"value": tx_id},))


def read_info(session: RpcSession, tx_id: str) -> Mapping[str, Any]:
    """The transaction info of an included transaction; empty where the node has none."""
    return as_object(session.call(_info_request(tx_id))[0], "a transaction info")


def read_transaction(session: RpcSession, tx_id: str) -> ParsedTx | None:
    """An included transaction, parsed from its own bytes; None where the node does not have it."""
    request = RpcRequest("/wallet/gettransactionbyid", ({"value": tx_id},))
    result = as_object(session.call(request)[0], "a transaction")
    return parse_transaction(result) if result else None


def _in_base58(transfer: TokenTransfer) -> TokenTransfer:
    def convert(address: str) -> str:
        return to_base58(address) if address.startswith("0x") else address

    source, to, token = transfer.source, transfer.to, transfer.token
    return TokenTransfer(convert(source), convert(to), convert(token), transfer.amount)
