"""The rules between modules that import-linter cannot express."""

import ast
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "crossway"
DEMO = ROOT / "packages" / "crossway-demo" / "src" / "crossway_demo"
PURE = ("domain", "ports", "usecases")


def sources(*folders: Path) -> list[Path]:
    return sorted(path for folder in folders for path in folder.rglob("*.py"))


def imported(path: Path) -> Iterator[str]:
    """Dotted names of the modules that a file imports, wherever in the file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            yield node.module or ""


def outside(path: Path, *allowed: str) -> list[str]:
    """What a file imports beyond the standard library and the allowed packages."""
    return [
        name
        for name in imported(path)
        if name.partition(".")[0] not in sys.stdlib_module_names
        and not any(name == package or name.startswith(package + ".") for package in allowed)
    ]


def id_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", sources(ROOT / "pages"), ids=id_of)
def test_a_page_imports_the_dashboard_and_streamlit_only(path: Path) -> None:
    assert outside(path, "crossway.dashboard", "streamlit") == []


@pytest.mark.parametrize("path", sources(*(PACKAGE / ring for ring in PURE)), ids=id_of)
def test_the_core_imports_no_third_party_library(path: Path) -> None:
    assert outside(path, "crossway") == []


@pytest.mark.parametrize("path", sources(PACKAGE, ROOT / "pages"), ids=id_of)
def test_no_module_imports_the_launcher(path: Path) -> None:
    assert "app" not in {name.partition(".")[0] for name in imported(path)}


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """Every function with its length in lines."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1


# A migration is written by a machine and never changed again.
WRITTEN = [path for path in sources(PACKAGE, DEMO) if "versions" not in path.parts]


@pytest.mark.parametrize(
    ("folder", "most"), [(PACKAGE, 300), (DEMO, 300), (ROOT / "pages", 80), (ROOT / "tests", 400)]
)
def test_no_file_outgrows_its_limit(folder: Path, most: int) -> None:
    counted = {id_of(p): lines(p) for p in sources(folder) if "versions" not in p.parts}
    assert {name: n for name, n in counted.items() if n > most} == {}


def test_most_files_are_small() -> None:
    counted = sorted(lines(path) for path in WRITTEN if path.name != "__init__.py")
    assert counted[len(counted) // 2] <= 120


def test_no_function_outgrows_forty_lines() -> None:
    layout = PACKAGE / "dashboard" / "components"
    long = {
        f"{id_of(path)}:{name}": length
        for path in WRITTEN
        if layout not in path.parents
        for name, length in functions(path)
        if length > 40
    }
    # A record of nearly fifty fields is a table, written as a function.
    assert set(long) <= {
        "src/crossway/usecases/ramps/create_order.py:build_order",
        "src/crossway/usecases/payments/create_intent.py:build_intent",
    }


@pytest.mark.parametrize("path", [*WRITTEN, *sources(ROOT / "pages")], ids=id_of)
def test_a_module_opens_with_a_sentence(path: Path) -> None:
    opening = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    first = opening.split("\n\n")[0].strip()
    assert first.endswith((".", "?")), first


@pytest.mark.parametrize("path", sources(ROOT / "tests"), ids=id_of)
def test_our_own_code_is_never_replaced_in_a_test(path: Path) -> None:
    used = {name for name in imported(path) if name.startswith(("unittest.mock", "mock"))}
    names = {n.arg for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.arg)}
    assert not used
    assert "monkeypatch" not in names
    assert "mocker" not in names


@pytest.mark.parametrize("path", sources(ROOT / "pages", PACKAGE / "dashboard"), ids=id_of)
def test_no_screen_stops_half_way(path: Path) -> None:
    """A run that is stopped keeps the live parts of the screen before it, and what one of them
    draws later falls on a screen that has no place for it: the browser shows nothing any more."""
    calls = [n.func for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Call)]
    assert "st.stop" not in {ast.unparse(called) for called in calls}


def test_one_place_writes_the_state_of_an_intent() -> None:
    writers = [id_of(p) for p in sources(PACKAGE) if "update(intents)" in p.read_text()]
    assert writers == ["src/crossway/storage/intents.py"]


@cache
def module_imports() -> dict[str, set[str]]:
    """By module, the modules of the same distribution that it imports."""
    known = {
        ".".join(path.relative_to(distribution).with_suffix("").parts): path
        for distribution in (PACKAGE.parent, DEMO.parent)
        for path in WRITTEN
        if path.is_relative_to(distribution)
    }
    return {
        name: {found for found in imported_names(path) if found in known and found != name}
        for name, path in known.items()
    }


def imported_names(path: Path) -> Iterator[str]:
    """Like `imported`, with every name imported from a package, as it may be a module of it."""
    yield from imported(path)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def in_cycles(graph: dict[str, set[str]]) -> set[str]:
    """The nodes of a graph that are part of a cycle, or depend on one."""
    settled: set[str] = set()
    while free := {name for name in graph if name not in settled and graph[name] <= settled}:
        settled |= free
    return set(graph) - settled


def collapsed(package: str, node_of: Callable[[str], str]) -> dict[str, set[str]]:
    """The imports within a package, between the nodes that its modules belong to."""
    graph: dict[str, set[str]] = defaultdict(set)
    for module, imports in module_imports().items():
        for target in (module, *imports):
            if module.startswith(f"{package}.") and target.startswith(f"{package}."):
                node = graph[node_of(module)]
                graph[node_of(target)] |= set()
                node |= {node_of(target)} - {node_of(module)}
    return graph


PACKAGES = sorted({module.rpartition(".")[0] for module in module_imports()})


def test_modules_import_each_other_in_no_cycle() -> None:
    assert in_cycles(module_imports()) == set()


@pytest.mark.parametrize("package", PACKAGES)
def test_sibling_packages_import_each_other_in_no_cycle(package: str) -> None:
    """Each module and each subpackage of a package is a node, as a whole."""
    depth = package.count(".") + 2
    assert in_cycles(collapsed(package, lambda name: ".".join(name.split(".")[:depth]))) == set()


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_and_its_subpackages_import_each_other_in_no_cycle(package: str) -> None:
    """The modules directly in a package are one node, and each of its subpackages is another."""
    depth = package.count(".") + 2

    def node_of(name: str) -> str:
        parts = name.split(".")
        return ".".join(parts[:depth]) if len(parts) > depth else package

    assert in_cycles(collapsed(package, node_of)) == set()
