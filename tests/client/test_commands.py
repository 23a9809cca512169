"""The commands that speak to a running service."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from crossway.bootstrap import Service
from crossway.client import Crossway
from tests.api.conftest import USDC_ARBITRUM, USDC_BASE, WALLET, new_key

Run = Callable[..., "subprocess.CompletedProcess[str]"]
CREATE = (
    "intents", "create", "--amount", "25000000", "--token-in", USDC_BASE,
    "--source-chain", "BASE_MAINNET", "--destination-chain", "ARBITRUM_MAINNET",
    "--recipient", WALLET, "--refund-address", WALLET,
)  # fmt: skip


@pytest.fixture
def secret(service: Service) -> str:
    return new_key(service)[2]


@pytest.fixture
def run(secret: str, url: str, tmp_path: Path) -> Run:
    """Runs `crossway …` in a folder of its own, with a key and the service's URL."""
    environment = {**os.environ, "CROSSWAY_API_KEY": secret, "CROSSWAY_API_URL": url}

    def command(*arguments: str, **changed: str) -> subprocess.CompletedProcess[str]:
        program = Path(sys.executable).with_name("crossway")
        return subprocess.run(
            [program, *arguments],
            cwd=tmp_path,
            env=environment | changed,
            capture_output=True,
            text=True,
            timeout=60,
        )

    return command


def test_a_payment_is_created_shown_and_listed(run: Run) -> None:
    made = json.loads(run(*CREATE, "--metadata", '{"order": "A-1"}', "--json").stdout)
    assert made["initialAmount"] == 25_000_000
    shown = run("intents", "show", str(made["id"])).stdout
    assert made["intent_address"] in shown
    assert "PENDING" in shown
    listed = run("intents", "list").stdout.splitlines()
    assert listed[0].split() == ["#", "status", "deposit", "from", "to", "address", "created"]
    assert made["intent_address"] in listed[1]


def test_a_watch_says_how_it_ended(run: Run, service: Service, secret: str, url: str) -> None:
    number = str(json.loads(run(*CREATE, "--json").stdout)["id"])
    with Crossway(secret, url) as crossway:
        address = crossway.intents.get(number).intent_address
        crossway.calls.post("/sandbox/deposits", {"address": address, "amount": "exact"})
        while not crossway.intents.get(number).ended:
            crossway.calls.post("/sandbox/clock", {"advanceSeconds": 2})
            service.engine.tick()
    watched = run("intents", "watch", number)
    assert "COMPLETED" in watched.stdout
    assert watched.returncode == 0


def test_quotes_are_a_table(run: Run) -> None:
    asked = ("--destination-chain", "ARBITRUM_MAINNET", "--amount", "25")
    lines = run("quotes", *asked, "--token-out", USDC_ARBITRUM).stdout.splitlines()
    assert lines[0].split()[:3] == ["from", "by", "fee"]
    assert lines[1].startswith("ARBITRUM_MAINNET  same chain")


def test_what_goes_wrong_is_one_sentence(run: Run) -> None:
    assert "CROSSWAY_API_KEY" in run("intents", "list", CROSSWAY_API_KEY="").stderr
    refused = run("intents", "list", CROSSWAY_API_KEY="cr_test_wrong")
    assert (refused.returncode, refused.stderr) == (1, "crossway: 401: Unauthorized\n")
    nobody = run("intents", "show", "1", CROSSWAY_API_URL="http://127.0.0.1:1")
    assert nobody.returncode == 1
    assert len(nobody.stderr.splitlines()) == 1
    assert "Traceback" not in nobody.stderr
