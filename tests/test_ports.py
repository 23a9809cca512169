"""Processes of tests that run at the same time get different ports."""

import os
import subprocess
import sys

from tests.ports import free_port, lock_port
from tests.processes import ROOT

TRY = "import sys; from tests.ports import lock_port; print(lock_port(int(sys.argv[1])))"


def test_a_port_that_another_process_was_given_is_not_given_again() -> None:
    port, others = free_port(), 2**16 + os.getpid()
    command = [sys.executable, "-c", TRY]

    def ask(which: int) -> str:
        done = subprocess.run([*command, str(which)], cwd=ROOT, capture_output=True, text=True)
        return done.stdout.strip()

    assert (ask(port), ask(others), lock_port(others), ask(others)) == (
        "False", "True", True, "False",
    )  # fmt: skip
