"""Each lack that the treasury tells of has a transfer that is suggested, or a reason why not."""

import random
from pathlib import Path

import pytest

from crossway.domain.errors import InvalidStatus
from crossway.ports.sandbox import Faults
from crossway.usecases.money.inventory import get_inventory, set_target
from crossway.usecases.money.rebalancing_plan import read_plan
from crossway.usecases.money.rebalancing_policies import set_policy
from crossway.usecases.money.unserved_lacks import explain_lacks
from tests.harness import CATALOGUE, Harness

BASE, ARBITRUM, OPTIMISM = "BASE_MAINNET", "ARBITRUM_MAINNET", "OPTIMISM_MAINNET"
CHAINS = (BASE, ARBITRUM, OPTIMISM)
USDC = 10**6


@pytest.fixture
def world(tmp_path: Path) -> Harness:
    url = f"sqlite:///{tmp_path / 'crossway.db'}"
    return Harness(url, chains=CHAINS, over_bridges=("RHINOFI", "GATEWAY"))


def reasons(world: Harness) -> dict[tuple[str, str], str]:
    """Why nothing moves to where something lacks, by chain and symbol."""
    now = read_plan(world.services, world.operator)
    positions = get_inventory(world.services, world.operator).positions
    symbols = CATALOGUE.by_address
    return {
        (lack.location[0], symbols[lack.location].symbol): lack.reason
        for lack in explain_lacks(now, positions)
        if lack.location in symbols
    }


def test_below_its_target_and_above_its_minimum_it_says_when_it_is_filled(world: Harness) -> None:
    set_target(world.services, world.operator, ARBITRUM, "USDC", 1_012_000 * USDC)
    # Without a policy it is filled from half of its target on.
    assert reasons(world) == {
        (ARBITRUM, "USDC"): "Arbitrum One has 1,000,000 USDC: it is filled once that is less than "
        "506,000 USDC."
    }


def test_no_bridge_of_usdc_is_suggested_for_weth(world: Harness) -> None:
    world.sandbox.inject_faults(ARBITRUM, Faults(balances={"relayer": {"WETH": 0}}))
    set_target(world.services, world.operator, ARBITRUM, "WETH", 10 * 10**18)
    now = read_plan(world.services, world.operator)
    assert now.plan.transfers == ()
    reason = reasons(world)[ARBITRUM, "WETH"]
    assert reason.startswith("Arbitrum One lacks 10 WETH; ")
    assert reason.endswith(
        " WETH to spare, but Circle Gateway carries USDC only, rhino.fi does not carry WETH from "
        "Base to Arbitrum One."
    )


def test_a_lack_on_every_chain_is_told_for_each(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'crossway.db'}"
    world = Harness(url, chains=CHAINS, over_bridges=("RHINOFI",))
    for chain in CHAINS:
        world.sandbox.inject_faults(chain, Faults(balances={"relayer": {"USDC": 10 * USDC}}))
        set_target(world.services, world.operator, chain, "USDC", 1_000 * USDC)
    told = reasons(world)
    assert told.keys() == {(chain, "USDC") for chain in CHAINS}
    assert told[BASE, "USDC"].startswith("Base lacks 990 USDC")


def test_a_policy_sets_the_target_of_its_location(world: Harness) -> None:
    location = (BASE, CATALOGUE.tokens[BASE, "USDC"].address)
    set_policy(world.services, world.operator, location, 100 * USDC, 2_000_000 * USDC, None)
    positions = get_inventory(world.services, world.operator).positions
    [at] = [p for p in positions if (p.token.chain, p.token.symbol) == (BASE, "USDC")]
    assert (at.target, at.target_set_by) == (2_000_000 * USDC, "policy")
    assert at.shortfall == 1_000_000 * USDC
    assert "once that is less than 100 USDC" in reasons(world)[BASE, "USDC"]
    with pytest.raises(InvalidStatus, match="change the policy"):
        set_target(world.services, world.operator, BASE, "USDC", 5)


@pytest.mark.parametrize("seed", range(8))
def test_every_lack_is_served_or_explained(world: Harness, seed: int) -> None:
    choose = random.Random(seed)
    for chain in CHAINS:
        has = {s: choose.randrange(0, 3) * 10 ** choose.randrange(0, 24) for s in ("USDC", "WETH")}
        world.sandbox.inject_faults(chain, Faults(balances={"relayer": has}))
        for symbol in choose.sample(("USDC", "USDT", "WETH", "DAI"), 3):
            if (chain, symbol) in CATALOGUE.tokens:
                target = choose.randrange(1, 9) * 10 ** choose.randrange(1, 26)
                set_target(world.services, world.operator, chain, symbol, target)
    now = read_plan(world.services, world.operator)
    positions = get_inventory(world.services, world.operator).positions
    served = {transfer.destination for transfer in now.plan.transfers}
    explained = {lack.location for lack in explain_lacks(now, positions) if lack.reason}
    lacking = {(p.token.chain, p.token.address) for p in positions if p.shortfall}
    assert lacking
    assert lacking <= served | explained
