"""The environment in which the Starknet of tests runs, and the classes that it knows."""

import hashlib
import importlib.util
import json
import os
import subprocess
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.processes import ROOT

HERE = Path(__file__).parent
STANDINS = {
    "Account": "standins::account::Account",
    "Deployer": "standins::deployer::Deployer",
    "OldToken": "standins::old_token::OldToken",
    "Token": "standins::token::Token",
}


@cache
def toolchain() -> ModuleType:
    """contracts/starknet/build.py, which knows where compiler and executor are."""
    path = ROOT / "contracts" / "starknet" / "build.py"
    spec = importlib.util.spec_from_file_location("crossway_starknet_build", path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@cache
def needed() -> Path:
    """The executor's Python; skips, and says what to do, where it is not there or does not run."""
    tools = toolchain()
    if not tools.is_prepared():
        pytest.skip("cairo-lang is not installed: run `contracts/starknet/build.py --prepare`")
    python = Path(tools.executor())
    try:
        _runs(python)
    except subprocess.CalledProcessError as problem:
        pytest.skip(f"cairo-lang does not run here: {problem.stderr[-300:]!r}")
    return python


def _runs(python: Path) -> None:
    """That the executor can be imported by this Python, found out once."""
    known = python.parents[1] / "runs"
    if not known.exists():
        asked = "import node.py311, node.execution"
        subprocess.run([str(python), "-c", asked], cwd=HERE, check=True, capture_output=True)
        known.touch()


@cache
def classes() -> dict[str, dict[str, str]]:
    """Every class by name: its hash, and the files of its two forms."""
    needed()
    tools = toolchain()
    folder = files("crossway.adapters.chains.starknet").joinpath("artifacts")
    facts = json.loads(folder.joinpath("build.json").read_text())["classes"]
    found = {}
    for name, known in facts.items():
        sierra = Path(str(folder)) / f"{name}.sierra.json"
        found[name] = {"hash": known, "sierra": str(sierra), "casm": str(_runnable(sierra))}
    with tools.locked_folder("standins"):
        for name, sierra in _standins().items():
            known = tools.class_hash(json.loads(sierra.read_text()))
            found[name] = {"hash": known, "sierra": str(sierra), "casm": str(_runnable(sierra))}
    return found


def _standins() -> dict[str, Path]:
    """The classes of the stand-ins; compiling them takes seconds, and gives the same each time."""
    tools = toolchain()
    project = HERE / "contracts"
    digest = hashlib.sha256(json.dumps(tools.sources(project)).encode()).hexdigest()[:16]
    folder = Path(tools.tool_folder()) / "standins" / digest
    found = {name: folder / f"{name}.sierra.json" for name in STANDINS}
    if not all(path.exists() for path in found.values()):
        folder.mkdir(parents=True, exist_ok=True)
        built: dict[str, Any] = tools.compile_contracts(project, STANDINS)
        for name, one in built.items():
            found[name].write_text(json.dumps(one))
    return found


def _runnable(sierra: Path) -> Path:
    """The form of a class that the executor runs."""
    tools = toolchain()
    digest = hashlib.sha256(sierra.read_bytes()).hexdigest()[:24]
    made = Path(tools.tool_folder()) / "runnable" / f"{digest}.json"
    if not made.exists():
        made.parent.mkdir(parents=True, exist_ok=True)
        part = made.with_suffix(f".{os.getpid()}")
        done = subprocess.run(
            [str(tools.assembler()), "--add-pythonic-hints", str(sierra), str(part)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        part.rename(made)
    return made
