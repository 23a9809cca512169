"""Payouts that their receiver would refuse, as nodes simulate them without a signature."""

import base64
from collections.abc import Sequence
from typing import Any

from crossway.adapters.chains.rpc.client import RpcError, RpcRequest
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_schemas import MalformedResponse, as_object
from crossway.adapters.chains.solana.chain_context import CONFIRMED, ChainContext
from crossway.adapters.chains.solana.pdas import is_native
from crossway.adapters.chains.solana.rpc_schemas import parse_context_value
from crossway.adapters.chains.solana.transactions import unsigned_call
from crossway.adapters.chains.solana.tx_results import failure_of
from crossway.domain.outbound_call import OutboundCall

_OPTIONS = {
    "encoding": "base64",
    "commitment": CONFIRMED,
    "sigVerify": False,
    "replaceRecentBlockhash": True,
}
# The program's errors TRANSFER_FAILED, RECEIVED_LESS, TOKEN_REFUSED and BELOW_RENT: the receiver's
# or the token's. All others are ours, such as a marker that exists or too small a stock.
_REFUSALS = (7015, 7016, 7017, 7018)
# The instruction that makes the receiver's token account, after two of the compute budget, and its
# error where the account exists and its owner handed it over.
_CREATION, _HANDED_OVER = 2, 0


def read_refusals(
    context: ChainContext, session: RpcSession, calls: Sequence[OutboundCall]
) -> list[str]:
    """For each call why its receiver refuses it; empty where it does not."""
    encoded = [base64.b64encode(unsigned_call(context, call)).decode() for call in calls]
    requests = [RpcRequest("simulateTransaction", (raw, _OPTIONS)) for raw in encoded]
    results = session.batch(requests)
    return [
        _refusal(result, is_native(call.outputs[0].token))
        for call, result in zip(calls, results, strict=True)
    ]


def _refusal(result: Any, native: bool) -> str:
    if isinstance(result, RpcError):
        return ""
    simulated = as_object(parse_context_value(result, "a simulation")[1], "a simulation")
    if "err" not in simulated:
        raise MalformedResponse("the node did not return a simulation's result")
    match simulated["err"]:
        case {"InstructionError": [_, {"Custom": int(code)}]} if code in _REFUSALS:
            return failure_of(simulated["err"]).message
        case {"InstructionError": [int(at), {"Custom": int(code)}]}:
            if (at, code) == (_CREATION, _HANDED_OVER) and not native:
                return "the receiver's account for the token belongs to another wallet"
    return ""
