"""The command by which a coordinator takes out what is parked for a recipient, on real chains."""

from datetime import timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.evm.parked import UNPARK_SECONDS
from crossway.adapters.chains.words import address_word, number_word
from crossway.cli.program import cli
from crossway.domain.bridge_transfer import BridgeTransferState
from crossway.domain.intent import State
from crossway.domain.ledger import Account
from crossway.usecases.money.reconciliation import reconcile
from tests.bridges.cctp_chains import DEPLOYMENT, CctpWorld, call
from tests.bridges.test_cctp_failures import reaches, sent, transfer_of
from tests.bridges.test_cctp_payments import booked
from tests.chains.anvil import RELAYER, RELAYER_KEY, RICH, dollars
from tests.chains.live import ARBITRUM, BASE
from tests.databases import fast

S = BridgeTransferState


class Command:
    """`crossway contracts unpark` beside a running service."""

    def __init__(self, folder: Path) -> None:
        settings = {
            "NETWORK": "live",
            "PROFILE": str(folder / "profile.toml"),
            "DATA_DIR": str(folder / "data"),
            "DATABASE_URL": fast(f"sqlite:///{folder / 'crossway.db'}"),
        }
        self.environment = {f"CROSSWAY_{name}": value for name, value in settings.items()}

    def says(self, payment: int, code: int = 0) -> str:
        words = ["contracts", "unpark", str(payment), "--yes"]
        told = CliRunner().invoke(cli, words, env=self.environment)
        text = told.stdout + told.stderr
        assert "Traceback" not in text
        assert told.exit_code == code, text
        return text


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path)


def test_what_is_parked_is_taken_out_after_a_month(cctp_world: CctpWorld, command: Command) -> None:
    world, arbitrum = cctp_world, cctp_world.anvils[ARBITRUM]
    intent = sent(world)
    world.record_openings()
    assert "nothing is parked for it" in command.says(intent.id, code=1)
    call(arbitrum, dollars(ARBITRUM), "blacklist(address)", intent.terms.recipient)
    world.ends(intent, State.FAILED)
    parked = arbitrum.balance(intent.bridger)
    asked = {"to": intent.bridger, "data": "0x" + keccak256(b"UNPARK_DELAY()")[:4].hex()}
    assert int(arbitrum.rpc("eth_call", asked, "latest"), 16) == UNPARK_SECONDS
    assert "can be taken out from" in command.says(intent.id, code=1)
    arbitrum.rpc("evm_increaseTime", UNPARK_SECONDS)
    arbitrum.mine()
    arbitrum.rpc("evm_setAutomine", True)
    assert "what is parked for payment" in command.says(intent.id)
    arbitrum.rpc("evm_setAutomine", False)
    world.clock.ahead += timedelta(hours=2)
    assert reaches(world, intent, S.UNCLAIMED).reason
    assert arbitrum.balance(intent.bridger) == parked == booked(world, Account.OWED)
    assert "nothing is parked for it" in command.says(intent.id, code=1)
    assert world.now(intent).state is State.FAILED
    assert reconcile(world.services, world.operator).sentences() == [
        "The books and the chains agree."
    ]
    assert transfer_of(world, intent).state is S.UNCLAIMED


def test_a_cold_coordinator_gets_the_call_to_sign(
    cctp_world: CctpWorld, command: Command, tmp_path: Path
) -> None:
    world, arbitrum = cctp_world, cctp_world.anvils[ARBITRUM]
    intent = sent(world)
    call(arbitrum, dollars(ARBITRUM), "blacklist(address)", intent.terms.recipient)
    world.ends(intent, State.FAILED)
    arbitrum.rpc("evm_increaseTime", UNPARK_SECONDS)
    arbitrum.mine()
    # The relayer has another account since.
    for chain, one in world.anvils.items():
        allowed = address_word("evm", DEPLOYMENT.filler2), number_word(2**256 - 1)
        one.call_token(dollars(chain), "approve(address,uint256)", *allowed)
    profile = tmp_path / "profile.toml"
    text = profile.read_text().replace(RELAYER, RICH.address)
    lines = [line for line in text.splitlines() if not line.startswith("key")]
    profile.write_text("\n".join(lines).replace("quorum =", 'key = "env:NOT_HERE"\nquorum ='))
    told = command.says(intent.id)
    assert f"the coordinator {RELAYER} signs" in told
    data = bytes.fromhex(told.partition("data      0x")[2].split()[0])
    arbitrum.transact(intent.bridger, data, key=RELAYER_KEY)
    arbitrum.mine()
    world.clock.ahead += timedelta(hours=2)
    reaches(world, intent, S.UNCLAIMED)


def test_payments_that_no_bridge_carries_have_nothing_parked(
    cctp_world: CctpWorld, command: Command
) -> None:
    intent = cctp_world.pay(to=BASE)
    assert "nothing is parked for it on BASE_MAINNET" in command.says(intent.id, code=1)
