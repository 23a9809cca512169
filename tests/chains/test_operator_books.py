"""What an operator's commands move and cost on real chains is in the books, once."""

from pathlib import Path

from typer.testing import CliRunner

from crossway.adapters.chains.evm.contracts import default_deployment
from crossway.cli.program import cli
from crossway.domain.intent import State
from crossway.domain.ledger import NO_INTENT, Account
from crossway.usecases.money import reconciliation_runs
from tests.chains.anvil import dollars
from tests.chains.live import BASE, LiveWorld

AGREE = ["The books and the chains agree."]


def withdraw(world: LiveWorld, folder: Path) -> str:
    environment = {
        "CROSSWAY_NETWORK": "live",
        "CROSSWAY_PROFILE": str(folder / "profile.toml"),
        "CROSSWAY_DATABASE_URL": f"sqlite:///{folder / 'crossway.db'}",
        "CROSSWAY_DATA_DIR": str(folder / "data"),
    }
    words = ("contracts", "withdraw", "--chain", BASE, "--token", "USDC", "--yes")
    world.hands[BASE].rpc("evm_setAutomine", True)
    told = CliRunner().invoke(cli, list(words), env=environment)
    assert told.exit_code == 0, told.output
    return told.output


def test_what_is_withdrawn_by_a_command_is_at_the_treasury_in_the_books_too(
    world: LiveWorld, tmp_path: Path
) -> None:
    intent = world.pay()
    world.step()
    world.record_openings()
    world.deposit(intent)
    world.ends(intent, State.COMPLETED)
    world.settled(intent)
    kept = world.hands[BASE].balance(default_deployment().escrow2)
    assert kept > 0
    assert "  booked\n" in withdraw(world, tmp_path)
    world.step(12)
    run = reconciliation_runs.run_and_wait(world.services, world.operator)
    assert run.sentences() == AGREE
    usdc = dollars(BASE)
    with world.services.store.read() as unit:
        balances = unit.ledger.get_balances()
        of_operator = unit.ledger.list_by_intent(NO_INTENT)
        assert unit.alerts.list_active() == []
    assert balances[Account.SPREAD, BASE, usdc] == 0
    assert balances[Account.TREASURY, BASE, usdc] == kept
    [fee] = [one for _, one in of_operator if one.debit is Account.NETWORK_FEES]
    assert fee.credit is Account.INVENTORY
    assert fee.amount > 0
