"""The server does what its OpenAPI document says, asked in some thousand ways over HTTP."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import httpx
import pytest

from tests.processes import ROOT, free_port, new_installation, wait_until

# A stream has no end: tests/api/test_events.py reads it.
ENDLESS = "/v1/events"
# What can be asked has limits that no schema tells: amounts, checksums, routes. And that a key is
# needed is tested here, as schemathesis asks too often from one address.
NOT_CHECKED = "positive_data_acceptance,ignored_auth"
UNAVAILABLE = """
[checks.not_a_server_error]
expected-statuses = ["2xx", "3xx", "4xx", 503]
"""


@dataclass
class Running:
    """`crossway api`, and a key without a limit worth mentioning."""

    url: str
    key: str
    folder: Path

    def asked(
        self, *arguments: str, phases: str = "examples,coverage,fuzzing", silent: bool = False
    ) -> None:
        """Let schemathesis ask a service that is sometimes `silent`; a failure shows it all."""
        config = self.folder / "schemathesis.toml"
        config.write_text(UNAVAILABLE if silent else "")
        program = str(Path(sys.executable).with_name("schemathesis"))
        told = {"SCHEMA_URL": self.url, "SCHEMA_KEY": self.key}
        hooks = {"SCHEMATHESIS_HOOKS": "tests.api.schema_hooks", "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            [
                program, "--config-file", str(config), "run", f"{self.url}/api/openapi.json",
                "--no-color", "-H", f"Authorization: Bearer {self.key}", "--phases", phases,
                "--max-examples", "4", "--generation-deterministic", "--no-shrink",
                "--exclude-checks", NOT_CHECKED,
                "--request-timeout", "20", "--continue-on-failure", *arguments,
            ],
            cwd=self.folder, env={**os.environ, **told, **hooks},
            capture_output=True, text=True, timeout=400,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-2_000:]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder, port = tmp_path_factory.mktemp("data"), free_port()
    url = f"http://127.0.0.1:{port}"
    with new_installation(f"sqlite:///{folder / 'test.db'}", folder) as crossway:
        made = ("--client", "Shop", "--mode", "test", "--rate", "1000000", "--quiet")
        key = crossway.run("keys", "create", *made)
        # It believes whatever address a request says it is from.
        crossway.start("api", "crossway", "api", "--port", str(port), TRUSTED_PROXIES="127.0.0.1")
        wait_until("the API answers", lambda: crossway.answers("api", f"{url}/healthz"))
        yield Running(url, key, folder)


def test_without_a_good_key_every_operation_is_closed(running: Running) -> None:
    document = httpx.get(f"{running.url}/api/openapi.json").json()
    turn = count()
    for path, item in document["paths"].items():
        for method, operation in item.items():
            named = re.sub(r"\{\w+\}", "1", path)
            for key in ({}, {"authorization": "Bearer cr_test_wrong"}):
                # Each from an address of its own: of one, few may come without a key.
                headers = {**key, "x-forwarded-for": f"10.1.0.{next(turn)}"}
                answer = httpx.request(method, f"{running.url}/api{named}", headers=headers)
                free = operation.get("security") == []
                assert (answer.status_code == 401) or free, (method, path, answer.text)
                assert answer.status_code in (401, 404), (method, path, answer.text)


def test_every_answer_is_a_documented_one(running: Running) -> None:
    running.asked("--exclude-path", ENDLESS, "--exclude-path-regex", "faults$")


def test_with_chains_and_providers_that_misbehave_too(running: Running) -> None:
    """Last, as nothing switches off again what is switched on here."""
    asked = r"faults$|quotes/|chains/balances|ramp/quotes|ramp/orders$|v1/intents$|kyc$"
    running.asked("--include-path-regex", "faults$", silent=True)
    running.asked("--include-path-regex", asked, phases="examples,fuzzing", silent=True)
