"""Balances of many addresses: one question each, many questions a request."""

from collections.abc import Mapping, Sequence
from typing import Any

from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.live.rpc import Objection
from crossway.adapters.chains.starknet.calldata import balance_call
from crossway.adapters.chains.starknet.ground import Ground, ask_call
from crossway.adapters.chains.starknet.wire import (
    CONTRACT_ERROR,
    CONTRACT_NOT_FOUND,
    ENTRY_POINT_NOT_FOUND,
    Malformed,
    u256,
)

_NEW, _OLD = "balance_of", "balanceOf"


def read(
    ground: Ground, line: Line, addresses: Sequence[str], token: str, at: int | str = "latest"
) -> Mapping[str, int]:
    """Units of a token at each address at a block. Where there is no such contract, nobody holds
    anything of it."""
    if not addresses:
        return {}
    names = (_OLD, _NEW) if token in ground.older else (_NEW, _OLD)
    for name in names:
        answers = line.tell([ask_call(balance_call(token, a, name), at) for a in addresses])
        if not any(_unknown_name(one) for one in answers):
            if name == _OLD:
                ground.older.add(token)
            return {a: _units(one, token) for a, one in zip(addresses, answers, strict=True)}
    raise Malformed(f"{token} does not answer what an address holds")


def _unknown_name(answer: Any) -> bool:
    # Nodes of older versions tell of a missing entry point as of any other error.
    return isinstance(answer, Objection) and answer.code in (ENTRY_POINT_NOT_FOUND, CONTRACT_ERROR)


def _units(answer: Any, token: str) -> int:
    if isinstance(answer, Objection):
        if answer.code == CONTRACT_NOT_FOUND:
            return 0
        raise Malformed(f"the node objects: {answer.message}")
    return u256(answer, f"what an address holds of {token}")
