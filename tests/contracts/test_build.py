"""The committed artifacts are what the sources compile to; forge's tests of the contracts pass."""

import hashlib
import json
import os
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

from tests.npm_packages import (
    ACROSS_CONTRACTS,
    UNISWAP_CORE,
    UNISWAP_PERIPHERY,
    npm_package,
)
from tests.processes import ROOT

MODULES, SOURCES = ROOT / "node_modules", ROOT / "contracts" / "evm"
FORGE = MODULES / "@foundry-rs" / "forge-linux-amd64" / "bin" / "forge"
BUILT = json.loads(
    files("crossway.adapters.chains.evm").joinpath("artifacts", "build.json").read_bytes()
)


def run(*command: str | Path, seconds: float) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command],
        cwd=SOURCES,
        capture_output=True,
        text=True,
        timeout=seconds,
        env={**os.environ, "NO_COLOR": "1"},
    )


def needed(path: Path) -> None:
    if not path.exists():
        pytest.skip(f"{path.name} is not installed: run `npm install` in {ROOT}")


def test_the_sources_are_those_that_were_built() -> None:
    found = {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in SOURCES.glob("src/*.sol")}
    assert found == BUILT["sources"]


def test_the_compiler_settings_make_the_build_reproducible() -> None:
    assert BUILT["compiler"].startswith("0.8.37+")
    assert BUILT["settings"] == {
        "evmVersion": "paris",
        "optimizer": {"enabled": True, "runs": 10000},
        "metadata": {"bytecodeHash": "none", "appendCBOR": False},
    }


def test_the_artifacts_are_what_the_sources_compile_to() -> None:
    needed(MODULES / "solc")
    done = run("node", "build.mjs", "--check", seconds=90)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_forge_tests_pass() -> None:
    """Units, fuzz, and a crowd of actors whose money must add up."""
    needed(FORGE)
    needed(MODULES / "solc")
    for package in (ACROSS_CONTRACTS, UNISWAP_CORE, UNISWAP_PERIPHERY):
        npm_package(*package)
    done = run(FORGE, "test", "--allow-failure", "--json", seconds=220)
    suites = json.loads(done.stdout[done.stdout.index("{") :])
    results = {
        (suite, test): result["status"]
        for suite, found in suites.items()
        for test, result in found["test_results"].items()
    }
    assert {test for test, status in results.items() if status != "Success"} == set()
    assert len(results) >= 255
    assert sum(test.startswith("testFuzz") for _, test in results) == 11
    assert sum(test.startswith("invariant") for _, test in results) == 6
