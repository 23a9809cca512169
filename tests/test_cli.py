"""The command line: one sentence for what goes wrong, one key and nothing else when asked."""

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest


def crossway(folder: Path, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("CROSSWAY_")}
    environment = {**kept, "CROSSWAY_DATA_DIR": str(folder), **settings}
    command = [sys.executable, "-c", "from crossway.cli import main; main()", *arguments]
    return subprocess.run(
        command, env=environment, cwd=folder, capture_output=True, text=True, check=False
    )


def test_a_quiet_creation_prints_one_key_and_nothing_else(tmp_path: Path) -> None:
    made = crossway(tmp_path, "keys", "create", "--client", "A", "--mode", "test", "--quiet")
    assert (made.returncode, made.stderr) == (0, "")
    assert re.fullmatch(r"cr_test_[A-Za-z0-9_-]{32}\n", made.stdout)
    listed = crossway(tmp_path, "keys", "list").stdout
    assert made.stdout[:12] in listed
    assert made.stdout.strip() not in listed
    assert stat.S_IMODE((tmp_path / "secret.key").stat().st_mode) == 0o600


def test_a_key_is_revoked_once(tmp_path: Path) -> None:
    crossway(tmp_path, "keys", "create", "--client", "A", "--mode", "live")
    assert crossway(tmp_path, "keys", "revoke", "1").returncode == 0
    again = crossway(tmp_path, "keys", "revoke", "1")
    assert again.returncode == 1
    assert again.stderr == "crossway: Key not found, or revoked already\n"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"CROSSWAY_NETWORK": "live"}, "CROSSWAY_PROFILE must name the file"),
        ({"CROSSWAY_NETWORK": "moon"}, "CROSSWAY_NETWORK:"),
        ({"CROSSWAY_INTENT_LIFE_SECONDS": "10"}, "CROSSWAY_INTENT_LIFE_SECONDS:"),
        ({"CROSSWAY_DATABASE_URL": "nonsense"}, "CROSSWAY_DATABASE_URL"),
        ({"CROSSWAY_SECRET_KEY": "short"}, "secret key"),
    ],
)
def test_doctor_says_what_is_wrong_one_line_a_finding(
    tmp_path: Path, settings: dict[str, str], said: str
) -> None:
    found = crossway(tmp_path, "doctor", **settings)
    assert found.returncode == 1
    assert said in found.stdout
    assert "Traceback" not in found.stdout + found.stderr


def test_doctor_finds_a_secret_key_that_others_can_read(tmp_path: Path) -> None:
    assert crossway(tmp_path, "doctor").stdout == "No problems found\n"
    crossway(tmp_path, "keys", "list")
    (tmp_path / "secret.key").chmod(0o644)
    assert "chmod 600" in crossway(tmp_path, "doctor").stdout


def test_commands_fail_in_words(tmp_path: Path) -> None:
    refused = crossway(tmp_path, "keys", "list", CROSSWAY_DATABASE_URL="nonsense")
    assert refused.returncode == 1
    assert refused.stderr.startswith("crossway: ")
    assert "Traceback" not in refused.stderr


LIVE = """prices = "fixed"
[chains.BASE_TESTNET]
rpc = ["http://127.0.0.1:1"]
key = "env:RELAYER_KEY"
treasury = "0x52908400098527886E0F7030069857D2E4169EE7"
"""


@pytest.mark.parametrize(
    ("profile", "command", "said"),
    [
        (LIVE, "contracts verify", "gave no answer"),
        (LIVE, "contracts approve --chain BASE_TESTNET", "gave no answer"),
        (LIVE.replace("127.0.0.1:1", "[x"), "doctor", "chains.BASE_TESTNET.rpc: URL 1 must"),
        (LIVE.replace("127.0.0.1:1", "x:99999"), "doctor", "chains.BASE_TESTNET.rpc: URL 1 must"),
        (LIVE + "foo = 1", "doctor", "chains.BASE_TESTNET.foo: there is no such field"),
        (LIVE.replace("key =", "kee ="), "doctor", "chains.BASE_TESTNET.key: is missing"),
        (LIVE.replace("env:RELAYER_KEY", "0x" + "11" * 32), "doctor", "never a key itself"),
        (LIVE + "quorum = 2", "doctor", "BASE_TESTNET: quorum must not be more than there are"),
    ],
)
def test_commands_of_live_chains_say_in_words_what_is_wrong_with_a_profile(
    tmp_path: Path, profile: str, command: str, said: str
) -> None:
    (tmp_path / "profile.toml").write_text(profile)
    found = crossway(
        tmp_path,
        *command.split(),
        CROSSWAY_NETWORK="live",
        CROSSWAY_PROFILE="profile.toml",
        RELAYER_KEY="11" * 32,
    )
    told = found.stdout + found.stderr
    assert found.returncode == 1
    assert said in told
    assert "Traceback" not in told
    assert "1111" not in told


def test_a_key_store_that_is_there_is_left_alone_in_words(tmp_path: Path) -> None:
    (tmp_path / "relayer.json").write_text("mine")
    made = crossway(
        tmp_path, "contracts", "account", "relayer.json", "--password", "env:WORD", WORD="a" * 20
    )
    assert made.returncode == 1
    assert made.stderr == "crossway: relayer.json already exists and was not changed\n"
    assert (tmp_path / "relayer.json").read_text() == "mine"
