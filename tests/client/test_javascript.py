"""The JavaScript client: generated from the document, strictly typed, and run against a service."""

import json
import re
from pathlib import Path

from scripts.javascript_client import CLIENT, FILES, generate

from crossway.bootstrap import Service
from crossway.engine.fan_out import fan_out
from crossway_client import Crossway
from tests.api.conftest import WALLET, new_key
from tests.client.javascript_programs import Programs, required_node
from tests.processes import PATIENCE_SECONDS


def test_its_types_and_operations_are_those_of_the_document(tmp_path: Path) -> None:
    required_node()
    generate(tmp_path)
    for name in FILES:
        written = (CLIENT / "src" / "generated" / name).read_text(encoding="utf-8")
        assert written == (tmp_path / name).read_text(encoding="utf-8"), (
            "run: python scripts/javascript_client.py"
        )


def test_a_payment_is_created_paid_followed_and_reported(
    service: Service, url: str, programs: Programs
) -> None:
    key = new_key(service)[2]
    environment = {"CROSSWAY_API_KEY": key, "CROSSWAY_API_URL": url, "WALLET": WALLET}
    with Crossway(key, url) as simulator, programs.start("walk.js", **environment) as walk:
        while walk.poll() is None:
            simulator.sandbox.set_clock(advance_seconds=2)
            service.engine.tick()
            fan_out(service.services)
            service.dispatcher.run_once()
        said, complaint = walk.communicate(timeout=PATIENCE_SECONDS)
    assert (walk.returncode, complaint) == (0, "")
    told = json.loads(said)
    assert (told["status"], told["amount"]) == ("COMPLETED", "25000000")
    assert told["types"][-3:] == ["intent_funded", "intent_initiated", "intent_completed"]


def test_the_readmes_payment_is_made_and_its_programs_compile(
    service: Service, url: str, programs: Programs
) -> None:
    assert {path.name for path in programs.folder.glob("readme_*.js")} == {
        "readme_0.js", "readme_1.js",
    }  # fmt: skip
    program = (programs.folder / "readme_0.js").read_text(encoding="utf-8")
    assert "http://127.0.0.1:8600" in program
    here = program.replace("http://127.0.0.1:8600", url)
    (programs.folder / "first.js").write_text(here, encoding="utf-8")
    said = programs.run("first.js", CROSSWAY_API_KEY=new_key(service)[2]).splitlines()
    assert re.fullmatch(r"Send 25\d{6} \(smallest unit\) USDC", said[0])
    assert said[1].startswith("to 0x")
    assert said[-1].endswith("PENDING { order: 'A-1001' }")
