"""Builds the program of Solana: `python contracts/solana/build.py`, or with `--check` compares.

clang-19 and link.py make `intent.so`, and `build.json` says of which sources and how.
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
    """The sha256 of everything that the program is made of."""
    files = [*sorted((HERE / "src").iterdir()), HERE / "link.py"]
    return {one.name: hashlib.sha256(one.read_bytes()).hexdigest() for one in files}


def build() -> dict[str, bytes]:
    """The artifacts by name."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "intent.o"
        # Nothing of this machine's folders gets into the object.
        command = [COMPILER, *OPTIONS, "-c", "src/intent.c", "-o", str(made)]
        subprocess.run(command, cwd=HERE, check=True, timeout=120)
        program = link(made.read_bytes())
    told = {
        "compiler": COMPILER,
        "options": OPTIONS,
        "sources": sources(),
        "bytes": len(program),
        "sha256": hashlib.sha256(program).hexdigest(),
    }
    return {"intent.so": program, "build.json": (json.dumps(told, indent=2) + "\n").encode()}


def main() -> int:
    if shutil.which(COMPILER) is None:
        print(f"{COMPILER} is not installed: run scripts/system_packages.sh", file=sys.stderr)
        return 2
    made = build()
    if "--check" in sys.argv:
        different = [
            name for name, data in made.items()
            if not (ARTIFACTS / name).exists() or (ARTIFACTS / name).read_bytes() != data
        ]  # fmt: skip
        print(f"differs: {', '.join(different)}" if different else "the same, byte for byte")
        return 1 if different else 0
    ARTIFACTS.mkdir(parents=True, exist_ok=True)
    for name, data in made.items():
        (ARTIFACTS / name).write_bytes(data)
    print(f"intent.so: {len(made['intent.so'])} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
