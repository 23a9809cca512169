"""What a pool tells of a node that serves another chain."""

from collections.abc import Sequence
from typing import Any, cast

import pytest

from crossway.adapters.chains.rpc.client import BudgetSpent, RpcNode, RpcRequest
from crossway.adapters.chains.rpc.pool import ChainIdentity, RpcPool, RpcSession
from crossway.domain.errors import WrongChain

REQUEST = RpcRequest("height")


class Node:
    """A node of chain 7, until its budget is spent."""

    name, is_spent = "node-1", False

    def send(self, requests: Sequence[RpcRequest]) -> list[Any]:
        if self.is_spent:
            raise BudgetSpent("the budget of calls to node-1 is spent for 30 s", 30)
        return [7 for _ in requests]


def ask(session: RpcSession) -> Any:
    return session.call(REQUEST)


def test_a_spent_budget_is_not_told_as_another_chain() -> None:
    node, now = Node(), 0.0
    identity = ChainIdentity(RpcRequest("chain"), 8453, int)
    pool = RpcPool(identity, [cast(RpcNode, node)], timer=lambda: now)
    with pytest.raises(WrongChain, match="node-1 has chain 7 and not 8453"):
        pool.first(ask)
    [sentence] = pool.wrong_chains()
    now, node.is_spent = 61.0, True
    with pytest.raises(WrongChain, match="budget"):
        pool.first(ask)
    assert pool.wrong_chains() == (sentence,)
    now = 400.0
    assert pool.wrong_chains() == ()
