"""The command line: one-sentence errors, quiet output, and checks."""

import os
import re
import stat
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import Result

from crossway.ports.records import Alert
from crossway.storage.store import open_store
from tests.commands import crossway


def started(folder: Path, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """A command as a process of its own."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("CROSSWAY_")}
    environment = {**kept, "CROSSWAY_DATA_DIR": str(folder), **settings}
    command = [sys.executable, "-c", "from crossway.cli import main; main()", *arguments]
    return subprocess.run(
        command, env=environment, cwd=folder, capture_output=True, text=True, check=False
    )


def test_quiet_key_creation_prints_only_the_key(tmp_path: Path) -> None:
    created = started(tmp_path, "keys", "create", "--client", "A", "--mode", "test", "--quiet")
    assert (created.returncode, created.stderr) == (0, "")
    assert re.fullmatch(r"cr_test_[A-Za-z0-9_-]{32}\n", created.stdout)
    listed = crossway(tmp_path, "keys", "list").stdout
    assert created.stdout[:12] in listed
    assert created.stdout.strip() not in listed
    assert stat.S_IMODE((tmp_path / "secret.key").stat().st_mode) == 0o600


def test_a_key_is_revoked_once(tmp_path: Path) -> None:
    crossway(tmp_path, "keys", "create", "--client", "A", "--mode", "live")
    assert crossway(tmp_path, "keys", "revoke", "1").exit_code == 0
    again = crossway(tmp_path, "keys", "revoke", "1")
    assert again.exit_code == 1
    assert again.stderr == "crossway: Key not found, or revoked already\n"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"CROSSWAY_NETWORK": "live"}, "CROSSWAY_PROFILE must name the file"),
        ({"CROSSWAY_NETWORK": "moon"}, "CROSSWAY_NETWORK:"),
        ({"CROSSWAY_INTENT_LIFE_SECONDS": "10"}, "CROSSWAY_INTENT_LIFE_SECONDS:"),
        ({"CROSSWAY_DATABASE_URL": "nonsense"}, "CROSSWAY_DATABASE_URL"),
        ({"CROSSWAY_SECRET_KEY": "short"}, "secret key"),
    ],
)
def test_doctor_reports_one_line_per_finding(
    tmp_path: Path, settings: dict[str, str], message: str
) -> None:
    result = crossway(tmp_path, "doctor", **settings)
    assert result.exit_code == 1
    assert message in result.stdout
    assert "Traceback" not in result.stdout + result.stderr


def test_doctor_reports_a_secret_key_readable_by_other_users(tmp_path: Path) -> None:
    assert crossway(tmp_path, "doctor").stdout == "No problems found\n"
    crossway(tmp_path, "keys", "list")
    (tmp_path / "secret.key").chmod(0o644)
    assert "chmod 600" in crossway(tmp_path, "doctor").stdout
    assert "the dashboard is open: whoever uses this machine" in crossway(tmp_path, "doctor").stdout


def test_doctor_reports_critical_alerts(tmp_path: Path) -> None:
    crossway(tmp_path, "keys", "list")
    store = open_store(f"sqlite:///{tmp_path / 'crossway.db'}")
    at = datetime(2026, 11, 23, 12, 30, tzinfo=UTC)
    for key, kind, text in (
        ("nonce:BASE_MAINNET", "nonce", "Nonce 7 blocks 3 transactions."),
        ("stale:BASE_MAINNET", "node", "The newest block of Base is 6 minutes old."),
    ):
        alert = Alert(key, kind, "BASE_MAINNET", text, at, at, None)
        store.write(lambda unit, alert=alert: unit.alerts.raise_alert(alert))
    store.close()
    result = crossway(tmp_path, "doctor", CROSSWAY_DASHBOARD_PASSWORD="a long password")
    assert result.exit_code == 1
    assert result.stdout == "alert since 2026-11-23 12:30 UTC: Nonce 7 blocks 3 transactions.\n"


def test_failing_commands_print_one_sentence(tmp_path: Path) -> None:
    refused = started(tmp_path, "keys", "list", CROSSWAY_DATABASE_URL="nonsense")
    assert refused.returncode == 1
    assert refused.stderr.startswith("crossway: ")
    assert "Traceback" not in refused.stderr


LIVE = """prices = "fixed"
[chains.BASE_TESTNET]
rpc = ["http://127.0.0.1:1"]
key = "env:RELAYER_KEY"
relayer = "0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A"
treasury = "0x52908400098527886E0F7030069857D2E4169EE7"
"""


def on_live_network(folder: Path, command: str, profile: str = LIVE) -> Result:
    """The result of a command on a live network of this profile."""
    (folder / "profile.toml").write_text(profile)
    return crossway(
        folder,
        *command.split(),
        CROSSWAY_NETWORK="live",
        CROSSWAY_PROFILE=str(folder / "profile.toml"),
        RELAYER_KEY="11" * 32,
    )


@pytest.mark.parametrize("command", ["contracts verify", "contracts approve --chain BASE_TESTNET"])
def test_a_silent_chain_is_told_apart_from_a_refusal(tmp_path: Path, command: str) -> None:
    result = on_live_network(tmp_path, command)
    assert result.exit_code == 3, "the outcome is unknown"
    assert "gave no answer" in result.stdout + result.stderr


@pytest.mark.parametrize(
    ("profile", "command", "message"),
    [
        (LIVE.replace("127.0.0.1:1", "[x"), "doctor", "chains.BASE_TESTNET.rpc: URL 1 must"),
        (LIVE.replace("127.0.0.1:1", "x:99999"), "doctor", "chains.BASE_TESTNET.rpc: URL 1 must"),
        (LIVE + "foo = 1", "doctor", "chains.BASE_TESTNET.foo: there is no such field"),
        (LIVE.replace("key =", "kee ="), "doctor", "chains.BASE_TESTNET.key: is missing"),
        (LIVE.replace("env:RELAYER_KEY", "0x" + "11" * 32), "doctor", "never a key itself"),
        (LIVE + "quorum = 2", "doctor", "BASE_TESTNET: quorum must not be more than there are"),
    ],
)
def test_live_chain_commands_explain_an_invalid_profile(
    tmp_path: Path, profile: str, command: str, message: str
) -> None:
    result = on_live_network(tmp_path, command, profile)
    output = result.stdout + result.stderr
    assert result.exit_code == 1
    assert message in output
    assert "Traceback" not in output
    assert "1111" not in output


def test_an_existing_key_store_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "relayer.json"
    path.write_text("mine")
    created = crossway(
        tmp_path, "contracts", "account", str(path), "--password", "env:WORD", WORD="a" * 20
    )
    assert created.exit_code == 1
    assert created.stderr == f"crossway: {path} already exists and was not changed\n"
    assert path.read_text() == "mine"
