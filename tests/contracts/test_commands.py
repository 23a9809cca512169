"""What an operator does before going live, by commands against a chain of this machine."""

import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from crossway.adapters.chains.evm.contracts import default_deployment
from crossway.adapters.chains.evm.transactions import KEYS
from crossway.adapters.chains.rpc.keys import load_signer
from crossway.adapters.chains.words import address_word, number_word
from crossway.cli.program import cli
from crossway.domain.ledger import Account
from crossway.ports.treasury_repository import PostingFilter
from crossway.storage.store import open_store
from crossway.usecases.money.operator_transactions import post_once
from tests.chains.anvil import RELAYER, RELAYER_KEY, TREASURY, Anvil, dollars, running, token_code
from tests.chains.live import BASE, write_profile
from tests.contracts.gas import AT, gas_used, payment
from tests.databases import new_sqlite
from tests.processes import PATIENCE_SECONDS

CHAIN = "BASE_MAINNET"


@dataclass
class Desk:
    """A chain without contracts, and an operator with a profile of it."""

    one: Anvil
    environment: dict[str, str]

    def says(self, *words: str, code: int = 0, asked: str = "") -> str:
        """What a command prints; it must end with this code, and never show the key."""
        told = CliRunner().invoke(cli, list(words), env=self.environment, input=asked)
        text = told.stdout + told.stderr
        assert RELAYER_KEY[2:] not in text
        assert "Traceback" not in text
        assert told.exit_code == code, text
        return text


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with running(CHAIN, ready=False) as one:
        one.rpc("evm_setAutomine", True)
        one.rpc("anvil_setCode", dollars(CHAIN), token_code("Plain"))
        profile = tmp_path / "profile.toml"
        profile.write_text(
            f'bridges = ["INVENTORY"]\n[chains.{CHAIN}]\nrpc = ["{one.url}"]\n'
            f'key = "env:CROSSWAY_RELAYER_KEY_BASE"\n'
            f'relayer = "{RELAYER}"\n'
            f'treasury = "{TREASURY}"\n'
        )
        settings = {"NETWORK": "live", "PROFILE": str(profile), "DATA_DIR": str(tmp_path / "data")}
        environment = {f"CROSSWAY_{name}": value for name, value in settings.items()}
        yield Desk(one, {**environment, "CROSSWAY_RELAYER_KEY_BASE": RELAYER_KEY})


def test_an_operator_goes_live_as_the_doctor_says(desk: Desk) -> None:
    one, deploy = desk.one, ("contracts", "deploy", "--yes")
    first = desk.says("doctor", code=1)
    for remedy in ("contracts deploy --chain", "Send ETH for fees", "Send some, such as USDC"):
        assert remedy in first
    assert "has insufficient ETH" in desk.says(*deploy, code=1)
    one.rpc("anvil_setBalance", RELAYER, hex(10**20))
    assert "nothing was done" in desk.says("contracts", "deploy", code=1, asked="n\n")
    listed = desk.says("contracts", "verify", code=1).splitlines()
    assert all(line.endswith("not deployed") for line in listed)
    assert [line.split()[2] for line in listed] == [
        "IntentFactory",
        "Escrow2",
        "Filler2",
        "DepositAddress",
    ]
    assert desk.says(*deploy).count("✓") == len(listed)
    assert "all contracts are deployed" in desk.says(*deploy)
    one.call_token(
        dollars(CHAIN), "mint(address,uint256)", address_word("evm", RELAYER), number_word(10**9)
    )
    assert "contracts approve --chain BASE_MAINNET --token USDC" in desk.says("doctor", code=1)
    desk.says("contracts", "approve", "--chain", CHAIN, "--yes")
    assert "nothing to change" in desk.says("contracts", "approve", "--chain", CHAIN, "--yes")
    assert "No problems found" in desk.says("doctor")
    less = ("contracts", "approve", "--chain", CHAIN, "--token", "USDC", "--limit", "500", "--yes")
    assert "500 USDC allowed" in desk.says(*less)
    assert "not all of it approved" in desk.says("doctor", code=1)


def test_contracts_of_the_bridges_that_a_profile_names_are_deployed_where_a_block_has_room(
    desk: Desk,
) -> None:
    one, deploy = desk.one, ("contracts", "deploy", "--yes")
    path = Path(desk.environment["CROSSWAY_PROFILE"])
    path.write_text(path.read_text().replace("INVENTORY", "CCTP"))
    one.rpc("anvil_setBalance", RELAYER, hex(10**20))
    one.rpc("evm_setBlockGasLimit", hex(2_000_000))
    one.mine()
    text = desk.says(*deploy, code=1)
    sentence = "CCTP_FAST needs 3,123,706 gas and a block of Base has 2,000,000"
    assert text.index(sentence) < text.index("sends")
    assert text.count("✓") == 5
    text = desk.says(*deploy, code=1)
    assert sentence in text
    assert "sends" not in text
    assert "all contracts are deployed" not in text
    one.rpc("evm_setBlockGasLimit", hex(30_000_000))
    one.mine()
    assert desk.says(*deploy).count("✓") == 9
    assert "all contracts are deployed" in desk.says(*deploy)
    assert "ACROSS" not in desk.says("contracts", "verify")
    assert "CCTP reaches BASE_MAINNET of the profile's chains" in desk.says("doctor", code=1)


def test_other_code_in_the_place_of_a_contract_is_told(desk: Desk) -> None:
    desk.one.rpc("anvil_setBalance", RELAYER, hex(10**20))
    desk.says("contracts", "deploy", "--yes")
    desk.one.rpc("anvil_setCode", default_deployment().escrow, token_code("Plain"))
    assert "other code" in desk.says("contracts", "verify", code=1)
    assert "other code" in desk.says("contracts", "deploy", "--yes", code=1)
    assert "Do not use this chain or this node" in desk.says("doctor", code=1)


def test_a_wrong_or_silent_node_and_a_missing_key_are_told(desk: Desk, tmp_path: Path) -> None:
    path = Path(desk.environment["CROSSWAY_PROFILE"])
    right = path.read_text()
    path.write_text(right.replace(CHAIN, "ARBITRUM_MAINNET"))
    assert "has chain 8453 and not 42161" in desk.says("doctor", code=1)
    path.write_text(right.replace(desk.one.url, "http://127.0.0.1:1/secret"))
    told = desk.says("doctor", code=1)
    assert "gave no answer" in told
    assert "secret" not in told
    path.write_text(right)
    desk.one.rpc("evm_increaseTime", 7_200)
    desk.one.mine()
    desk.environment["CROSSWAY_RELAYER_KEY_BASE"] = ""
    told = desk.says("doctor", code=1)
    assert "old by this machine's clock" in told
    assert "the environment has no CROSSWAY_RELAYER_KEY_BASE" in told
    assert "has no X" in desk.says("contracts", "verify", "--chain", "X", code=1)


def test_what_bridges_charged_is_withdrawn(desk: Desk) -> None:
    one = desk.one
    one.rpc("anvil_setBalance", RELAYER, hex(10**20))
    desk.says("contracts", "deploy", "--yes")
    one.put_token(dollars(CHAIN))
    paid = payment(one, "settled", 25_000_000)
    gas_used(one, AT.factory, paid.start())
    gas_used(one, AT.escrow2, paid.settle((RELAYER, 24_000_000)))
    assert desk.says("contracts", "retained") == f"{CHAIN}: 1 USDC\n"
    take = ("contracts", "withdraw", "--chain", CHAIN, "--token", "USDC", "--yes")
    desk.says(*take)
    assert one.balance(TREASURY) == 1_000_000
    assert "retained no USDC" in desk.says(*take)


def test_what_a_command_costs_and_moves_is_booked_once(desk: Desk, tmp_path: Path) -> None:
    one, data = desk.one, tmp_path / "data"
    one.rpc("anvil_setBalance", RELAYER, hex(10**20))
    assert "booked" not in desk.says("contracts", "deploy", "--yes"), "there are no books yet"
    data.mkdir(exist_ok=True)
    before = int(one.rpc("eth_getBalance", RELAYER, "latest"), 16)
    store = open_store(new_sqlite(data))
    one.put_token(dollars(CHAIN))
    paid = payment(one, "settled", 25_000_000)
    gas_used(one, AT.factory, paid.start())
    gas_used(one, AT.escrow2, paid.settle((RELAYER, 24_000_000)))
    before = int(one.rpc("eth_getBalance", RELAYER, "latest"), 16)
    take = ("contracts", "withdraw", "--chain", CHAIN, "--token", "USDC", "--yes")
    assert "  booked\n" in desk.says(*take)
    cost = before - int(one.rpc("eth_getBalance", RELAYER, "latest"), 16)
    with store.read() as unit:
        booked = {key: units for key, units in unit.ledger.get_balances().items() if units}
    native, usdc = "0x" + "0" * 40, dollars(CHAIN)
    assert booked == {
        (Account.NETWORK_FEES, CHAIN, native): cost,
        (Account.INVENTORY, CHAIN, native): -cost,
        (Account.TREASURY, CHAIN, usdc): 1_000_000,
        (Account.SPREAD, CHAIN, usdc): -1_000_000,
    }
    with store.read() as unit:
        [first, _] = unit.ledger.list_page(PostingFilter(), 2)
        again = [posted.posting for posted in unit.ledger.list_page(PostingFilter(), 2)]
    assert not store.write(lambda unit: post_once(unit, again, first.at))
    store.close()


def test_a_new_account_exists_only_encrypted(tmp_path: Path) -> None:
    path, password = tmp_path / "relayer.json", tmp_path / "password"
    password.write_text("a long password\n")
    made = ("contracts", "account", str(path), "--password", f"file:{password}")
    told = CliRunner().invoke(cli, list(made))
    assert told.exit_code == 0, told.output
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert json.loads(path.read_text())["crypto"]["kdf"] == "scrypt"
    assert load_signer(KEYS, f"keystore:{path}", f"file:{password}", {}).address in told.stdout
    assert CliRunner().invoke(cli, list(made)).exit_code == 1


WITHOUT_A_LIBRARY = (
    "import sys; sys.modules['eth_abi'] = None; from crossway.cli.program import cli; cli()"
)


@pytest.mark.parametrize("words", [["where"], ["account", "new.json", "--password", "env:NONE"]])
def test_without_the_libraries_of_live_chains_a_sentence_says_so(
    words: list[str], tmp_path: Path
) -> None:
    """As `make run` installs them: in a process of its own, which cannot import one of them."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_A_LIBRARY, "contracts", *words],
        cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE_SECONDS,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("crossway: eth_abi")
    needed = "is not installed: live chains need pip install 'crossway[live]'\n"
    assert done.stderr.partition(" ")[2].partition(" ")[2] == needed


def test_the_doctor_says_so_too(tmp_path: Path) -> None:
    profile = write_profile(tmp_path, {BASE: ["http://127.0.0.1:9"]})
    live = {"CROSSWAY_NETWORK": "live", "CROSSWAY_PROFILE": str(profile)}
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_A_LIBRARY, "doctor"],
        cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE_SECONDS,
        env={**os.environ, **live, "CROSSWAY_DATA_DIR": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 1
    assert "is not installed: live chains need pip install 'crossway[live]'" in done.stdout
    assert "Traceback" not in done.stderr
