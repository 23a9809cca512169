"""Payouts that their receiver would refuse, as nodes simulate them without a signature."""

from collections.abc import Mapping, Sequence
from typing import Any

from crossway.adapters.chains.rpc.client import RpcError, RpcRequest
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_schemas import MalformedResponse, as_list, as_object
from crossway.adapters.chains.rpc.tx_results import REVERT_REASONS, UNKNOWN_REVERT, RevertReason
from crossway.adapters.chains.starknet.balances import read_balances
from crossway.adapters.chains.starknet.calldata import block_id, encode_calls
from crossway.adapters.chains.starknet.chain_context import (
    ChainContext,
    block_request,
    nonce_request,
)
from crossway.adapters.chains.starknet.rpc_schemas import Block, parse_block, parse_felt
from crossway.adapters.chains.starknet.transactions import FeeBounds, build_invoke, to_json
from crossway.adapters.chains.starknet.tx_results import decode_revert
from crossway.domain.outbound_call import OutboundCall, Output

_TRANSFER_FAILED, _RECEIVED_LESS = (
    REVERT_REASONS[name] for name in ("TRANSFER_FAILED", "RECEIVED_LESS")
)
_FLAGS = ["SKIP_VALIDATE", "SKIP_FEE_CHARGE"]
# A node executes each, up to three times: more of them could take longer than a request may.
_CALLS_AT_ONCE = 20


def read_refusals(
    context: ChainContext, session: RpcSession, calls: Sequence[OutboundCall]
) -> list[str]:
    """For each call why its receiver refuses it; empty where it does not."""
    if not calls:
        return []
    reasons = _simulate(context, session, calls)
    refused = {
        call.outputs[0].token
        for call, reason in zip(calls, reasons, strict=True)
        if reason == _TRANSFER_FAILED
    }
    relayer = context.accounts.relayer
    # A transfer fails just as well because the relayer holds too little.
    stock = {token: read_balances(context, session, [relayer], token)[relayer] for token in refused}
    return [
        _refusal(call.outputs[0], reason, stock)
        for call, reason in zip(calls, reasons, strict=True)
    ]


def _refusal(output: Output, reason: RevertReason, stock: Mapping[str, int]) -> str:
    if reason == _TRANSFER_FAILED:
        return reason.message if stock[output.token] >= (output.amount or 0) else ""
    return reason.message if reason == _RECEIVED_LESS else ""


def _simulate(
    context: ChainContext, session: RpcSession, calls: Sequence[OutboundCall]
) -> list[RevertReason]:
    """Why each call reverts at the newest block, as if it were the relayer's next one."""
    requests = [block_request("latest"), nonce_request(context.accounts.relayer)]
    newest, nonce = session.batch(requests)
    if isinstance(nonce, RpcError):
        # An account that is not deployed is not the receiver's refusal.
        return [UNKNOWN_REVERT] * len(calls)
    block, number = parse_block(newest), parse_felt(nonce, "a nonce")
    requests = [_simulation_request(context, call, block, number) for call in calls]
    results: list[Any] = []
    for first in range(0, len(requests), _CALLS_AT_ONCE):
        results += session.batch(requests[first : first + _CALLS_AT_ONCE])
    return [_revert_reason(result) for result in results]


def _simulation_request(
    context: ChainContext, call: OutboundCall, block: Block, nonce: int
) -> RpcRequest:
    """Fees are not charged, so the prices only have to look likely. Without a tip: nodes of
    Pathfinder before 0.22.3 refuse to simulate one."""
    params = context.params
    bounds = FeeBounds(params.l2_gas, block.l2_price, params.data_gas, block.data_price, 0)
    encoded = encode_calls(context.catalogue, context.deployment, call)
    unsigned = to_json(build_invoke(context.accounts.relayer, encoded, nonce, bounds))
    return RpcRequest("starknet_simulateTransactions", (block_id(block.height), [unsigned], _FLAGS))


def _revert_reason(result: Any) -> RevertReason:
    """Why the call reverts; unknown also where it does not or the node cannot tell."""
    if isinstance(result, RpcError):
        return UNKNOWN_REVERT
    simulated = as_list(result, "simulations")
    if len(simulated) != 1:
        raise MalformedResponse("the node did not return one simulation")
    trace = as_object(as_object(simulated[0], "a simulation").get("transaction_trace"), "a trace")
    invocation = as_object(trace.get("execute_invocation"), "a trace")
    return decode_revert(str(invocation.get("revert_reason") or ""))
