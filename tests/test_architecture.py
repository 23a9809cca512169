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
