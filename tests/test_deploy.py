"""The files of deploy/ name settings, commands and paths that there are."""

import re
from collections.abc import Iterator
from configparser import RawConfigParser
from pathlib import Path
from typing import Any

import pytest
import typer.main
import yaml

from crossway.cli.program import cli
from crossway.settings import Settings

ROOT = Path(__file__).parent.parent
DEPLOY = ROOT / "deploy"
FILES = sorted(path.name for path in DEPLOY.iterdir() if path.is_file())
COMMANDS = typer.main.get_command(cli).commands  # type: ignore[attr-defined]


def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return found


def ours() -> dict[str, Any]:
    return {name: one for name, one in compose()["services"].items() if name != "database"}


@pytest.mark.parametrize("name", [*FILES, "../docs/operations.md", "../README.md"])
def test_every_setting_that_is_named_exists(name: str) -> None:
    named = re.findall(r"CROSSWAY_([A-Z_]+)", (DEPLOY / name).read_text())
    assert {setting.lower() for setting in named} <= set(Settings.model_fields)


def test_every_setting_is_told_of() -> None:
    told = (ROOT / "docs" / "operations.md").read_text()
    assert {f for f in Settings.model_fields if f"`CROSSWAY_{f.upper()}`" not in told} == set()


def test_the_parts_share_one_image_and_one_database() -> None:
    assert set(ours()) == {"api", "engine", "dashboard"}
    urls = {one["environment"]["CROSSWAY_DATABASE_URL"] for one in ours().values()}
    keys = {one["environment"]["CROSSWAY_SECRET_KEY"] for one in ours().values()}
    assert len(urls) == len(keys) == 1
    assert {one["image"] for one in ours().values()} == {"crossway"}
    assert all("database" in one["depends_on"] for one in ours().values())


def test_nothing_listens_beyond_this_machine() -> None:
    for one in compose()["services"].values():
        assert all(port.startswith("127.0.0.1:") for port in one.get("ports", ()))
    assert "--server.address 127.0.0.1" in (DEPLOY / "crossway.service").read_text()


def test_no_secret_stands_in_the_files() -> None:
    for one in compose()["services"].values():
        for name, value in one["environment"].items():
            if any(word in name for word in ("PASSWORD", "KEY", "TOKEN")):
                assert re.fullmatch(r"\$\{[A-Z_]+:\?\}", value), name


def test_each_command_is_one_of_ours() -> None:
    for one in ours().values():
        command = one.get("command")
        if command:
            assert command[0] == "crossway"
            assert command[1] in COMMANDS
    only_one_engine = [n for n, one in ours().items() if one.get("command", [""])[-1] == "engine"]
    assert only_one_engine == ["engine"]
    assert ours()["dashboard"]["environment"]["CROSSWAY_RUN_ENGINE"] == "false"


def test_each_part_asks_itself_whether_it_is_ready() -> None:
    for name, one in ours().items():
        (port,) = re.findall(r"127\.0\.0\.1:(\d+)/readyz", one["healthcheck"]["test"][-1])
        assert port in str(one.get("ports", one["environment"])), name


def copied() -> Iterator[str]:
    for line in (DEPLOY / "Containerfile").read_text().splitlines():
        if line.startswith("COPY "):
            yield from line.split()[1:-1]


def test_what_the_image_takes_exists_and_is_not_left_out() -> None:
    ignored = (DEPLOY / "Containerfile.dockerignore").read_text().splitlines()
    for path in copied():
        assert (ROOT / path).exists(), path
        assert f"!{path}" in ignored


def test_the_unit_runs_the_launcher_as_a_user_of_its_own() -> None:
    unit = RawConfigParser(strict=False)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(DEPLOY / "crossway.service")
    service = unit["Service"]
    assert service["User"] == "crossway"
    assert "streamlit run app.py" in service["ExecStart"]
    assert int(service["TimeoutStopSec"]) > 20
