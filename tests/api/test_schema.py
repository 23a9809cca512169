"""The server conforms to its OpenAPI document in thousands of generated requests."""

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

from tests.ports import free_port
from tests.processes import ROOT, new_installation, wait_until

# A stream never ends; tests/api/test_events.py covers it.
ENDLESS = "/v1/events"
# A check of our own in the hooks knows what no schema tells: checksums, routes, states. And that a
# key is needed is tested here, as schemathesis asks too often from one address.
NOT_CHECKED = "positive_data_acceptance,ignored_auth"
UNAVAILABLE = """
[checks.not_a_server_error]
expected-statuses = ["2xx", "3xx", "4xx", 503]
"""


@dataclass
class Running:
    """`crossway api` and a key with a very high rate limit."""

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
        environment = {"SCHEMA_URL": self.url, "SCHEMA_KEY": self.key}
        hooks = {"SCHEMATHESIS_HOOKS": "tests.api.schema_hooks", "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            [
                program, "--config-file", str(config), "run", f"{self.url}/api/openapi.json",
                "--no-color", "-H", f"Authorization: Bearer {self.key}", "--phases", phases,
                "--max-examples", "4", "--generation-deterministic", "--no-shrink",
                "--exclude-checks", NOT_CHECKED,
                "--request-timeout", "20", "--continue-on-failure", *arguments,
            ],
            cwd=self.folder, env={**os.environ, **environment, **hooks},
            capture_output=True, text=True, timeout=400,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-2_000:]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder, port = tmp_path_factory.mktemp("data"), free_port()
    url = f"http://127.0.0.1:{port}"
    with new_installation(f"sqlite:///{folder / 'test.db'}", folder) as crossway:
        options = ("--client", "Shop", "--mode", "test", "--rate", "1000000", "--quiet")
        key = crossway.run("keys", "create", *options)
        # It trusts the address in X-Forwarded-For.
        crossway.start("api", "crossway", "api", "--port", str(port), TRUSTED_PROXIES="127.0.0.1")
        wait_until("the API answers", lambda: crossway.responds("api", f"{url}/healthz"))
        yield Running(url, key, folder)


def test_every_operation_needs_a_valid_key(running: Running) -> None:
    document = httpx.get(f"{running.url}/api/openapi.json").json()
    turn = count()
    for path, item in document["paths"].items():
        for method, operation in item.items():
            named = re.sub(r"\{\w+\}", "1", path)
            for key in ({}, {"authorization": "Bearer cr_test_wrong"}):
                # Each from its own IP address, as requests without a key are limited per address.
                headers = {**key, "x-forwarded-for": f"10.1.0.{next(turn)}"}
                answer = httpx.request(method, f"{running.url}/api{named}", headers=headers)
                free = operation.get("security") == []
                assert (answer.status_code == 401) or free, (method, path, answer.text)
                assert answer.status_code in (401, 404), (method, path, answer.text)


def test_every_response_is_documented(running: Running) -> None:
    running.asked("--exclude-path", ENDLESS, "--exclude-path-regex", "faults$")


def test_responses_stay_documented_during_faults(running: Running) -> None:
    """The last test: the faults that it injects are not reset."""
    asked = r"faults$|quotes/|chains/balances|ramp/quotes|ramp/orders$|v1/intents$|kyc$"
    running.asked("--include-path-regex", "faults$", silent=True)
    running.asked("--include-path-regex", asked, phases="examples,fuzzing", silent=True)
