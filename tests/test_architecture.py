"""The rules between modules that import-linter cannot express."""

import ast
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "crossway"
CLIENT = ROOT / "packages" / "crossway-client" / "src" / "crossway_client"
DEMO = ROOT / "packages" / "crossway-demo" / "src" / "crossway_demo"
PURE = ("domain", "ports", "usecases")


def sources(*folders: Path) -> list[Path]:
    return sorted(path for folder in folders for path in folder.rglob("*.py"))


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


@cache
def read_text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def nodes(path: Path) -> list[ast.AST]:
    """Every node of a file's syntax tree; the first is the module."""
    return list(ast.walk(ast.parse(read_text(path))))


@cache
def imported_modules(path: Path) -> frozenset[str]:
    """Dotted names of the modules that a file imports, wherever in the file."""
    modules = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            modules.add(node.module or "")
    return frozenset(modules)


def forbidden_imports(paths: Iterable[Path], *allowed: str) -> dict[str, list[str]]:
    """By file, what it imports beyond the standard library and the allowed packages."""
    forbidden = {
        relative(path): [
            name
            for name in imported_modules(path)
            if name.partition(".")[0] not in sys.stdlib_module_names
            and not any(name == package or name.startswith(package + ".") for package in allowed)
        ]
        for path in paths
    }
    return {path: names for path, names in forbidden.items() if names}


def test_pages_import_the_dashboard_and_streamlit_only() -> None:
    pages = sources(ROOT / "pages")
    assert pages
    assert forbidden_imports(pages, "crossway.dashboard", "streamlit") == {}


@pytest.mark.parametrize("ring", PURE)
def test_the_core_imports_no_third_party_library(ring: str) -> None:
    modules = sources(PACKAGE / ring)
    assert modules
    assert forbidden_imports(modules, "crossway") == {}


def test_no_module_imports_the_launcher() -> None:
    importers = [
        relative(path)
        for path in sources(PACKAGE, ROOT / "pages")
        if "app" in {name.partition(".")[0] for name in imported_modules(path)}
    ]
    assert importers == []


def count_lines(path: Path) -> int:
    return len(read_text(path).splitlines())


def function_lengths(path: Path) -> Iterator[tuple[str, int]]:
    """Every function with its length in lines."""
    for node in nodes(path):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1


# Migrations are generated and never changed again.
HAND_WRITTEN = [path for path in sources(PACKAGE, CLIENT, DEMO) if "versions" not in path.parts]


@pytest.mark.parametrize(
    ("folder", "max_lines"),
    [(PACKAGE, 300), (CLIENT, 300), (DEMO, 300), (ROOT / "pages", 80), (ROOT / "tests", 400)],
)
def test_no_file_exceeds_its_line_limit(folder: Path, max_lines: int) -> None:
    counts = {relative(p): count_lines(p) for p in sources(folder) if "versions" not in p.parts}
    assert {path: count for path, count in counts.items() if count > max_lines} == {}


def test_the_median_file_has_at_most_120_lines() -> None:
    counts = sorted(count_lines(path) for path in HAND_WRITTEN if path.name != "__init__.py")
    assert counts[len(counts) // 2] <= 120


def test_no_function_exceeds_forty_lines() -> None:
    layout = PACKAGE / "dashboard" / "components"
    long = {
        f"{relative(path)}:{name}": length
        for path in HAND_WRITTEN
        if layout not in path.parents
        for name, length in function_lengths(path)
        if length > 40
    }
    # A record of nearly fifty fields is a table, written as a function.
    assert set(long) <= {
        "src/crossway/usecases/ramps/create_order.py:build_order",
        "src/crossway/usecases/payments/create_intent.py:build_intent",
    }


def test_modules_open_with_a_sentence() -> None:
    openings = {}
    for path in [*HAND_WRITTEN, *sources(ROOT / "pages")]:
        module = nodes(path)[0]
        assert isinstance(module, ast.Module)
        openings[relative(path)] = (ast.get_docstring(module) or "").split("\n\n")[0].strip()
    assert {path: first for path, first in openings.items() if not first.endswith((".", "?"))} == {}


def test_no_test_replaces_our_own_code() -> None:
    offenders = {}
    for path in sources(ROOT / "tests"):
        names = {
            name for name in imported_names(path) if name.startswith(("unittest.mock", "mock"))
        }
        parameters = {node.arg for node in nodes(path) if isinstance(node, ast.arg)}
        if names := names | parameters & {"monkeypatch", "mocker"}:
            offenders[relative(path)] = names
    assert offenders == {}


def test_no_page_stops_its_script() -> None:
    """A script that is stopped keeps the live fragments of the page before it; what one of them
    draws later has no container on the new page, and the browser shows nothing."""
    offenders = [
        relative(path)
        for path in sources(ROOT / "pages", PACKAGE / "dashboard")
        if "st.stop"
        in {ast.unparse(node.func) for node in nodes(path) if isinstance(node, ast.Call)}
    ]
    assert offenders == []


def test_one_module_writes_the_state_of_an_intent() -> None:
    writers = [relative(path) for path in sources(PACKAGE) if "update(intents)" in read_text(path)]
    assert writers == ["src/crossway/storage/intents.py"]


@cache
def module_imports() -> dict[str, set[str]]:
    """By module, the modules of the same distribution that it imports."""
    paths = {
        ".".join(path.relative_to(distribution).with_suffix("").parts): path
        for distribution in (PACKAGE.parent, CLIENT.parent, DEMO.parent)
        for path in HAND_WRITTEN
        if path.is_relative_to(distribution)
    }
    return {
        module: {name for name in imported_names(path) if name in paths and name != module}
        for module, path in paths.items()
    }


def imported_names(path: Path) -> Iterator[str]:
    """The imported modules, and each name imported from a package, as it may be a module too."""
    yield from imported_modules(path)
    for node in nodes(path):
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
                edges = graph[node_of(module)]
                graph[node_of(target)] |= set()
                edges |= {node_of(target)} - {node_of(module)}
    return graph


@cache
def packages() -> list[str]:
    return sorted({module.rpartition(".")[0] for module in module_imports()})


def test_modules_import_each_other_in_no_cycle() -> None:
    assert in_cycles(module_imports()) == set()


def test_sibling_packages_import_each_other_in_no_cycle() -> None:
    """Each module and each subpackage of a package is a node, as a whole."""
    cycles = {}
    for package in packages():
        depth = package.count(".") + 2
        cycles[package] = in_cycles(
            collapsed(package, lambda name, depth=depth: ".".join(name.split(".")[:depth]))
        )
    assert {package: nodes for package, nodes in cycles.items() if nodes} == {}


def test_a_package_and_its_subpackages_import_each_other_in_no_cycle() -> None:
    """The modules directly in a package are one node, and each of its subpackages is another."""
    cycles = {}
    for package in packages():
        depth = package.count(".") + 2

        def node_of(name: str, package: str = package, depth: int = depth) -> str:
            parts = name.split(".")
            return ".".join(parts[:depth]) if len(parts) > depth else package

        cycles[package] = in_cycles(collapsed(package, node_of))
    assert {package: nodes for package, nodes in cycles.items() if nodes} == {}
