"""Payouts that their receiver would refuse, as nodes simulate them without a signature."""

from collections.abc import Sequence
from typing import Any

from crossway.adapters.chains.evm.calldata import encode_call, evm_address
from crossway.adapters.chains.evm.chain_context import ChainContext
from crossway.adapters.chains.evm.tx_results import (
    TRANSFER_FAILED,
    decode_revert,
    inventory_short,
)
from crossway.adapters.chains.rpc.client import RpcError, RpcRequest
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.tx_results import REVERT_REASONS
from crossway.domain.outbound_call import OutboundCall

_REFUSALS = (TRANSFER_FAILED, REVERT_REASONS["RECEIVED_LESS"])


def read_refusals(
    context: ChainContext, session: RpcSession, calls: Sequence[OutboundCall]
) -> list[str]:
    """For each call why its receiver refuses it; empty where it does not."""
    params = [_call_params(context, call) for call in calls]
    results = session.batch([RpcRequest("eth_call", (p, "latest")) for p in params])
    return [_refusal(session, p, result) for p, result in zip(params, results, strict=True)]


def _call_params(context: ChainContext, action: OutboundCall) -> dict[str, str]:
    call = encode_call(context.catalogue, context.deployment, action)
    sender = evm_address(context.chain.kind, action.account)
    return {"from": sender, "to": call.to, "data": call.hex, "value": hex(call.value)}


def _refusal(session: RpcSession, params: dict[str, str], result: Any) -> str:
    if not isinstance(result, RpcError) or not result.data.startswith("0x"):
        return ""
    try:
        reason = decode_revert(bytes.fromhex(result.data[2:10]))
    except ValueError:
        return ""
    if reason not in _REFUSALS or inventory_short(session, params):
        return ""
    return reason.message
