"""The rules between modules that import-linter cannot express."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "crossway"
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
WRITTEN = [path for path in sources(PACKAGE) if "versions" not in path.parts]


@pytest.mark.parametrize(
    ("folder", "most"), [(PACKAGE, 300), (ROOT / "pages", 80), (ROOT / "tests", 400)]
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
        "src/crossway/storage/intent_rows.py:intent_row",
        "src/crossway/storage/intent_rows.py:intent_of",
        "src/crossway/usecases/ramps/terms.py:drawn_order",
        "src/crossway/usecases/payments/terms.py:drawn_up",
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


# Runs once, when the tables change, and sets what was weighed; never a state.
AT_A_MIGRATION = "src/crossway/storage/backfilling.py"


def test_one_place_writes_the_state_of_an_intent() -> None:
    writers = {id_of(p): p for p in sources(PACKAGE) if "update(intents)" in p.read_text()}
    backfilling = writers.pop(AT_A_MIGRATION).read_text()
    assert list(writers) == ["src/crossway/storage/intents.py"]
    assert backfilling.count("update(intents)") == 1
    assert ".values(weight=" in backfilling
    assert "state" not in {
        node.arg for node in ast.walk(ast.parse(backfilling)) if isinstance(node, ast.keyword)
    }


def test_imports_run_in_no_circle() -> None:
    known = {
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts): path for path in WRITTEN
    }
    edges = {
        name: {found for found in imported(path) if found in known} for name, path in known.items()
    }
    settled: set[str] = set()
    while free := {name for name in edges if name not in settled and edges[name] <= settled}:
        settled |= free
    assert set(edges) == settled
