"""Signing, sending and following transactions on Starknet chains."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from crossway.adapters.chains.rpc.client import RpcError, RpcRequest
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_schemas import MalformedResponse, as_object
from crossway.adapters.chains.rpc.tx_sender import NonceTxSender
from crossway.adapters.chains.starknet.calldata import encode_calls
from crossway.adapters.chains.starknet.chain_context import (
    ChainContext,
    StarknetHeadTracker,
    block_request,
    nonce_request,
)
from crossway.adapters.chains.starknet.felts import to_felt
from crossway.adapters.chains.starknet.rpc_schemas import (
    ACCEPTED_STATUSES,
    TRANSACTION_NOT_FOUND,
    parse_block,
    parse_felt,
    parse_hash,
)
from crossway.adapters.chains.starknet.transactions import (
    fee_bounds,
    fee_for_prices,
    sign_transaction,
)
from crossway.adapters.chains.starknet.tx_results import read_included
from crossway.domain.errors import Unreachable
from crossway.domain.outbound_call import OutboundCall
from crossway.ports.chain import IncludedTx, SignedTx, TxPending, TxStatus, TxUnknown
from crossway.ports.chain_calls import CallCosts

_STRK = 10**18
# Prices may double until the transaction is included.
_PRICE_MARGIN = 2
# The error code of a transaction that the node has already.
_DUPLICATE = 59
_KNOWN_STATUSES = (
    "RECEIVED",
    "CANDIDATE",
    "PRE_CONFIRMED",
    "ACCEPTED_ON_L2",
    "ACCEPTED_ON_L1",
)


class StarknetTxSender(NonceTxSender[ChainContext, StarknetHeadTracker]):
    """The sender for Starknet chains."""

    def _read_fee(self, session: RpcSession) -> int:
        newest = parse_block(session.call(block_request("latest"))[0])
        params = self._context.params
        l2_price, data_price = _PRICE_MARGIN * newest.l2_price, _PRICE_MARGIN * newest.data_price
        fee = fee_for_prices(params, l2_price, data_price)
        if fee > _PRICE_MARGIN * params.max_strk * _STRK:
            strk = fee // _PRICE_MARGIN // _STRK
            raise Unreachable(
                f"the node asks for {strk} STRK per transaction: more than {params.max_strk} is "
                "not believed"
            )
        return fee

    def _read_call_costs(self, session: RpcSession) -> CallCosts:
        newest, params = parse_block(session.call(block_request("latest"))[0]), self._context.params
        # The tip is a share of the maximum price, which is above the current one by its margin.
        tip = _PRICE_MARGIN * newest.l2_price * params.tip_percent // 100
        l2_cost = params.call_l2_gas * (newest.l2_price + tip)
        cost = l2_cost + params.call_data_gas * newest.data_price
        if cost > params.max_strk * _STRK:
            raise Unreachable(f"the node asks for {cost // _STRK} STRK per transaction")
        return CallCosts(cost, cost, cost, cost)

    def _read_nonce(self, session: RpcSession, account: str) -> int:
        return parse_felt(session.call(nonce_request(account))[0], "a nonce")

    def _read_final_nonce(self, session: RpcSession, finalized: int) -> int:
        result = session.batch([nonce_request(self._account, finalized)])[0]
        return 0 if isinstance(result, RpcError) else parse_felt(result, "a nonce")

    def _sign(
        self, calls: Sequence[tuple[OutboundCall, int]], fee_units: int
    ) -> Sequence[SignedTx]:
        context = self._context
        bounds = fee_bounds(context.params, fee_units)
        transactions = []
        for action, nonce in calls:
            encoded = encode_calls(context.catalogue, context.deployment, action)
            transactions.append(
                sign_transaction(
                    context.signer,
                    context.chain_id,
                    action.account,
                    encoded,
                    nonce,
                    bounds,
                    fee_units,
                )
            )
        return transactions

    def _submit_request(self, transaction: SignedTx) -> RpcRequest:
        return submit_request(transaction)

    def _submission_error(self, result: Any, transaction: SignedTx) -> str:
        return submission_error(result, transaction)

    def _read_known(self, session: RpcSession, tx_ids: list[str]) -> set[str]:
        results = session.batch(_status_requests(tx_ids))
        statuses = zip(tx_ids, results, strict=True)
        return {tx_id for tx_id, result in statuses if _finality(result) in _KNOWN_STATUSES}

    def _read_included(
        self, session: RpcSession, tx_ids: list[str]
    ) -> Mapping[str, IncludedTx | None]:
        return read_included(self._context, session, tx_ids)

    def _read_unincluded(
        self, session: RpcSession, tx_ids: list[str], height: int
    ) -> dict[str, TxStatus]:
        newest, *results = session.batch([block_request("latest"), *_status_requests(tx_ids)])
        if isinstance(newest, RpcError):
            raise MalformedResponse(f"the node returned an error: {newest.message}")
        if parse_block(newest).height < height:
            return dict.fromkeys(tx_ids, TxUnknown())
        statuses: dict[str, TxStatus] = {}
        for tx_id, finality in zip(tx_ids, map(_finality, results), strict=True):
            if finality in _KNOWN_STATUSES:
                accepted = finality in ACCEPTED_STATUSES
                statuses[tx_id] = TxUnknown() if accepted else TxPending()
        return statuses


def submit_request(transaction: SignedTx) -> RpcRequest:
    """Request that submits a signed transaction."""
    return RpcRequest("starknet_addInvokeTransaction", (orjson.loads(transaction.raw),))


def _status_requests(tx_ids: Sequence[str]) -> list[RpcRequest]:
    return [RpcRequest("starknet_getTransactionStatus", (hex(to_felt(i)),)) for i in tx_ids]


def _finality(result: Any) -> Any:
    """The finality status of a transaction; None where the node does not have it."""
    if isinstance(result, RpcError):
        if result.code == TRANSACTION_NOT_FOUND:
            return None
        raise MalformedResponse(f"the node returned an error: {result.message}")
    return as_object(result, "a status").get("finality_status")


def submission_error(result: Any, transaction: SignedTx) -> str:
    """The node's error about a submitted transaction, empty where it took or has it."""
    if not isinstance(result, RpcError):
        tx_hash = as_object(result, "a transaction's hash").get("transaction_hash")
        if parse_hash(tx_hash, "a transaction's hash") != transaction.tx_id:
            raise MalformedResponse("the node returned another transaction hash")
        return ""
    if result.code == _DUPLICATE:
        return ""
    return ": ".join(filter(None, (result.message, result.data))) or f"error {result.code}"
