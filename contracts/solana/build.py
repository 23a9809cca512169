"""Builds the Solana program: `python contracts/solana/build.py` writes, `--check` compares.

clang-19 and link.py build `intent.so`; `build.json` records the sources and options.
"""

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from link import link  # noqa: E402

ARTIFACTS = HERE.parents[1] / "src" / "crossway" / "adapters" / "chains" / "solana" / "artifacts"
COMPILER = "clang-19"
OPTIONS = [
    "-target", "bpf", "-mcpu=v2", "-Oz", "-ffreestanding", "-fno-builtin",
    "-mllvm", "-bpf-stack-size=4096", "-Wall", "-Wextra", "-Werror",
    "-Wno-missing-field-initializers",
]  # fmt: skip


def sources() -> dict[str, str]:
    """The sha256 of each source file and the linker."""
    files = [*sorted((HERE / "src").iterdir()), HERE / "link.py"]
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def build() -> dict[str, bytes]:
    """Each artifact by file name."""
    with tempfile.TemporaryDirectory() as folder:
        object_file = Path(folder) / "intent.o"
        # Relative paths: no folder of this machine gets into the object file.
        command = [COMPILER, *OPTIONS, "-c", "src/intent.c", "-o", str(object_file)]
        subprocess.run(command, cwd=HERE, check=True, timeout=120)
        program = link(object_file.read_bytes())
    facts = {
        "compiler": COMPILER,
        "options": OPTIONS,
        "sources": sources(),
        "bytes": len(program),
        "sha256": hashlib.sha256(program).hexdigest(),
    }
    return {"intent.so": program, "build.json": (json.dumps(facts, indent=2) + "\n").encode()}


def main() -> int:
    if shutil.which(COMPILER) is None:
        print(f"{COMPILER} is not installed: run scripts/system_packages.sh", file=sys.stderr)
        return 2
    artifacts = build()
    if "--check" in sys.argv:
        differing = [
            name for name, data in artifacts.items()
            if not (ARTIFACTS / name).exists() or (ARTIFACTS / name).read_bytes() != data
        ]  # fmt: skip
        print(f"differs: {', '.join(differing)}" if differing else "identical, byte for byte")
        return 1 if differing else 0
    ARTIFACTS.mkdir(parents=True, exist_ok=True)
    for name, data in artifacts.items():
        (ARTIFACTS / name).write_bytes(data)
    print(f"intent.so: {len(artifacts['intent.so'])} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
