"""The samples of the OpenAPI document, run as programs against a service."""

import ast
import inspect
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scripts.javascript_client import find_node

from crossway.api.openapi.python_samples import METHODS
from crossway.api.openapi.samples import add_samples
from crossway_client import Crossway
from tests.api.example_walk import walked
from tests.api.test_events import serving
from tests.api.test_kyc import PNG
from tests.api.walks import Walk
from tests.processes import PATIENCE_SECONDS

# What else than reading is tried: it can be done once more after the walk.
WRITES = [
    "createIntent", "createPaymentLink", "updatePaymentLink", "createWebhook", "updateWebhook",
    "testWebhook", "replayDelivery", "replayEvents", "rotateWebhookSecret", "createRampOrder",
    "submitKyc", "submitKycDocument", "setKycStatus", "sendSandboxDeposit", "setSandboxClock",
]  # fmt: skip
# A provider signs what it sends, and a link brings its own signature.
WITHOUT_KEY = {"receiveProviderWebhook", "downloadExport"}
COMMANDS = {
    "curl": ["sh", "-c"],
    "Python": [sys.executable, "-c"],
    "JavaScript": [find_node() or "node", "--input-type=module", "-e"],
}


class Samples:
    """The samples of a document whose examples are those of a walk, and how they are run."""

    def __init__(self, walk: Walk, url: str, folder: Path) -> None:
        self.walk = walk
        self.document = walk.api.http.get("/api/openapi.json").json()
        add_samples(self.document, {name: vars(one) for name, one in walk.examples.items()})
        (folder / "id.png").write_bytes(PNG)
        self.folder = folder
        self.environment = {**os.environ, "CROSSWAY_URL": url, "CROSSWAY_API_KEY": walk.api.secret}

    def of(self, operation_id: str) -> dict[str, str]:
        method, path = self.walk.operations[operation_id]
        operation = self.document["paths"][path][method.lower()]
        return {one["lang"]: one["source"] for one in operation["x-codeSamples"]}

    def start(self, language: str, source: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*COMMANDS[language], source],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, language: str, source: str) -> str:
        process = self.start(language, source)
        said, complaint = process.communicate(timeout=PATIENCE_SECONDS)
        assert process.returncode == 0, complaint
        return said


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Samples]:
    with (
        walked(tmp_path_factory.mktemp("walk")) as walk,
        serving(walk.api.service.services) as base,
    ):
        yield Samples(walk, base.removesuffix("/api/v1"), tmp_path_factory.mktemp("samples"))


@pytest.mark.parametrize("language", COMMANDS)
def test_every_sample_that_reads_and_most_that_write_do_so(samples: Samples, language: str) -> None:
    reads = [name for name, (method, _) in samples.walk.operations.items() if method == "GET"]
    assert len(reads) > 30
    for name in (*reads, *WRITES):
        if name == "streamEvents" or name in WITHOUT_KEY:
            continue
        said = samples.run(language, samples.of(name)[language])
        answers = samples.walk.examples[name].answers
        expected = next(answer for status, answer in answers.items() if status < "300")
        if language == "Python":
            # It prints records of the client; a failed request would have ended it.
            assert said.strip(), name
        else:
            assert members(said) == members(json.dumps(expected)), (name, said)


def members(said: str) -> Any:
    """The names of the members of an answer, or those of the first object of a list."""
    answer = json.loads(said) if said.startswith(("{", "[")) else None
    if isinstance(answer, list):
        answer = answer[0]
    return sorted(answer) if isinstance(answer, dict) else type(answer)


def test_every_python_sample_calls_a_method_that_takes_its_arguments(samples: Samples) -> None:
    client = Crossway(samples.walk.api.secret)
    written = [name for name in samples.walk.operations if name not in WITHOUT_KEY]
    assert METHODS.keys() == {*written}
    for name in written:
        [call] = [
            node
            for node in ast.walk(ast.parse(samples.of(name)["Python"]))
            if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("crossway.")
        ]
        method: Any = client
        for attribute in ast.unparse(call.func).split(".")[1:]:
            method = getattr(method, attribute)
        inspect.signature(method).bind(*call.args, **{str(k.arg): k.value for k in call.keywords})
