"""The files in deploy/ name existing settings, commands and paths."""

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
COMMANDS = typer.main.get_command(cli)


def compose() -> dict[str, Any]:
    result: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return result


def our_services() -> dict[str, Any]:
    return {name: one for name, one in compose()["services"].items() if name != "database"}


@pytest.mark.parametrize("name", [*FILES, "../docs/operations.md", "../README.md"])
def test_every_named_setting_exists(name: str) -> None:
    named = re.findall(r"CROSSWAY_([A-Z_]+)", (DEPLOY / name).read_text())
    assert {setting.lower() for setting in named} <= set(Settings.model_fields)


def test_every_setting_is_documented() -> None:
    text = (ROOT / "docs" / "operations.md").read_text()
    assert {f for f in Settings.model_fields if f"`CROSSWAY_{f.upper()}`" not in text} == set()


def test_the_parts_share_one_image_and_one_database() -> None:
    assert set(our_services()) == {"api", "engine", "indexer", "dashboard"}
    urls = {our["environment"]["CROSSWAY_DATABASE_URL"] for our in our_services().values()}
    keys = {our["environment"]["CROSSWAY_SECRET_KEY"] for our in our_services().values()}
    assert len(urls) == len(keys) == 1
    assert {our["image"] for our in our_services().values()} == {"crossway"}
    assert all("database" in our["depends_on"] for our in our_services().values())


def test_services_listen_on_loopback_only() -> None:
    for service in compose()["services"].values():
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ()))
    assert "HOST" not in (DEPLOY / "crossway.service").read_text()
    assert Settings.model_fields["host"].default == "127.0.0.1"


def test_the_files_contain_no_secret() -> None:
    for service in compose()["services"].values():
        for name, value in service["environment"].items():
            if any(secret_word in name for secret_word in ("PASSWORD", "KEY", "TOKEN")):
                assert re.fullmatch(r"\$\{[A-Z_]+:\?\}", value), name


def test_each_command_exists() -> None:
    for our in our_services().values():
        command = our.get("command")
        if command:
            assert command[0] == "crossway"
            assert command[1] in COMMANDS.list_commands(None)
    only_one_engine = [
        n for n, our in our_services().items() if our.get("command", [""])[-1] == "engine"
    ]
    assert only_one_engine == ["engine"]
    assert our_services()["dashboard"]["environment"]["CROSSWAY_RUN_ENGINE"] == "false"


def test_each_service_has_a_readiness_check() -> None:
    for name, one in our_services().items():
        (port,) = re.findall(r"127\.0\.0\.1:(\d+)/readyz", one["healthcheck"]["test"][-1])
        assert port in str(one.get("ports", one["environment"])), name


def copied() -> Iterator[str]:
    for line in (DEPLOY / "Containerfile").read_text().splitlines():
        if line.startswith("COPY "):
            yield from line.split()[1:-1]


def test_files_copied_into_the_image_exist_and_are_not_ignored() -> None:
    ignored = (DEPLOY / "Containerfile.dockerignore").read_text().splitlines()
    for path in copied():
        assert (ROOT / path).exists(), path
        assert f"!{path}" in ignored


def test_the_systemd_unit_runs_the_launcher_as_its_own_user() -> None:
    unit = RawConfigParser(strict=False)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(DEPLOY / "crossway.service")
    service = unit["Service"]
    assert service["User"] == "crossway"
    assert service["ExecStart"].endswith("/crossway serve")
    assert int(service["TimeoutStopSec"]) > 20
