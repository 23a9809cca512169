"""The client as users get it: built, installed without the service, and typed."""

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest
from mypy import api

from tests.processes import ROOT

CLIENT = ROOT / "packages" / "crossway-client"
# Everything that the client may bring in, with what these need.
NEEDED = {
    "annotated_types", "anyio", "certifi", "h11", "httpcore", "httpx", "idna", "pydantic",
    "pydantic_core", "sniffio", "standardwebhooks", "typing_extensions", "typing_inspection",
}  # fmt: skip
# Imports the client where nothing else of the development's packages can be imported.
ISOLATED = """
import importlib.abc, sys
needed = set(sys.argv[2].split(","))

class Refuse(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        ours = needed | sys.stdlib_module_names | {"crossway_client"}
        if top not in ours and not top.startswith("_"):
            raise ModuleNotFoundError(f"{name} is not installed", name=name)

sys.meta_path.insert(0, Refuse())
sys.path.append(sys.argv[1])
import crossway_client
assert crossway_client.__file__.startswith(sys.prefix), crossway_client.__file__
with crossway_client.Crossway("cr_test_x") as client:
    print(client.intents.get.__doc__)
assert not {"crossway", "streamlit", "fastapi", "sqlalchemy"} & sys.modules.keys()
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = ["-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run([sys.executable, *build], cwd=CLIENT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_holds_the_typed_package_alone(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert "crossway_client/py.typed" in names
    folders = {name.partition("/")[0] for name in names}
    assert folders == {"crossway_client", "crossway_client-0.1.0.dist-info"}


def test_the_wheel_works_without_the_service(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", symlinks=True)
    python = str(tmp_path / "venv" / "bin" / "python")
    packages = tmp_path / "venv" / "lib" / f"python3.{sys.version_info.minor}" / "site-packages"
    install = ["-m", "pip", "--python", python, "install", "--no-index", "--no-deps", str(wheel)]
    subprocess.run([sys.executable, *install], check=True, capture_output=True)
    assert (packages / "crossway_client" / "py.typed").exists()
    installed = str(Path(pytest.__file__).parent.parent)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [python, "-I", "-c", ISOLATED, installed, ",".join(NEEDED)],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "record number" in done.stdout


def test_users_type_checkers_see_the_types_of_both_clients() -> None:
    usage = ROOT / "tests" / "client" / "typed_usage.py"
    settings = ["--strict", "--no-incremental", "--config-file="]
    report, errors, status = api.run([*settings, str(usage)])
    assert (report.strip().splitlines()[-1], errors, status) == (
        "Success: no issues found in 1 source file",
        "",
        0,
    )
