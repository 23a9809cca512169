"""Results of included EVM transactions: the transfers they made, or why they reverted."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from crossway.adapters.chains.evm.abi import (
    ALLOWANCE,
    BALANCE_OF,
    FILL,
    FILL_UNTIL,
    TOKENS_MOVED,
    error_selectors,
)
from crossway.adapters.chains.evm.bridge_calls import (
    parse_arrivals,
    parse_given_back,
    parse_sent,
    parse_swapped,
)
from crossway.adapters.chains.evm.call_batches import carried_out
from crossway.adapters.chains.evm.calldata import ZERO, Call, call_request
from crossway.adapters.chains.evm.chain_context import (
    ChainContext,
    read_blocks,
    receipt_request,
    transaction_request,
)
from crossway.adapters.chains.evm.native_deposits import parse_tokens_moved
from crossway.adapters.chains.evm.rpc_schemas import (
    Receipt,
    parse_address,
    parse_data,
    parse_quantity,
    parse_receipt,
)
from crossway.adapters.chains.rpc.client import RpcError, RpcRequest
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_schemas import as_object
from crossway.adapters.chains.rpc.tx_results import (
    REVERT_REASONS,
    UNKNOWN_REVERT,
    RevertReason,
    build_included_tx,
)
from crossway.adapters.chains.words import WORD
from crossway.ports.chain import IncludedTx, TokenTransfer

# Both take first what is paid and to whom.
_FILLS = {fill.selector: fill for fill in (FILL, FILL_UNTIL)}
_CAMEL_HUMP = re.compile(r"(?<!^)(?=[A-Z])")
_ERRORS = {
    selector: REVERT_REASONS.get(_CAMEL_HUMP.sub("_", name).upper(), UNKNOWN_REVERT)
    for name, selector in error_selectors()
}
TRANSFER_FAILED = REVERT_REASONS["TRANSFER_FAILED"]
# A payout that was included too late is given up once that is final, and not because it reverted.
_PAID_TOO_LATE = RevertReason("the time in which it could be paid is over", False)
INVENTORY_SHORT = RevertReason("the relayer's balance or allowance was too low", False)


def read_receipts(session: RpcSession, tx_ids: list[str]) -> dict[str, Receipt]:
    """The receipts of the included ones of these transactions."""
    results = session.call(*(receipt_request(tx_id) for tx_id in tx_ids))
    receipts = {i: parse_receipt(result, i) for i, result in zip(tx_ids, results, strict=True)}
    return {tx_id: receipt for tx_id, receipt in receipts.items() if receipt is not None}


def read_included(
    context: ChainContext, session: RpcSession, tx_ids: list[str]
) -> dict[str, IncludedTx | None]:
    """The results of those that have a receipt; None where its block was replaced."""
    receipts = read_receipts(session, tx_ids)
    if not receipts:
        return {}
    blocks = read_blocks(session, {receipt.height for receipt in receipts.values()})
    failed = {tx_id: receipt for tx_id, receipt in receipts.items() if not receipt.succeeded}
    reasons = _read_reasons(context, session, failed)
    return {
        tx_id: _with_bridges(
            context,
            receipt,
            build_included_tx(
                receipt,
                blocks[receipt.height],
                reasons.get(tx_id),
                token_transfers(context, receipt),
            ),
        )
        for tx_id, receipt in receipts.items()
    }


def _with_bridges(
    context: ChainContext, receipt: Receipt, included: IncludedTx | None
) -> IncludedTx | None:
    """The same with what bridges' contracts report."""
    if included is None:
        return None
    bridges = context.deployment.bridges.values()
    return replace(
        included,
        arrivals=tuple(parse_arrivals(receipt.logs, bridges)),
        sent=parse_sent(receipt.logs, bridges),
        given_back=parse_given_back(receipt.logs, bridges),
        swapped=parse_swapped(receipt.logs, bridges),
        carried_out=carried_out(context.deployment, receipt),
    )


def token_transfers(context: ChainContext, receipt: Receipt) -> tuple[TokenTransfer, ...]:
    """The transfers that our contracts report; events of other contracts are ignored."""
    own_contracts = context.deployment.contracts
    transfers = []
    for log in receipt.logs:
        if log.address in own_contracts and log.topics and log.topics[0] == TOKENS_MOVED.topic:
            token, source, to, amount = parse_tokens_moved(log)
            if token == ZERO:
                token = context.catalogue.native_token(context.chain.id)
            transfers.append(TokenTransfer(source, to, token, amount, log.topics[1]))
    return tuple(transfers)


def _read_reasons(
    context: ChainContext, session: RpcSession, failed: Mapping[str, Receipt]
) -> dict[str, RevertReason]:
    """Why each reverted: what the same call returns after its block, or else now."""
    tx_ids = list(failed)
    results = session.call(*(transaction_request(tx_id) for tx_id in tx_ids))
    calls = {i: _repeat_call(r) for i, r in zip(tx_ids, results, strict=True) if r is not None}
    archive = context.params.archive
    requests = [
        RpcRequest("eth_call", (call, hex(failed[tx_id].height) if archive else "latest"))
        for tx_id, call in calls.items()
    ]
    errors = zip(calls, session.batch(requests), strict=True)
    reasons = {tx_id: _parse_reason(error) for tx_id, error in errors}
    for tx_id, call in calls.items():
        if bytes.fromhex(call["data"][2:10]) not in _FILLS:
            continue
        if reasons[tx_id] == REVERT_REASONS["EXPIRED"]:
            reasons[tx_id] = _PAID_TOO_LATE
        elif reasons[tx_id] == TRANSFER_FAILED and inventory_short(session, call):
            reasons[tx_id] = INVENTORY_SHORT
    return {tx_id: reasons.get(tx_id, UNKNOWN_REVERT) for tx_id in tx_ids}


def _repeat_call(result: Any) -> dict[str, str]:
    transaction = as_object(result, "a transaction")
    return {
        "from": parse_address(transaction.get("from")),
        "to": parse_address(transaction.get("to")),
        "data": "0x" + parse_data(transaction.get("input"), "a call").hex(),
        "value": hex(parse_quantity(transaction.get("value"), "a value")),
        "gas": hex(parse_quantity(transaction.get("gas"), "gas")),
    }


def _parse_reason(result: Any) -> RevertReason:
    if not isinstance(result, RpcError) or not result.data.startswith("0x"):
        return UNKNOWN_REVERT
    try:
        return decode_revert(bytes.fromhex(result.data[2:10]))
    except ValueError:
        return UNKNOWN_REVERT


def decode_revert(data: bytes) -> RevertReason:
    """The reason in the revert data of one of our contracts."""
    return _ERRORS.get(data[:4], UNKNOWN_REVERT)


def inventory_short(session: RpcSession, call: Mapping[str, str]) -> bool:
    """Whether a fill was refused because the relayer lacks tokens or an allowance, and not because
    of its recipient. `call` has "from", "to" and "data"."""
    data = bytes.fromhex(call["data"][2:])
    _, asset, _, amount = _FILLS[data[:4]].decode(data)[:4]
    token, owner = parse_address(asset), call["from"]
    if token == ZERO:
        return False
    allowance = ALLOWANCE.encode(owner, call["to"])
    queries = (Call(token, BALANCE_OF.encode(owner)), Call(token, allowance))
    results = session.call(*(call_request(query) for query in queries))
    return any(int.from_bytes(parse_data(r, "a balance")[:WORD], "big") < amount for r in results)
