"""Tron's contracts are those of EVM chains but for one file, and keep the same promises."""

import hashlib
import json
import shutil
from importlib.resources import files

from crossway.adapters.chains.evm.contracts import load_artifact
from tests.contracts.test_build import FORGE, MODULES, SOURCES, needed, run
from tests.processes import ROOT

OURS = ROOT / "contracts" / "tron" / "src"
BUILT = json.loads(
    files("crossway.adapters.chains.tron").joinpath("artifacts", "build.json").read_bytes()
)


def test_one_file_differs_from_the_evm_contracts() -> None:
    found = {path.name: path for path in [*SOURCES.glob("src/*.sol"), *OURS.glob("*.sol")]}
    assert {path.name for path in OURS.glob("*.sol")} == {"Transfers.sol"}
    hashes = {n: hashlib.sha256(p.read_bytes()).hexdigest() for n, p in found.items()}
    assert hashes == BUILT["sources"]
    for name in ("IntentFactory", "Escrow", "Escrow2", "Filler", "Filler2"):
        assert functions(name, "tron") == functions(name, "evm")


def functions(name: str, family: str) -> list[str]:
    """What can be called."""
    listed = load_artifact(name, family).abi
    return sorted(json.dumps(one) for one in listed if one["type"] == "function")


def test_the_forge_tests_pass_with_the_tron_sources() -> None:
    needed(FORGE)
    needed(MODULES / "solc")
    # Kept for the next time: forge compiles again what has changed since.
    folder = ROOT / "build" / "forge" / "tron"
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("src", "test"):
        shutil.rmtree(folder / name, ignore_errors=True)
        # No bridge has an end on Tron.
        shutil.copytree(
            SOURCES / name,
            folder / name,
            ignore=shutil.ignore_patterns(
                *("Across*", "CallBatch*", "Cctp*", "Gateway*", "Rhinofi*", "*Swap*")
            ),
        )
    for name in ("foundry.toml", "solc-wrap"):
        shutil.copy(SOURCES / name, folder)
    shutil.copy(OURS / "Transfers.sol", folder / "src")
    (folder / "node_modules").unlink(missing_ok=True)
    (folder / "node_modules").symlink_to(MODULES)
    done = run(
        FORGE,
        "test",
        "--allow-failure",
        "--json",
        "--root",
        folder,
        "--out",
        folder / "out",
        "--cache-path",
        folder / "cache",
        seconds=220,
    )
    suites = json.loads(done.stdout[done.stdout.index("{") :])
    results = {
        (suite, test): result["status"]
        for suite, found in suites.items()
        for test, result in found["test_results"].items()
    }
    assert {test for test, status in results.items() if status != "Success"} == set()
    assert len(results) >= 50
