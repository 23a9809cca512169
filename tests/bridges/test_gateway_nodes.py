"""One of two nodes lies about Circle Gateway: nothing is taken for minted, for expired or for there
that the other does not report."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from eth_utils.crypto import keccak

from crossway.domain.inventory_transfer import InventoryTransferKind
from crossway.ports.inventory_bridge import Arrived, Pending, Unanswered
from tests.bridges.gateway_chains import AMOUNT, GatewayWorld, following, two_gateway_chains
from tests.chains.front import GONE, HONEST, Front
from tests.chains.live import ARBITRUM, BASE
from tests.processes import wait_until

MINT = InventoryTransferKind.MINT
MINTED, RICH, EXPIRED = "minted", "rich", "expired"
_LIES = {
    MINTED: "isTransferSpecHashUsed(bytes32)",
    RICH: "availableBalance(address,address)",
    EXPIRED: "gatewayMint(bytes,bytes)",
}
_ERROR = keccak(b"AttestationExpiredAtIndex(uint32,uint256,uint256)")[:4] + bytes(96)


class Liar(Front):
    """Says of Gateway's contracts what its mood is; where that is `EXPIRED`, also of blocks."""

    def _one(self, asked: dict[str, Any]) -> dict[str, Any]:
        answer = super()._one(asked)
        block = answer["result"] if asked["method"] == "eth_getBlockByNumber" else {}
        if self.mood == EXPIRED and "l1BlockNumber" in block:
            block["l1BlockNumber"] = hex(10**9)
        if asked["method"] != "eth_call" or self.mood not in _LIES:
            return answer
        if asked["params"][0]["data"][2:10] != keccak(_LIES[self.mood].encode())[:4].hex():
            return answer
        if self.mood == EXPIRED:
            error = {"code": 3, "message": "execution reverted", "data": "0x" + _ERROR.hex()}
            return {"jsonrpc": "2.0", "id": asked["id"], "error": error}
        return {**answer, "result": f"0x{10**15 if self.mood == RICH else 1:064x}"}


@dataclass
class TwoNodes:
    """A world with two nodes of each chain, of which the first may lie."""

    world: GatewayWorld
    liars: dict[str, Liar]

    def lie(self, mood: str) -> None:
        for liar in self.liars.values():
            liar.mood = mood


@pytest.fixture
def nodes(tmp_path: Path) -> Iterator[TwoNodes]:
    with ExitStack() as stack:
        chains = stack.enter_context(two_gateway_chains())
        service = stack.enter_context(following(chains))
        liars = {name: Liar(one) for name, one in chains.items()}
        for liar in liars.values():
            stack.callback(liar.close)
        urls = {name: [liars[name].url, one.url] for name, one in chains.items()}
        world = GatewayWorld(tmp_path, chains, service, urls=urls)
        stack.callback(world.close)
        world.deposited(BASE, 2 * AMOUNT)
        world.pass_finality()
        yield TwoNodes(world, liars)


@pytest.mark.parametrize("lie", [MINTED, EXPIRED, GONE])
def test_one_node_alone_says_neither_minted_nor_expired(nodes: TwoNodes, lie: str) -> None:
    world = nodes.world
    transfer = world.agree(world.commit(world.planned(MINT, ARBITRUM)))
    assert world.track(transfer) == Pending()
    nodes.lie(lie)
    status = world.track(transfer)
    assert isinstance(status, Unanswered), status
    nodes.lie(HONEST)
    world.carry_out(world.bridge.invocations(transfer))
    # A node that went away is left alone for a moment.
    wait_until("it arrived", lambda: isinstance(world.track(transfer), Arrived))


def test_the_least_that_a_node_reports_of_a_balance_counts(nodes: TwoNodes) -> None:
    nodes.lie(RICH)
    nodes.world.service.counts_fresh = True
    nodes.world.deposited(BASE, AMOUNT)
    assert nodes.world.bridge.balances()[BASE] == 2 * AMOUNT
