"""Names: retired ones do not come back, and docstrings name exceptions that exist."""

import ast
import builtins
import json
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PACKAGES = ROOT / "packages"
SOURCES = (ROOT / "src" / "crossway", *sorted(PACKAGES.glob("*/src")))
RETIRED = tomllib.loads((ROOT / "tests" / "retired_names.toml").read_text(encoding="utf-8"))


@cache
def parse_modules() -> dict[str, list[ast.AST]]:
    """Every node of every module of the product by the module's dotted name."""
    found = {}
    for source in SOURCES:
        for path in sorted(source.rglob("*.py")):
            name = ".".join(path.relative_to(source.parent).with_suffix("").parts)
            tree = ast.parse(path.read_text(encoding="utf-8"))
            found[name.removesuffix(".__init__")] = list(ast.walk(tree))
    return found


def test_no_module_has_a_retired_name() -> None:
    names = set(parse_modules())
    retired = {f"crossway.{name}" for name in RETIRED["modules"]}
    assert names & retired == set()


def test_no_class_has_a_retired_name() -> None:
    retired = set(RETIRED["classes"])
    offenders = {
        f"{name}.{node.name}"
        for name, nodes in parse_modules().items()
        for node in nodes
        if isinstance(node, ast.ClassDef) and node.name in retired
    }
    assert offenders == set()


def test_no_function_has_a_name_that_is_retired_in_its_package() -> None:
    offenders = {
        f"{name}.{node.name}"
        for name, nodes in parse_modules().items()
        for package, retired in RETIRED["functions"].items()
        if name == f"crossway.{package}" or name.startswith(f"crossway.{package}.")
        for node in nodes
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name in retired
    }
    assert offenders == set()


def test_every_exception_that_a_docstring_names_exists() -> None:
    known, named = set(dir(builtins)), dict[str, set[str]]()
    for name, nodes in parse_modules().items():
        for node in nodes:
            if isinstance(node, ast.ClassDef):
                known.add(node.name)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                known |= {alias.asname or alias.name for alias in node.names}
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                text = " ".join((ast.get_docstring(node) or "").split())
                for raised in re.findall(r"[Rr]aises? ((?:`\w+`(?:, | or | and )?)+)", text):
                    named.setdefault(name, set()).update(re.findall(r"\w+(?=`)", raised))
    assert named
    assert {name: raised - known for name, raised in named.items() if raised - known} == {}


def interface_names(node: Any) -> Iterator[str]:
    """Every name in a contract's ABI, without the path of its module."""
    if isinstance(node, dict):
        yield str(node.get("name", "")).rpartition("::")[2]
    if isinstance(node, dict | list):
        for child in node.values() if isinstance(node, dict) else node:
            yield from interface_names(child)


def test_no_contract_has_a_retired_name_in_its_interface() -> None:
    artifacts = (ROOT / "src" / "crossway" / "adapters" / "chains").glob("*/artifacts/*.json")
    interfaces = {
        path: json.loads(path.read_text(encoding="utf-8")).get("abi", []) for path in artifacts
    }
    # Every artifact but the records of the builds has an interface.
    assert {path.name for path, abi in interfaces.items() if not abi} == {"build.json"}
    assert sum(map(bool, interfaces.values())) >= 19
    found = {
        f"{path.parent.parent.name}.{path.name}: {name}"
        for path, abi in interfaces.items()
        for name in interface_names(abi)
        if name in RETIRED["contracts"]
    }
    assert found == set()


def test_every_glossary_entry_names_an_existing_module() -> None:
    names = set(parse_modules())
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
