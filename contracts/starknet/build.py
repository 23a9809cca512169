"""Compiles the Starknet contracts and writes the committed artifacts into the package.

.venv/bin/python contracts/starknet/build.py            writes
.venv/bin/python contracts/starknet/build.py --check    compares, and fails where they differ
.venv/bin/python contracts/starknet/build.py --prepare  fetches what the build and the tests need

The compiler comes from PyPI: cairo-lang 0.12.2 is the last release that carries one together with
its whole library. It is kept in $CROSSWAY_CAIRO, or ~/.cache/crossway/cairo.
"""

import fcntl
import hashlib
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ARTIFACTS = HERE.parents[1] / "src" / "crossway" / "adapters" / "chains" / "starknet" / "artifacts"
CONTRACTS = {
    "DepositAddress": "crossway::deposit_address::DepositAddress",
    "Escrow": "crossway::escrow::Escrow",
    "Filler": "crossway::filler::Filler",
    "IntentFactory": "crossway::intent_factory::IntentFactory",
}
COMPILER = "0.12.2"
PARTS = Path("starkware/starknet/compiler/v1/sierra-compiler-major-1")


def tool_folder() -> Path:
    """The folder of the compiler and the executor."""
    return Path(os.environ.get("CROSSWAY_CAIRO") or Path.home() / ".cache" / "crossway" / "cairo")


@contextmanager
def locked_folder(name: str) -> Iterator[Path]:
    """The tool folder, locked: one process creates a tool, the others wait for it."""
    folder = tool_folder()
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder


def compiler() -> Path:
    """The folder of `starknet-compile`; fetched if missing."""
    with locked_folder("compiler") as folder:
        compiler_folder = folder / "compiler" / f"cairo-lang-{COMPILER}" / PARTS
        if not (compiler_folder / "complete").exists():
            _fetch(folder)
            for tool in (compiler_folder / "bin").iterdir():
                tool.chmod(0o755)
            (compiler_folder / "complete").touch()
    return compiler_folder / "bin"


def _fetch(folder: Path) -> None:
    archive = folder / "dl" / f"cairo-lang-{COMPILER}.zip"
    if not archive.exists():
        _run(
            sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:",
            f"cairo-lang=={COMPILER}", "-d", archive.parent,
        )  # fmt: skip
    with zipfile.ZipFile(archive) as packed:
        names = [name for name in packed.namelist() if str(PARTS) in name]
        packed.extractall(folder / "compiler", names)


def executor() -> Path:
    """The Python of an environment that can run compiled contracts; created if missing."""
    with locked_folder("executor") as folder:
        python = folder / "env" / "bin" / "python"
        if not (folder / "env" / "complete").exists():
            _run(sys.executable, "-m", "venv", "--clear", folder / "env")
            _run(python, "-m", "pip", "install", "-q", "-r", HERE / "executor.txt")
            (folder / "env" / "complete").touch()
    return python


def is_prepared() -> bool:
    """Whether compiler and executor are installed."""
    compiler_marker = tool_folder() / "compiler" / f"cairo-lang-{COMPILER}" / PARTS / "complete"
    return compiler_marker.exists() and (tool_folder() / "env" / "complete").exists()


def assembler() -> Path:
    """The tool that compiles a Sierra class for the executor."""
    (site,) = (executor().parents[1] / "lib").glob("python3.*/site-packages")
    return site / PARTS / "bin" / "starknet-sierra-compile"


def compile_contracts(project: Path, contracts: dict[str, str]) -> dict[str, dict[str, Any]]:
    """The Sierra classes of a project's contracts, without debug information."""
    tool = compiler() / "starknet-compile"

    def compile_one(path: str) -> dict[str, Any]:
        built = json.loads(_run(tool, "-c", path, project))
        built.pop("sierra_program_debug_info", None)
        return dict(built)

    with ThreadPoolExecutor(2) as workers:
        return dict(zip(contracts, workers.map(compile_one, contracts.values()), strict=True))


def sources(project: Path) -> dict[str, str]:
    """The sha256 of each source file."""
    paths = sorted((project / "src").glob("*.cairo"))
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def class_hash(built: dict[str, Any]) -> str:
    """The class hash of a Sierra class, as a node returns it."""
    from starknet_py.hash.sierra_class_hash import compute_sierra_class_hash
    from starknet_py.net.schemas.rpc.contract import SierraContractClassSchema

    text = {**built, "abi": json.dumps(built["abi"])}
    return hex(compute_sierra_class_hash(SierraContractClassSchema().load(text)))


def _run(*command: str | Path) -> str:
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if result.returncode:
        raise SystemExit(f"{command[0]}: {result.stdout}{result.stderr}")
    return result.stdout


def artifacts() -> dict[str, str]:
    """Each committed file by name."""
    built = compile_contracts(HERE, CONTRACTS)
    files = {f"{name}.sierra.json": json.dumps(sierra) + "\n" for name, sierra in built.items()}
    facts = {
        "compiler": f"cairo-lang {COMPILER}",
        "classes": {name: class_hash(sierra) for name, sierra in built.items()},
        "sources": sources(HERE),
    }
    return {**files, "build.json": json.dumps(facts, indent=1) + "\n"}


def main(arguments: Sequence[str]) -> int:
    """Write, compare, or fetch the tools."""
    if "--prepare" in arguments:
        compiler()
        executor()
        return 0
    checking = "--check" in arguments
    differing = []
    ARTIFACTS.mkdir(parents=True, exist_ok=True)
    for name, text in artifacts().items():
        path = ARTIFACTS / name
        if path.exists() and path.read_text() == text:
            continue
        differing.append(name)
        if not checking:
            path.write_text(text)
    if checking and differing:
        print("These differ from what the sources compile to:", ", ".join(differing))
        return 1
    print("Written: " + ", ".join(differing) if differing else "Everything is up to date")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
