"""The programs in the client's README run as they are written."""

import os
import re
import subprocess
import sys
from pathlib import Path

from crossway.bootstrap import Service
from crossway_client import Crossway
from tests.api.conftest import new_key
from tests.processes import PATIENCE_SECONDS, ROOT

README = (ROOT / "packages" / "crossway-client" / "README.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def test_the_first_payment_is_made_paid_and_followed(
    service: Service, url: str, tmp_path: Path
) -> None:
    key = new_key(service)[2]
    program = tmp_path / "first.py"
    program.write_text(PROGRAMS[0].replace("http://127.0.0.1:8600", url), encoding="utf-8")
    environment = {**os.environ, "CROSSWAY_API_KEY": key, "PYTHONUNBUFFERED": "1"}
    with (
        Crossway(key, url) as simulator,
        subprocess.Popen(
            [sys.executable, str(program)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as running,
    ):
        while running.poll() is None:
            simulator.sandbox.set_clock(advance_seconds=2)
            service.engine.tick()
        output, errors = running.communicate(timeout=PATIENCE_SECONDS)
    assert (running.returncode, errors) == (0, "")
    assert output.splitlines()[0].startswith("Send 25.")
    assert output.splitlines()[-1].endswith("COMPLETED")


def test_the_other_programs_compile() -> None:
    assert len(PROGRAMS) == 3
    for program in PROGRAMS[1:]:
        compile(program, "README.md", "exec")
