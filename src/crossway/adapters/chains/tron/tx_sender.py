"""Signing, sending and following transactions on Tron, which expire instead of having a nonce."""

from collections.abc import Mapping, Sequence
from typing import Any

from crossway.adapters.chains.evm.calldata import encode_call
from crossway.adapters.chains.evm.chain_context import (
    ChainContext,
    EvmHeadTracker,
    block_request,
    receipt_request,
)
from crossway.adapters.chains.evm.rpc_schemas import parse_block
from crossway.adapters.chains.rpc.client import RpcError, RpcRequest
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_schemas import (
    MalformedResponse,
    as_count,
    as_list,
    as_object,
)
from crossway.adapters.chains.rpc.tx_sender import BoundedCache, RpcTxSender
from crossway.adapters.chains.tron import resources
from crossway.adapters.chains.tron.address_format import add_0x, to_base58
from crossway.adapters.chains.tron.blocks import block_header
from crossway.adapters.chains.tron.chain_params import TronParams
from crossway.adapters.chains.tron.resources import ResourcePrices
from crossway.adapters.chains.tron.sequence import SequenceTracker
from crossway.adapters.chains.tron.transactions import (
    RefBlock,
    encode_call_tx,
    parse_raw_transaction,
    sign_transaction,
    to_millis,
    unsigned_bytes,
    with_sequence_number,
)
from crossway.adapters.chains.tron.tx_results import TxResults
from crossway.domain.errors import Unreachable
from crossway.domain.outbound_call import OutboundCall
from crossway.ports.chain import (
    ChainHead,
    SignedTx,
    TxNotFound,
    TxPending,
    TxStatus,
    TxUnknown,
)
from crossway.ports.chain_calls import CallCosts

# So few transactions are looked up one by one, and more of them in the list of all pending ones.
_FEW_TRANSACTIONS = 3
DUPLICATE = "DUP_TRANSACTION_ERROR"


class TronTxSender(RpcTxSender[ChainContext, EvmHeadTracker]):
    """The sender for Tron."""

    fee_seconds = 6.0

    def __init__(
        self,
        context: ChainContext,
        head_tracker: EvmHeadTracker,
        params: TronParams,
        results: TxResults,
        sequence: SequenceTracker,
    ) -> None:
        super().__init__(context, head_tracker)
        self._account = to_base58(context.accounts.relayer)
        self._params, self._results, self._sequence = params, results, sequence
        self._expiries = BoundedCache[int]()
        self._prices: ResourcePrices | None = None

    def next_nonce(self, account: str) -> int:
        """The first sequence number that no included transaction has: the lowest that the quorum
        reports. A node that is behind reports too low a number, which the books correct."""
        head = self._head_tracker.heads()
        return min(self._pool.quorum(lambda session: self._sequence.next_number(session, head)))

    def _read_fee(self, session: RpcSession) -> int:
        params = self._params
        prices = resources.read_prices(session, params.max_energy_sun)
        available = resources.read_resources(session, self._context.accounts.relayer)
        self._prices = prices
        return resources.fee_units(params, prices, available)

    def _read_call_costs(self, session: RpcSession) -> CallCosts:
        params = self._params
        return resources.call_costs(params, resources.read_prices(session, params.max_energy_sun))

    def prices(self) -> ResourcePrices:
        """The prices as read last."""
        if self._prices is None:
            self.fee_units()
        if self._prices is None:
            raise Unreachable("the chain does not tell its prices")
        return self._prices

    def ref_block(self, lifetime_seconds: int | None = None) -> RefBlock:
        """What ties a new transaction to the chain as it was read last."""
        tracker = self._head_tracker
        if tracker.newest is None or tracker.final is None:
            tracker.heads()
        newest, final = tracker.newest, tracker.final
        if newest is None or final is None:
            raise Unreachable("the chain does not tell which block is final")
        default = self._params.tx_lifetime_seconds
        lifetime = default if lifetime_seconds is None else lifetime_seconds
        created = to_millis(newest.time)
        return RefBlock(final.height, final.hash, created, created + 1000 * lifetime)

    def _sign(
        self, calls: Sequence[tuple[OutboundCall, int]], fee_units: int
    ) -> Sequence[SignedTx]:
        context, relayer = self._context, self._context.accounts.relayer
        ref_block = self.ref_block()
        fee_limit = self._params.energy_limit * self.prices().energy_sun
        transactions = []
        for action, number in calls:
            call = encode_call(context.catalogue, context.deployment, action)
            call = with_sequence_number(call, number)
            raw = encode_call_tx(relayer, call, ref_block, fee_limit)
            transactions.append(sign_transaction(context.signer, raw, number, fee_units, action))
        return transactions

    def _remember(self, transactions: Sequence[SignedTx]) -> None:
        parsed = {t.tx_id: parse_raw_transaction(unsigned_bytes(t.raw)) for t in transactions}
        self._expiries.update({tx_id: tx.expires_ms for tx_id, tx in parsed.items()})

    def _submit(self, transactions: Sequence[SignedTx]) -> Sequence[str]:
        self._remember(transactions)
        return [self._send(transaction) for transaction in transactions]

    def _send(self, transaction: SignedTx) -> str:
        request = RpcRequest("/wallet/broadcasthex", ({"transaction": transaction.raw.hex()},))
        result = self._pool.first(lambda session: session.batch([request])[0])
        return submission_error(result, transaction.tx_id)

    def _read_known(self, session: RpcSession, tx_ids: list[str]) -> set[str]:
        known = set(self._results.read_included(session, tx_ids))
        return known | _read_pending(session, [i for i in tx_ids if i not in known])

    def _read_statuses(
        self, session: RpcSession, tx_ids: list[str], head: ChainHead
    ) -> Mapping[str, TxStatus]:
        statuses: dict[str, TxStatus] = {**self._results.read_included(session, tx_ids)}
        pending = _read_pending(session, [i for i in tx_ids if i not in statuses])
        statuses |= dict.fromkeys(pending, TxPending())
        statuses |= _read_uncertain(session, [i for i in tx_ids if i not in statuses], head.height)
        unknown = [tx_id for tx_id in tx_ids if tx_id not in statuses]
        final_ms = _read_final_ms(session) if unknown else 0
        for tx_id in unknown:
            expires = self._expiries.get(tx_id)
            expired = expires is not None and final_ms >= expires
            statuses[tx_id] = TxNotFound(dropped=expired and not _is_final(session, tx_id))
        return statuses


def submission_error(result: Any, tx_id: str) -> str:
    """The node's error about a submitted transaction, empty where it took or has it."""
    if isinstance(result, RpcError):
        return result.message or f"error {result.code}"
    response = as_object(result, "a broadcast result")
    if response.get("result") is True:
        if response.get("txid", tx_id) != tx_id:
            raise MalformedResponse("the node took a transaction with another id")
        return ""
    code = str(response.get("code", "unknown error"))
    if code == DUPLICATE:
        return ""
    return f"{code} {_decode_message(response.get('message'))}".strip()


def _decode_message(message: Any) -> str:
    """A node's message, which the HTTP API encodes in hexadecimal digits."""
    try:
        return bytes.fromhex(str(message or "")).decode(errors="replace")[:200]
    except ValueError:
        return str(message)[:200]


def _read_pending(session: RpcSession, tx_ids: list[str]) -> set[str]:
    """The pending ones of these transactions; none where the node does not tell."""
    if len(tx_ids) > _FEW_TRANSACTIONS:
        request = RpcRequest("/wallet/gettransactionlistfrompending", ({},))
        result = session.batch([request])[0]
        if isinstance(result, dict):
            return set(tx_ids) & {str(i) for i in as_list(result.get("txId", []), "ids")}
    path = "/wallet/gettransactionfrompending"
    results = session.batch([RpcRequest(path, ({"value": tx_id},)) for tx_id in tx_ids])
    return {
        tx_id
        for tx_id, result in zip(tx_ids, results, strict=True)
        if isinstance(result, dict) and result.get("txID") == tx_id
    }


def _read_uncertain(session: RpcSession, tx_ids: list[str], height: int) -> dict[str, TxStatus]:
    """Those that have a receipt after all; all of them where the node is below `height`."""
    if not tx_ids:
        return {}
    requests = [receipt_request(add_0x(tx_id)) for tx_id in tx_ids]
    newest, *receipts = session.call(block_request("latest"), *requests)
    behind = parse_block(newest).height < height
    return {
        tx_id: TxUnknown()
        for tx_id, receipt in zip(tx_ids, receipts, strict=True)
        if behind or receipt is not None
    }


def _read_final_ms(session: RpcSession) -> int:
    """The time of the newest final block: later blocks take no transaction that expired before."""
    result = session.call(RpcRequest("/walletsolidity/getnowblock", ({},)))[0]
    return as_count(block_header(as_object(result, "a block")).get("timestamp", 0), "a time")


def _is_final(session: RpcSession, tx_id: str) -> bool:
    """Whether a transaction is in a final block."""
    request = RpcRequest("/walletsolidity/gettransactioninfobyid", ({"value": tx_id},))
    return bool(as_object(session.call(request)[0], "a transaction info"))
