"""What doctor says of inventory that Across moves."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from crossway.adapters.across_diagnostics import diagnose_across_inventory
from crossway.adapters.live_environment import open_live_environment
from tests.bridges.across_chains import pause_pool
from tests.bridges.across_inventory import HANDLER, two_pools
from tests.chains.anvil import CATALOGUE, Anvil
from tests.chains.live import ARBITRUM, BASE
from tests.chains.service import profile_of


@pytest.fixture
def chains() -> Iterator[dict[str, Anvil]]:
    with two_pools() as made:
        yield made


def found(folder: Path, chains: dict[str, Anvil], *bridges: str) -> dict[str, tuple[bool, str]]:
    profile = profile_of(folder, chains.values(), bridges=bridges or ("ACROSS",))
    live = open_live_environment(profile, CATALOGUE, signs=False)
    try:
        return {one.subject: (one.ok, one.message) for one in diagnose_across_inventory(live)}
    finally:
        live.close()


def test_what_can_be_moved_is_told(tmp_path: Path, chains: dict[str, Anvil]) -> None:
    assert found(tmp_path, chains) == {
        f"inventory on {ARBITRUM}": (True, "can be moved: ARB, DAI, USDC, USDT, WBTC, WETH"),
        f"inventory on {BASE}": (True, "can be moved: DAI, USDC, USDT, WETH"),
    }
    assert found(tmp_path, chains, "INVENTORY") == {}
    assert found(tmp_path, {BASE: chains[BASE]}) == {}


def test_what_keeps_inventory_from_moving_is_told(tmp_path: Path, chains: dict[str, Anvil]) -> None:
    pause_pool(chains[BASE], paused=True)
    chains[ARBITRUM].rpc("anvil_setCode", HANDLER, "0x")
    assert found(tmp_path, chains) == {
        f"inventory on {ARBITRUM}": (
            False,
            "Across' handler is not there, without which WETH cannot arrive",
        ),
        f"inventory on {BASE}": (False, "the pool of Across takes no deposits"),
    }
    chains[BASE].stop()
    assert not found(tmp_path, chains)[f"inventory on {BASE}"][0]
