"""What is imported is declared where it is needed, and what is declared is imported."""

import ast
import json
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest

from tests.processes import ROOT

PACKAGE = ROOT / "src" / "crossway"
CHAINS = PACKAGE / "adapters" / "chains"
CLIENT = ROOT / "packages" / "crossway-client"
DEMO = ROOT / "packages" / "crossway-demo"
# These run on live networks only; the rest does on an installation without the extra `live`.
LIVE = [
    CHAINS / name
    for name in ("evm", "rpc", "signers", "solana", "starknet", "tron", "intent_hash.py")
]
LIVE.append(PACKAGE / "adapters" / "bridges" / "cctp")
# The Starknet of tests has an environment of its own.
APART = ROOT / "tests" / "chains" / "starknet" / "node"
OWN = {"crossway", "crossway_client", "crossway_demo", "tests", "benchmarks", "scripts", "app"}

# Declared and not imported, each with its reason.
NOT_IMPORTED = {
    "httptools": "uvicorn parses requests by it; our deadlines extend that protocol",
    "httpx2": "Starlette's test client sends by it",
    "import-linter": "a command: it checks the imports between packages",
    "itsdangerous": "Starlette signs the cookie of single sign-on by it",
    "mkdocs-material": "a command: it builds the documentation",
    "pandas-stubs": "mypy reads the types of pandas there",
    "pre-commit": "a command: it checks what is about to be committed",
    "pytest-timeout": "a plugin of pytest: it ends a test that hangs",
    "pytest-xdist": "a plugin of pytest: it runs tests side by side",
    "ruff": "a command: it checks and formats the source",
}


def normalized(name: str) -> str:
    """A distribution's name as PyPI compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def names(requirements: Iterable[str]) -> set[str]:
    """The distributions that requirements name, without our own."""
    found = {normalized(re.match(r"[\w.-]+", text)[0]) for text in requirements}  # type: ignore[index]
    return found - {"crossway", "crossway-client"}


@cache
def project(folder: Path = ROOT) -> dict[str, Any]:
    """The project table of a pyproject.toml."""
    table: dict[str, Any] = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    return table


# What the service's own requirement, `crossway-client[mcp]`, brings.
MCP = names(project(CLIENT)["optional-dependencies"]["mcp"])


def extra(name: str) -> set[str]:
    return names(project()["optional-dependencies"][name])


CORE = names(project()["dependencies"])


def sources(*places: Path) -> list[Path]:
    files = [
        path for place in places for path in ([place] if place.is_file() else place.rglob("*.py"))
    ]
    return [path for path in files if not path.is_relative_to(APART)]


@cache
def distributions() -> dict[str, set[str]]:
    """By the name that is imported, the installed distributions that it comes from."""
    return {top: {normalized(d) for d in of} for top, of in packages_distributions().items()}


@cache
def imported(path: Path) -> frozenset[str]:
    """The distributions that a file imports from, wherever in the file."""
    modules = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules.add(node.module or "")
    tops = {module.partition(".")[0] for module in modules} - OWN - sys.stdlib_module_names
    return frozenset(name for top in tops for name in distributions().get(top, {f"({top})"}))


def undeclared(paths: Iterable[Path], declared: set[str]) -> dict[str, list[str]]:
    """By distribution, the files that import it although it is not declared."""
    found = defaultdict(list)
    for path in paths:
        for name in imported(path) - declared:
            found[name].append(str(path.relative_to(ROOT)))
    return dict(found)


LIVE_FILES = set(sources(*LIVE))
CORE_FILES = set(sources(PACKAGE, ROOT / "pages", ROOT / "app.py")) - LIVE_FILES


def test_what_every_installation_imports_is_declared_as_a_dependency() -> None:
    assert undeclared(CORE_FILES, CORE) == {}


def test_what_live_chains_import_is_declared_in_the_extra_live() -> None:
    assert undeclared(LIVE_FILES, CORE | extra("live")) == {}


def test_the_client_imports_what_it_declares_and_nothing_else() -> None:
    declared = names(project(CLIENT)["dependencies"])
    assert declared == {"httpx", "pydantic", "standardwebhooks"}
    everything = set(sources(CLIENT / "src"))
    server = set(sources(CLIENT / "src" / "crossway_client" / "mcp_server"))
    assert undeclared(everything - server, declared) == {}
    extra = names(project(CLIENT)["optional-dependencies"]["mcp"])
    assert undeclared(server, declared | extra) == {}
    assert declared | extra == {name for path in everything for name in imported(path)}


def test_what_the_demo_distribution_imports_comes_with_crossway() -> None:
    declared = names(project(DEMO)["dependencies"])
    assert undeclared(sources(DEMO / "src"), CORE | declared) == {}


def test_what_tests_and_benchmarks_import_is_declared_for_development() -> None:
    places = sources(ROOT / "tests", ROOT / "examples", ROOT / "benchmarks", ROOT / "scripts")
    assert undeclared(places, CORE | MCP | extra("live") | extra("dev")) == {}


@pytest.mark.parametrize("group", ["core", "live", "dev", "docs"])
def test_what_is_declared_is_imported_or_has_its_reason(group: str) -> None:
    places = {
        "core": CORE_FILES | LIVE_FILES,
        "live": LIVE_FILES,
        "dev": sources(ROOT / "tests", ROOT / "examples", ROOT / "benchmarks", ROOT / "scripts"),
        "docs": (),
    }
    declared = CORE if group == "core" else extra(group)
    used = {name for path in places[group] for name in imported(path)}
    assert declared - used - NOT_IMPORTED.keys() == set()
    assert {name for name in declared & used if name in NOT_IMPORTED} == set()


def test_a_reason_is_given_for_what_is_declared_only() -> None:
    declared = CORE | extra("live") | extra("dev") | extra("docs")
    assert NOT_IMPORTED.keys() <= declared


def locked(name: str) -> dict[str, str]:
    """By distribution, its version in a lock file; each has at least one hash."""
    versions = {}
    text = (ROOT / "requirements" / f"{name}.lock").read_text().replace("\\\n", " ")
    for line in text.splitlines():
        requirement, *hashes = line.split(" --hash=")
        assert hashes
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}\s*", one) for one in hashes), line
        distribution, version = requirement.partition(";")[0].split("==")
        versions[normalized(distribution)] = version.strip()
    return versions


def test_each_declared_distribution_has_its_version_and_hashes_in_the_lock() -> None:
    assert locked("core").keys() >= CORE | MCP
    assert locked("live").keys() >= CORE | extra("live")
    assert locked("dev").keys() >= CORE | extra("live") | extra("dev") | extra("docs")
    assert locked("build").keys() >= {"hatchling", "editables"}


def test_every_lock_has_the_same_versions() -> None:
    every = locked("dev")
    for name in ("core", "live"):
        assert locked(name).items() <= every.items()


def test_every_package_of_npm_has_a_hash() -> None:
    packages = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    assert len(packages) > 100
    unhashed = {name for name, it in packages.items() if "integrity" not in it}
    # What is made here: the tests' own list, and our client with its link.
    assert unhashed == {"", "packages/crossway-js", "node_modules/crossway-client"}


def test_the_javascript_client_imports_what_it_declares() -> None:
    folder = ROOT / "packages" / "crossway-js"
    declared = json.loads((folder / "package.json").read_text())["dependencies"]
    text = "".join(path.read_text() for path in (folder / "src").rglob("*.ts"))
    assert {*re.findall(r'from "([a-z][^"]*)"', text)} == declared.keys()
    assert set(declared) == {"eventsource-parser", "standardwebhooks"}


def test_no_command_and_no_simulated_network_imports_what_live_chains_need() -> None:
    """They need processor time at each start, and an installation may lack them."""
    commands = sorted(path.stem for path in (PACKAGE / "cli").glob("[a-z]*.py"))
    modules = ["crossway.bootstrap", "crossway.adapters.live_environment"]
    modules += [f"crossway.cli.{name}" for name in commands]
    code = "import importlib, sys; [importlib.import_module(name) for name in sys.argv[1:]]"
    code += "; print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run(
        [sys.executable, "-c", code, *modules], capture_output=True, text=True, check=True
    )
    needed = extra("live")
    assert {top for top in done.stdout.split() if needed & distributions().get(top, set())} == set()
