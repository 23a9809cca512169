"""A node's front on Starknet that misbehaves: it lags, lies, or takes no wide questions."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.chains.front import FORGING, LAGGING, NARROW, WRONG_CHAIN, Front, asked_for
from tests.chains.starknet.network import Starknet

# As Pathfinder before 0.22.3: it takes no tip where it executes without including.
TIPLESS = "tipless"
ESTIMATE, SIMULATE = "starknet_estimateFee", "starknet_simulateTransactions"
SEPOLIA = "0x534e5f5345504f4c4941"


class StarknetFront(Front):
    """Stands before a Starknet; `mood` is how it behaves now."""

    def _one(self, asked: dict[str, Any]) -> dict[str, Any]:
        method, params = asked["method"], asked["params"]
        if self.mood == WRONG_CHAIN and method == "starknet_chainId":
            return asked_for(asked, SEPOLIA)
        if self.mood == LAGGING and method == "starknet_getBlockWithTxHashes":
            asked = {**asked, "params": [{"block_number": self.frozen_at}]}
        if self.mood == NARROW and method == "starknet_getEvents":
            if any(len(one) > 2 for one in params[0]["keys"]):
                return _objection(asked, 34, "Too many keys provided in a filter")
            if params[0]["chunk_size"] > 1:
                return _objection(asked, 31, "Requested page size is too big")
        if self.mood == TIPLESS and method in (ESTIMATE, SIMULATE):
            listed = params[0 if method == ESTIMATE else 1]
            if any(int(transaction["tip"], 16) for transaction in listed):
                return _objection(asked, 41, "Transaction execution error")
        answer = self._client.post(self.anvil.url, json=asked).json()
        if self.mood == FORGING and method == "starknet_getEvents" and "address" not in params[0]:
            answer["result"]["events"] += self.forged
        return dict(answer)


def _objection(asked: dict[str, Any], code: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": asked["id"], "error": {"code": code, "message": message}}


@contextmanager
def starknet_front(network: Starknet) -> Iterator[StarknetFront]:
    made = StarknetFront(network)  # type: ignore[arg-type]
    try:
        yield made
    finally:
        made.close()
