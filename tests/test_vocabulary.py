"""Retired names stay retired: modules, classes and functions that were renamed do not come back."""

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCES = (ROOT / "src" / "crossway", ROOT / "packages" / "crossway-demo" / "src")
RETIRED = tomllib.loads((ROOT / "tests" / "retired_names.toml").read_text(encoding="utf-8"))


def trees() -> Iterator[tuple[str, ast.Module]]:
    """Every module of the product by its dotted name."""
    for source in SOURCES:
        for path in sorted(source.rglob("*.py")):
            name = ".".join(path.relative_to(source.parent).with_suffix("").parts)
            yield name.removesuffix(".__init__"), ast.parse(path.read_text(encoding="utf-8"))


def test_no_module_has_a_retired_name() -> None:
    names = {name for name, _ in trees()}
    retired = {f"crossway.{name}" for name in RETIRED["modules"]}
    assert names & retired == set()


def test_no_class_has_a_retired_name() -> None:
    retired = set(RETIRED["classes"])
    found = {
        f"{name}.{node.name}"
        for name, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and node.name in retired
    }
    assert found == set()


def test_no_function_has_a_name_that_is_retired_in_its_package() -> None:
    found = {
        f"{name}.{node.name}"
        for name, tree in trees()
        for package, retired in RETIRED["functions"].items()
        if name == f"crossway.{package}" or name.startswith(f"crossway.{package}.")
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name in retired
    }
    assert found == set()


def test_every_entry_of_the_glossary_names_a_module_that_exists() -> None:
    names = {name for name, _ in trees()}
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("| ") and "`" in line
    ]
    assert len(rows) > 60
    missing = [
        (row[0], module)
        for row in rows
        for module in row[2].replace("`", "").split(", ")
        if module and f"crossway.{module.replace('/', '.')}" not in names
    ]
    assert missing == []
