"""Crossway's parts as separate processes on one database."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import httpx

T = TypeVar("T")
ROOT = Path(__file__).parent.parent
# For what takes a moment on a quiet machine: how long it may take on the busiest.
PATIENCE_SECONDS = 120


def wait_until(
    description: str,
    condition: Callable[[], T],
    within: float = PATIENCE_SECONDS,
    every: float = 0.1,
) -> T:
    """The first true result of a condition; a timeout names what was expected."""
    end = time.monotonic() + within
    while not (answer := condition()):
        assert time.monotonic() < end, f"not within {within} s: {description}"
        time.sleep(every)
    return answer


@dataclass
class Installation:
    """Processes that share a database and a folder, each with a log file."""

    url: str
    folder: Path
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def start(self, name: str, program: str, *arguments: str, **settings: str) -> None:
        command = [str(Path(sys.executable).with_name(program)), *arguments]
        with (self.folder / f"{name}.log").open("ab") as log:
            self.running[name] = subprocess.Popen(
                command, cwd=ROOT, env=self._environment(settings), stdout=log, stderr=log
            )

    def run(self, *arguments: str, typed: str = "") -> str:
        """The output of a `crossway` command with this input."""
        command = [str(Path(sys.executable).with_name("crossway")), *arguments]
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=self._environment({}),
            input=typed.encode(),
            capture_output=True,
            timeout=PATIENCE_SECONDS,
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode().strip()

    def kill(self, name: str) -> None:
        """Kill a process, as a power failure would."""
        process = self.running.pop(name)
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE_SECONDS)

    def terminate(self, name: str, within: float = PATIENCE_SECONDS) -> int:
        """Terminate a process and return its exit code."""
        process = self.running.pop(name)
        process.send_signal(signal.SIGTERM)
        return process.wait(within)

    def read_log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text()

    def responds(self, name: str, url: str) -> bool:
        """Whether this process responds with 200; fails at once if it has ended."""
        assert self.running[name].poll() is None, f"{name} ended:\n{self.read_log(name)}"
        try:
            return httpx.get(url, timeout=5).status_code == 200
        except httpx.TransportError:
            return False

    def _environment(self, settings: Mapping[str, str]) -> dict[str, str]:
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("CROSSWAY_")}
        own = {"DATABASE_URL": self.url, "DATA_DIR": str(self.folder), "LOG_FORMAT": "json"}
        own |= {"LOOPBACK_WEBHOOKS": "true"}
        return inherited | {f"CROSSWAY_{name}": value for name, value in (own | settings).items()}


@contextmanager
def new_installation(url: str, folder: Path) -> Iterator[Installation]:
    """An installation whose processes are killed after the block."""
    installation = Installation(url, folder)
    try:
        yield installation
    finally:
        for name in list(installation.running):
            installation.kill(name)
