"""Programs in TypeScript that use the JavaScript client as it is installed: compiled and run."""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from scripts.javascript_client import CLIENT, find_node

from tests.processes import PATIENCE_SECONDS, ROOT

MODULES = ROOT / "node_modules"
PROGRAMS = Path(__file__).parent / "javascript"
NEEDED = (
    "typescript", "openapi-typescript", "@types/node", "standardwebhooks", "eventsource-parser",
)  # fmt: skip


def all_programs() -> dict[str, str]:
    """By name, every program of the tests and of the client's README."""
    found = {path.name: path.read_text(encoding="utf-8") for path in PROGRAMS.glob("*.ts")}
    readme = (CLIENT / "README.md").read_text(encoding="utf-8")
    written = re.findall(r"```ts\n(.*?)```", readme, re.DOTALL)
    return found | {f"readme_{number}.ts": text for number, text in enumerate(written)}


def required_node() -> str:
    """Node.js; skips the test without it or without the packages of the client."""
    node = find_node()
    if node is None or not all((MODULES / name).is_dir() for name in NEEDED):
        pytest.skip("npm install has not installed what the JavaScript client needs")
    return node


@dataclass(frozen=True)
class Programs:
    """A folder of programs beside an installed client."""

    folder: Path
    node: str

    def compile(self, sources: Mapping[str, str]) -> None:
        """Compile programs, by their names, strictly; fails with what the compiler says."""
        shutil.copy(PROGRAMS / "tsconfig.json", self.folder)
        for name, source in sources.items():
            (self.folder / name).write_text(source, encoding="utf-8")
        self.tsc("--project", str(self.folder))

    def tsc(self, *arguments: str) -> None:
        """Run the compiler of TypeScript."""
        command = [self.node, str(MODULES / "typescript" / "bin" / "tsc"), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    def start(self, name: str, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        """Start a compiled program."""
        return subprocess.Popen(
            [self.node, name, *arguments],
            cwd=self.folder,
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, name: str, *arguments: str, **environment: str) -> str:
        """What a program prints; fails with its error."""
        process = self.start(name, *arguments, **environment)
        said, complaint = process.communicate(timeout=PATIENCE_SECONDS)
        assert process.returncode == 0, complaint
        return said


def install(folder: Path) -> Programs:
    """A folder with the client built from its source and installed, as npm would install it, beside
    links to other packages."""
    programs = Programs(folder, required_node())
    installed = folder / "node_modules" / "crossway-client"
    installed.mkdir(parents=True)
    programs.tsc("--project", str(CLIENT), "--outDir", str(installed / "dist"))
    shutil.copy(CLIENT / "package.json", installed)
    (folder / "package.json").write_text('{"type": "module"}')
    for name in ("@types", "standardwebhooks", "eventsource-parser", "undici-types", "express"):
        (folder / "node_modules" / name).symlink_to(MODULES / name)
    return programs
