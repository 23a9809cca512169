"""Balances of many addresses: one call for each, many calls in one batch."""

from collections.abc import Mapping, Sequence
from typing import Any

from crossway.adapters.chains.rpc.client import RpcError
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_schemas import MalformedResponse
from crossway.adapters.chains.starknet.calldata import balance_call, call_request
from crossway.adapters.chains.starknet.chain_context import ChainContext
from crossway.adapters.chains.starknet.rpc_schemas import (
    CONTRACT_ERROR,
    CONTRACT_NOT_FOUND,
    ENTRY_POINT_NOT_FOUND,
    parse_u256,
)

_SNAKE_CASE, _CAMEL_CASE = "balance_of", "balanceOf"


def read_balances(
    context: ChainContext,
    session: RpcSession,
    addresses: Sequence[str],
    token: str,
    block: int | str = "latest",
) -> Mapping[str, int]:
    """The balance of each address at a block, in base units of a token; 0 where the token is not
    deployed."""
    if not addresses:
        return {}
    entries = (_SNAKE_CASE, _CAMEL_CASE)
    for entry in entries[::-1] if token in context.camel_case_tokens else entries:
        calls = [balance_call(token, address, entry) for address in addresses]
        results = session.batch([call_request(call, block) for call in calls])
        if not any(_lacks_entry_point(result) for result in results):
            if entry == _CAMEL_CASE:
                context.camel_case_tokens.add(token)
            return {a: _parse_balance(r, token) for a, r in zip(addresses, results, strict=True)}
    raise MalformedResponse(f"{token} does not return a balance")


def _lacks_entry_point(result: Any) -> bool:
    # Older node versions report a missing entry point like any other contract error.
    codes = (ENTRY_POINT_NOT_FOUND, CONTRACT_ERROR)
    return isinstance(result, RpcError) and result.code in codes


def _parse_balance(result: Any, token: str) -> int:
    if isinstance(result, RpcError):
        if result.code == CONTRACT_NOT_FOUND:
            return 0
        raise MalformedResponse(f"the node returned an error: {result.message}")
    return parse_u256(result, f"a balance of {token}")
