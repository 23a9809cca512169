"""`crossway gateway`: the balance, and what a cold depositor signs, carried out on real chains."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from crossway.storage.store import open_store
from crossway.usecases.chains.kill_switches import STOPPED
from tests.bridges.cctp_chains import call
from tests.bridges.gateway_chains import (
    AMOUNT,
    DELAY_BLOCKS,
    GATEWAY,
    STOCK,
    GatewayWorld,
    following,
    two_gateway_chains,
)
from tests.chains.anvil import COINS, COORDINATOR, COORDINATOR_KEY, RELAYER, dollars
from tests.chains.live import ARBITRUM, BASE
from tests.commands import crossway
from tests.databases import new_sqlite

COLD, COLD_KEY = COORDINATOR, COORDINATOR_KEY


class Command:
    """`crossway gateway` by the profile of a world."""

    def __init__(self, world: GatewayWorld) -> None:
        self.world = world
        self.settings = {
            "CROSSWAY_NETWORK": "live",
            "CROSSWAY_PROFILE": str(world.folder / "profile.toml"),
        }

    def says(self, *words: str, code: int = 0) -> str:
        told = crossway(self.world.folder / "data", "gateway", *words, **self.settings)
        text = told.stdout + told.stderr
        assert "Traceback" not in text
        assert told.exit_code == code, text
        return text

    def sign(self, text: str) -> None:
        """The depositor signs what was printed."""
        base = self.world.anvils[BASE]
        calls = re.findall(r"to        (0x\w{40})\n  value     0\n  data      (0x\w+)", text)
        assert calls
        for to, data in calls:
            base.transact(to, bytes.fromhex(data[2:]), key=COLD_KEY)
            base.mine()


@pytest.fixture
def command(gateway_world: GatewayWorld) -> Command:
    for one in gateway_world.anvils.values():
        one.rpc("evm_setAutomine", True)
    return Command(gateway_world)


@pytest.fixture
def cold(tmp_path: Path) -> Iterator[Command]:
    with two_gateway_chains() as chains, following(chains) as service:
        for one in chains.values():
            one.rpc("anvil_setBalance", COLD, hex(COINS))
            call(one, dollars(one.chain), "mint(address,uint256)", COLD, STOCK)
        world = GatewayWorld(tmp_path, chains, service, depositor=COLD)
        yield Command(world)
        world.close()


def test_the_relayer_deposits_and_takes_out_by_itself(command: Command) -> None:
    base = command.world.anvils[BASE]
    told = command.says("deposit", "--chain", BASE, "--amount", "50", "--yes")
    assert "a deposit of 50.00 USDC" in told
    assert base.balance(GATEWAY.wallet) == 2 * AMOUNT
    assert "0.00 USDC can be minted" in (balance := command.says("balance", "--chain", BASE))
    assert "in the wallet contract: 50.00 USDC, of it 50.00 USDC not final" in balance
    base.mine(12)
    balance = command.says("balance")
    assert f"{BASE}: 50.00 USDC can be minted" in balance
    assert f"depositor {RELAYER}, which is the relayer" in balance
    told = command.says("withdraw", "--chain", BASE, "--amount", "20.5", "--yes")
    assert "a withdrawal of 20.50 USDC begins" in told
    assert "being withdrawn: 20.50 USDC, which can be taken out from block" in command.says(
        "balance", "--chain", BASE
    )
    assert "can be taken out from block" in command.says("withdraw", "--chain", BASE, code=1)
    base.mine(DELAY_BLOCKS)
    assert "which can be taken out now" in command.says("balance", "--chain", BASE)
    assert "20.50 USDC are taken out" in command.says("withdraw", "--chain", BASE, "--yes")
    assert base.balance(RELAYER) == STOCK - 29_500_000
    assert "29.50 USDC can be withdrawn" in command.says(
        "withdraw", "--chain", BASE, "--amount", "30", code=1
    )
    assert "need no delegates" in command.says("delegate", code=1)


def test_nothing_is_deposited_while_all_outgoing_money_is_stopped(command: Command) -> None:
    folder = command.world.folder / "data"
    # A database on this machine, as of a service that ran here.
    folder.mkdir()
    store = open_store(new_sqlite(folder, "crossway.db"))
    now = datetime.now(UTC)
    store.write(lambda unit: unit.kill_switches.set(STOPPED, True, "A key was lost.", "ada", now))
    store.close()
    told = command.says("deposit", "--chain", BASE, "--amount", "50", "--yes", code=1)
    assert "stopped" in told
    assert command.world.anvils[BASE].balance(GATEWAY.wallet) == 0


def test_a_cold_depositor_signs_what_is_printed(cold: Command) -> None:
    world, base = cold.world, cold.world.anvils[BASE]
    told = cold.says("deposit", "--chain", BASE, "--amount", "50")
    assert f"{BASE}: the depositor {COLD} signs, with a wallet of its own" in told
    cold.sign(told)
    base.mine(12)
    assert base.balance(GATEWAY.wallet) == 2 * AMOUNT
    assert f"the relayer {RELAYER} may NOT sign burn intents" in cold.says("balance")
    told = cold.says("delegate", "--chain", BASE)
    assert f"{RELAYER} may sign burn intents of its balance" in told
    cold.sign(told)
    balance = cold.says("balance", "--chain", BASE)
    assert "50.00 USDC can be minted" in balance
    assert f"depositor {COLD}; the relayer {RELAYER} may sign burn intents" in balance
    cold.sign(cold.says("delegate", "--chain", BASE, "--revoke"))
    assert "may NOT sign" in cold.says("balance", "--chain", BASE)
    # Out without Circle.
    world.service.silent = True
    assert "what can be minted is unknown: " in cold.says("balance", "--chain", BASE)
    cold.sign(cold.says("withdraw", "--chain", BASE))
    base.mine(DELAY_BLOCKS)
    cold.sign(cold.says("withdraw", "--chain", BASE))
    assert base.balance(COLD) == STOCK
    assert base.balance(GATEWAY.wallet) == 0


def test_what_cannot_be_done_is_said_in_words(cold: Command) -> None:
    assert "amount must be more than 0" in cold.says(
        "deposit", "--chain", BASE, "--amount", "0", code=1
    )
    assert "the profile has no BSC_MAINNET" in cold.says(
        "balance", "--chain", "BSC_MAINNET", code=1
    )
    assert f"delegate: {COLD} is the depositor itself" in cold.says(
        "delegate", "--chain", BASE, "--delegate", COLD, code=1
    )
    assert "delegate " in cold.says("delegate", "--chain", ARBITRUM, "--delegate", "0x12", code=1)
    cold.world.anvils[BASE].rpc("anvil_setCode", GATEWAY.wallet, "0x")
    assert "Circle Gateway's contracts are not there" in cold.says(
        "deposit", "--chain", BASE, "--amount", "1", code=1
    )
    # What it holds is unknown.
    assert "Circle Gateway's contract is not where it should be" in cold.says(
        "balance", "--chain", BASE, code=3
    )
