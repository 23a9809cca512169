"""The commands that speak to a running service."""

import json
import logging
import os
import signal
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result

from crossway.bootstrap import Service
from crossway.engine.fan_out import fan_out
from crossway_client import Crossway, verify_webhook
from tests.api.conftest import USDC_ARBITRUM, USDC_BASE, WALLET, new_key
from tests.commands import crossway
from tests.processes import wait_until
from tests.receivers import Receiver, running_receiver

Run = Callable[..., Result]
CREATE = (
    "intents", "create", "--amount", "25000000", "--token-in", USDC_BASE,
    "--source-chain", "BASE_MAINNET", "--destination-chain", "ARBITRUM_MAINNET",
    "--recipient", WALLET, "--refund-address", WALLET,
)  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def log_elsewhere() -> Iterator[None]:
    """The service is in the process of the commands, whose output its log is no part of."""
    logger = logging.getLogger("crossway")
    kept, logger.handlers = logger.handlers, [logging.StreamHandler(sys.__stderr__)]
    yield
    logger.handlers = kept


@pytest.fixture
def secret(service: Service) -> str:
    return new_key(service)[2]


@pytest.fixture
def run(secret: str, url: str, tmp_path: Path) -> Run:
    """Runs `crossway …` with a key and the service's URL."""
    settings = {"CROSSWAY_API_KEY": secret, "CROSSWAY_API_URL": url}

    def command(*arguments: str, **changed: str) -> Result:
        return crossway(tmp_path, *arguments, **(settings | changed))

    return command


def test_a_payment_is_created_shown_and_listed(run: Run) -> None:
    body = json.loads(run(*CREATE, "--metadata", '{"order": "A-1"}', "--json").stdout)
    assert body["initialAmount"] == "25000000"
    text = run("intents", "show", str(body["id"])).stdout
    assert body["intent_address"] in text
    assert "PENDING" in text
    listed = run("intents", "list").stdout.splitlines()
    assert listed[0].split() == ["id", "status", "deposit", "from", "to", "address", "created"]
    assert body["intent_address"] in listed[1]


def test_a_watch_prints_the_final_status(run: Run, service: Service, secret: str, url: str) -> None:
    number = str(json.loads(run(*CREATE, "--json").stdout)["id"])
    with Crossway(secret, url) as crossway:
        address = crossway.intents.get(number).intent_address
        crossway.sandbox.deposit(address)
        while not crossway.intents.get(number).ended:
            crossway.sandbox.set_clock(advance_seconds=2)
            service.engine.tick()
    watched = run("intents", "watch", number)
    assert "COMPLETED" in watched.stdout
    assert watched.exit_code == 0


def test_quotes_are_a_table(run: Run) -> None:
    options = ("--destination-chain", "ARBITRUM_MAINNET", "--amount", "25")
    lines = run("quotes", *options, "--token-out", USDC_ARBITRUM).stdout.splitlines()
    assert lines[0].split()[:3] == ["from", "by", "fee"]
    assert lines[1].split()[:3] == ["ARBITRUM_MAINNET", "same", "chain"]


def test_ramps_are_tables_and_exact_json(run: Run) -> None:
    options = ("--fiat-currency", "NGN", "--crypto-amount", "25", "--chain", "ARBITRUM_MAINNET")
    lines = run("ramp", "quotes", *options).stdout.splitlines()
    assert lines[0].startswith("provider")
    assert {line.split()[0] for line in lines[1:]} == {"FONBNK", "PAYCREST", "YELLOW_CARD"}
    answer = json.loads(run("ramp", "quotes", *options, "--json").stdout)
    assert isinstance(answer[0]["fiatAmount"], float)
    assert json.loads(run("ramp", "orders", "list", "--status", "INITIATED", "--json").stdout) == []
    assert "status must be one of" in run("ramp", "orders", "list", "--status", "NONE").stderr


def test_an_endpoint_is_created_and_listed(run: Run) -> None:
    text = run("webhooks", "create", "http://127.0.0.1:9/hook", "--event", "intent_funded").stdout
    assert "whsec_" in text
    listed = run("webhooks", "list").stdout.splitlines()
    assert listed[0].split() == ["id", "state", "events", "url"]
    assert listed[1].split()[1:] == ["on", "intent_funded", "http://127.0.0.1:9/hook"]


def test_a_listener_forwards_signed_events_to_a_local_url(
    run: Run, service: Service, secret: str, url: str, tmp_path: Path
) -> None:
    signed = f"whsec_{b64encode(b'a secret of twenty-four ').decode()}"
    listener_environment = {"CROSSWAY_API_KEY": secret, "CROSSWAY_WEBHOOK_SECRET": signed}
    program = str(Path(sys.executable).with_name("crossway"))
    with running_receiver() as shop, (tmp_path / "log").open("wb") as log:
        command = [program, "--api-url", url, "webhooks", "listen", "--forward", shop.url]
        listener = subprocess.Popen(
            command, env={**os.environ, **listener_environment}, stdout=log, stderr=log
        )
        try:
            wait_until("an event comes", lambda: _one_more(service, run, shop), within=60)
            wait_until("it is told", lambda: "-> 200" in (tmp_path / "log").read_text())
        finally:
            listener.send_signal(signal.SIGINT)
            assert listener.wait(20) == 0
        request = shop.requests[0]
        event = verify_webhook(request.body, request.headers, signed)
    assert event.type == "intent_created"
    assert event.id in (tmp_path / "log").read_text()


def test_a_watch_that_is_interrupted_does_not_look_like_a_completed_payment(
    run: Run, secret: str, url: str, tmp_path: Path
) -> None:
    number = str(json.loads(run(*CREATE, "--json").stdout)["id"])
    program = str(Path(sys.executable).with_name("crossway"))
    with (tmp_path / "log").open("wb") as log:
        watcher = subprocess.Popen(
            [program, "--api-url", url, "intents", "watch", number],
            env={**os.environ, "CROSSWAY_API_KEY": secret},
            stdout=log,
            stderr=log,
            # Who runs the tests in the background lets them ignore an interruption.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        try:
            wait_until("a status is told", lambda: "PENDING" in (tmp_path / "log").read_text())
        finally:
            watcher.send_signal(signal.SIGINT)
            assert watcher.wait(20) == 130


def _one_more(service: Service, run: Run, shop: Receiver) -> bool:
    """Create a payment, as a stream contains only events after its start."""
    run(*CREATE)
    fan_out(service.services)
    with shop.wait_for_count:
        return shop.wait_for_count.wait_for(lambda: bool(shop.requests), 2)


def test_the_url_can_be_an_option(run: Run, secret: str, url: str) -> None:
    nothing = {"CROSSWAY_API_KEY": "", "CROSSWAY_API_URL": ""}
    named = ("--api-key", secret, "--api-url", url)
    assert run(*named, "intents", "list", **nothing).exit_code == 0
    assert secret not in run("--help").stdout
    wrong = run("--api-url", "localhost:8600", "intents", "list")
    assert (wrong.exit_code, "must be a URL" in wrong.stderr) == (2, True)


def test_errors_are_one_sentence(run: Run) -> None:
    assert "CROSSWAY_API_KEY" in run("intents", "list", CROSSWAY_API_KEY="").stderr
    refused = run("intents", "list", CROSSWAY_API_KEY="cr_test_wrong")
    assert (refused.exit_code, refused.stderr) == (1, "crossway: Unauthorized\n")
    nobody = run("intents", "show", "1", CROSSWAY_API_URL="http://127.0.0.1:1")
    assert nobody.exit_code == 3
    assert len(nobody.stderr.splitlines()) == 1
    assert "Traceback" not in nobody.stderr
