"""What an operator does on Tron before going live, by commands against a chain of this machine."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from re import findall

import pytest
from typer.testing import CliRunner

from crossway.adapters.chains.tron.address_format import to_evm_address
from crossway.cli.program import cli
from tests.chains import anvil
from tests.chains.anvil import RELAYER_KEY
from tests.chains.tron.front import SECRET
from tests.chains.tron.node import RELAYER, TRON, USDT, Tron, running


@dataclass
class Desk:
    """A chain without contracts, and an operator with a profile of it."""

    one: Tron
    profile: Path
    environment: dict[str, str]

    def says(self, *words: str, code: int = 0) -> str:
        """What a command prints; it must end with this code, and never show a key."""
        told = CliRunner().invoke(cli, list(words), env=self.environment)
        text = told.stdout + told.stderr
        assert RELAYER_KEY[2:] not in text
        assert SECRET not in text
        assert "Traceback" not in text
        assert told.exit_code == code, text
        return text

    def names(self, contracts: dict[str, str]) -> None:
        """Write the contracts into the profile."""
        inside = ", ".join(f'{field} = "{a}"' for field, a in contracts.items())
        self.profile.write_text(
            f'[chains.{TRON}]\nrpc = ["http://${{TRON_KEY}}@{self.one.front.host}"]\n'
            f'key = "env:RELAYER"\nrelayer = "{RELAYER.address}"\n'
            f'treasury = "{self.one.treasury}"\n'
            f"contracts = {{ {inside} }}\n"
        )


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with running(ready=False) as one:
        one.machine.automine = True
        one.anvil.rpc("anvil_setCode", to_evm_address(USDT), anvil.token_code("Plain"))
        profile = tmp_path / "profile.toml"
        environment = {
            "CROSSWAY_NETWORK": "live",
            "CROSSWAY_PROFILE": str(profile),
            "RELAYER": RELAYER_KEY,
            "CROSSWAY_DATA_DIR": str(tmp_path / "data"),
            "TRON_KEY": SECRET,
        }
        made = Desk(one, profile, environment)
        made.names({"prefix": "0xff"})
        yield made


def test_an_operator_goes_live_as_the_doctor_says(desk: Desk) -> None:
    one, deploy = desk.one, ("contracts", "deploy", "--yes")
    first = desk.says("doctor", code=1)
    for remedy in ("contracts deploy --chain", "Send TRX for fees", "Send some, such as USDT"):
        assert remedy in first
    assert "has insufficient TRX" in desk.says(*deploy, code=1)
    one.anvil.rpc("anvil_setBalance", to_evm_address(one.relayer), hex(5_000 * 10**6))
    told = desk.says(*deploy)
    contracts = dict(findall(r'contracts\.(\w+) = "(T\w+)"', told))
    assert set(contracts) == {"factory", "escrow", "filler"}
    desk.names({**contracts, "prefix": "0xff"})
    assert desk.says("contracts", "verify").count("✓") == 4
    assert "all contracts are deployed" in desk.says(*deploy)
    one.put_token(USDT)
    assert f"contracts approve --chain {TRON} --token USDT" in desk.says("doctor", code=1)
    desk.says("contracts", "approve", "--chain", TRON, "--yes")
    assert "nothing to change" in desk.says("contracts", "approve", "--chain", TRON, "--yes")
    assert "No problems found" in desk.says("doctor")
    assert one.front.keys == {SECRET}


def test_contracts_that_do_not_belong_together_are_told(desk: Desk) -> None:
    one = desk.one
    one.anvil.rpc("anvil_setBalance", to_evm_address(one.relayer), hex(50_000 * 10**6))
    told = desk.says("contracts", "deploy", "--yes")
    first = dict(findall(r'contracts\.(\w+) = "(T\w+)"', told))
    # The same bytes upon the same block would be the same transaction.
    one.mine(10)
    again = dict(findall(r'contracts\.(\w+) = "(T\w+)"', desk.says("contracts", "deploy", "--yes")))
    desk.names({**first, "escrow": again["escrow"], "prefix": "0xff"})
    assert "other code than this factory's escrow" in desk.says("contracts", "verify", code=1)
    desk.names({**first, "filler": first["escrow"], "prefix": "0xff"})
    assert "other code" in desk.says("contracts", "deploy", "--yes", code=1)
    desk.names({"filler": first["filler"], "prefix": "0xff"})
    assert "an escrow knows one factory" in desk.says("contracts", "deploy", "--yes", code=1)
    desk.names({**first, "factory": RELAYER.address[:-1] + "2"})
    assert "contracts.factory has a wrong base58check" in desk.says("doctor", code=1)


def test_a_factory_that_is_told_the_wrong_first_byte_is_not_created(desk: Desk) -> None:
    desk.one.anvil.rpc("anvil_setBalance", to_evm_address(desk.one.relayer), hex(5_000 * 10**6))
    # The machine of tests hashes with 0xff, so that here the byte of Tron is the wrong one.
    desk.names({})
    assert "the node returned an error: REVERT" in desk.says("contracts", "deploy", "--yes", code=1)
