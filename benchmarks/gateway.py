"""Inventory over Circle Gateway: how soon after its attestation a mint is in a block.

Two anvils with a block a second and an API of ours on this machine. The bridge's own work is in
the figures, from the plan to the transaction; an engine's is not: the mint is sent at once.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from crossway.adapters.bridges.gateway.contracts import MINT
from crossway.domain.inventory_transfer import InventoryTransferKind
from tests.bridges.gateway_chains import AMOUNT, GatewayWorld, following, two_gateway_chains
from tests.chains.anvil import RELAYER_KEY
from tests.chains.live import ARBITRUM, BASE

MINTS, GOAL_BLOCKS, GOAL_SECONDS = 20, 1, 1.0
SMALL = AMOUNT // 10
Row = tuple[str, str, str, bool]


def run() -> list[Row]:
    """(name, figure, goal, met)."""
    with _world() as world:
        blocks, seconds, gas = zip(*_mints(world), strict=True)
    worst = max(blocks)
    shown = f"{median(blocks):.0f} blocks, at most {worst}"
    asked = f"{median(seconds) * 1_000:.0f} ms, at most {max(seconds) * 1_000:.0f}"
    met = max(seconds) <= GOAL_SECONDS
    return [
        ("attestation of Gateway to the mint", shown, f"≤ {GOAL_BLOCKS} blocks", worst <= 1),
        ("plan to attestation, service on loopback", asked, f"≤ {GOAL_SECONDS:.0f} s", met),
        ("gatewayMint of the stand-in", f"{median(gas):,.0f} gas", "told only", True),
    ]


@contextmanager
def _world() -> Iterator[GatewayWorld]:
    """A bridge on two chains with a block a second, and a final deposit on Base."""
    with (
        TemporaryDirectory() as folder,
        two_gateway_chains() as chains,
        following(chains) as service,
    ):
        world = GatewayWorld(Path(folder), chains, service)
        world.deposited(BASE, 3 * AMOUNT)
        world.pass_finality()
        for one in chains.values():
            one.rpc("evm_setIntervalMining", 1)
        try:
            yield world
        finally:
            world.close()


def _mints(world: GatewayWorld) -> Iterator[tuple[int, float, int]]:
    """Of each mint, the blocks after the newest one at its attestation, the seconds from its plan
    to its attestation, and its gas."""
    target = world.anvils[ARBITRUM]
    for number in range(MINTS):
        planned = world.planned(InventoryTransferKind.MINT, ARBITRUM, number + 1, SMALL)
        began = time.perf_counter()
        agreed = world.agree(world.commit(planned))
        seconds, height = time.perf_counter() - began, target.height
        (mint,) = world.bridge.invocations(agreed)
        assert mint.data.startswith(MINT.selector)
        tx_id = target.transact(mint.to, mint.data, key=RELAYER_KEY)
        receipt = None
        while receipt is None:
            time.sleep(0.05)
            receipt = target.rpc("eth_getTransactionReceipt", tx_id)
        assert receipt["status"] == "0x1"
        yield int(receipt["blockNumber"], 16) - height, seconds, int(receipt["gasUsed"], 16)
        # At another moment between two blocks each time.
        time.sleep(0.37)
