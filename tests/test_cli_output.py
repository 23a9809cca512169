"""What every command has in common: formats, limits, the version, completion and exit codes."""

import csv
import importlib.metadata
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import crossway


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An installation with three clients."""
    folder = tmp_path_factory.mktemp("installation")
    for name in ("Abel, Ltd.", "Béla", "Cora"):
        assert crossway(folder, "clients", "create", name).exit_code == 0
    return folder


def test_the_version_is_that_of_the_distribution(tmp_path: Path) -> None:
    said = crossway(tmp_path, "--version")
    expected = f"crossway {importlib.metadata.version('crossway')}\n"
    assert (said.exit_code, said.stdout) == (0, expected)


def test_a_list_is_a_table_json_or_csv(folder: Path) -> None:
    table = crossway(folder, "clients", "list").stdout.splitlines()
    assert table[0].split()[:2] == ["id", "name"]
    starts = [
        line.index(name) for name, line in zip(("Abel", "Béla", "Cora"), table[1:], strict=True)
    ]
    assert starts == [table[0].index("name")] * 3, "the columns are aligned"
    as_json = json.loads(crossway(folder, "clients", "list", "--json").stdout)
    assert [client["name"] for client in as_json] == ["Abel, Ltd.", "Béla", "Cora"]
    assert json.loads(crossway(folder, "clients", "list", "--format", "json").stdout) == as_json
    rows = csv.DictReader(
        io.StringIO(crossway(folder, "clients", "list", "--format", "csv").stdout)
    )
    assert [row["name"] for row in rows] == ["Abel, Ltd.", "Béla", "Cora"]


def test_a_limit_says_that_there_are_more_beside_the_output(folder: Path) -> None:
    cut = crossway(folder, "clients", "list", "--limit", "2", "--json")
    assert len(json.loads(cut.stdout)) == 2
    assert cut.stderr == "There are more: --limit 4\n"
    assert crossway(folder, "clients", "list", "--limit", "3").stderr == ""


def test_what_is_done_is_a_sentence_or_json(tmp_path: Path) -> None:
    created = crossway(tmp_path, "clients", "create", "Dora", "--json")
    assert json.loads(created.stdout)["name"] == "Dora"
    assert re.fullmatch(
        r"Emil is client [\w-]+\n", crossway(tmp_path, "clients", "create", "Emil").stdout
    )


def test_a_check_says_as_json_whether_it_passed(tmp_path: Path) -> None:
    for command in (("audit", "check"), ("books", "check"), ("reconcile",), ("doctor",)):
        said = crossway(tmp_path, *command, "--json")
        found = json.loads(said.stdout)
        assert found["passed"] is (said.exit_code == 0), command
        assert bool(found["findings"]) is (said.exit_code == 1), command
        table = crossway(tmp_path, *command)
        assert (table.exit_code, table.stdout.count("\n\n")) == (said.exit_code, 0)
        for sentence in (*found["findings"], *found["notes"]):
            assert sentence in table.stdout


def test_a_check_is_a_row_of_csv_for_each_finding(tmp_path: Path) -> None:
    for command in (("audit", "check"), ("books", "check"), ("reconcile",), ("doctor",)):
        said = crossway(tmp_path, *command, "--format", "csv")
        rows = list(csv.DictReader(io.StringIO(said.stdout)))
        expected = "passed" if said.exit_code == 0 else "finding"
        assert {row["kind"] for row in rows} - {"note"} == {expected}, command
        as_json = json.loads(crossway(tmp_path, *command, "--json").stdout)
        findings = [row["message"] for row in rows if row["kind"] == "finding"]
        assert findings == as_json["findings"], command


def test_what_is_one_thing_is_csv_under_the_names_of_its_json(tmp_path: Path) -> None:
    new = ("keys", "create", "--client", "Fay", "--mode", "test")
    mode, token = ("treasury", "mode"), ("people", "setup-token")
    rotations = ("keys", "rotate", "1"), ("keys", "rotate", "2")
    for in_json, in_csv in ((new, new), rotations, (mode, mode), (token, token)):
        names = list(json.loads(crossway(tmp_path, *in_json, "--json").stdout))
        printed = crossway(tmp_path, *in_csv, "--format", "csv").stdout
        head, values = csv.reader(io.StringIO(printed))
        assert head == names
        assert all(values)


def test_a_new_key_is_printed_for_programs(tmp_path: Path) -> None:
    new = ("keys", "create", "--client", "Fay", "--mode", "test")
    created = json.loads(crossway(tmp_path, *new, "--json").stdout)
    (listed,) = json.loads(crossway(tmp_path, "keys", "list", "--json").stdout)
    assert created["id"] == listed["id"]
    assert created["key"].startswith(listed["key"].removesuffix("…"))
    (row,) = csv.DictReader(io.StringIO(crossway(tmp_path, *new, "--format", "csv").stdout))
    assert set(row) == {"id", "key"}
    quiet = crossway(tmp_path, *new, "--quiet").stdout
    assert quiet.startswith("cr_test_")
    assert quiet.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("keys create --mode test", "--client is required (see "),
        ("keys create --client A --mode prod", "--mode must be one of test, live"),
        ("keys revoke", "KEY_ID is required"),
        ("keys revoke one", "KEY_ID must be a whole number"),
        ("keys revoke 1 2", "too much is given: 2"),
        (f"keys revoke {10**20}", "KEY_ID must be a whole number from 1 to "),
        (f"keys change {10**20}", "KEY_ID must be a whole number from 1 to "),
        (f"keys rotate {10**20}", "KEY_ID must be a whole number from 1 to "),
        ("keys rotate 1 --overlap nan", "--overlap must be a number from 0 to 720"),
        ("keys rotate 1 --overlap inf", "--overlap must be a number from 0 to 720"),
        (f"approvals approve {10**20}", "NUMBER must be a whole number from 1 to "),
        (f"approvals decline {10**20} --reason No", "NUMBER must be a whole number from 1 to "),
        (f"addresses remove {10**20}", "NUMBER must be a whole number from 1 to "),
        (f"treasury approve {10**20}", "TRANSFER must be a whole number from 1 to "),
        (f"contracts unpark {10**20}", "PAYMENT must be a whole number from 1 to "),
        ("keys list --limit 0", "--limit must be a whole number of at least 1"),
        ("keys list --format xml", "--format must be one of table, json, csv"),
        ("keys list --colour red", "there is no option --colour"),
        ("keys list --limt 1", "there is no option --limt; is it --limit?"),
        ("keyz list", "there is no command keyz"),
        ("books journal --from yesterday", "--from must be a day such as 2026-11-01"),
    ],
)
def test_a_wrong_command_line_is_one_sentence_of_ours_and_exits_with_2(
    tmp_path: Path, arguments: str, sentence: str
) -> None:
    refused = crossway(tmp_path, *arguments.split())
    assert refused.exit_code == 2
    assert refused.stderr.startswith(f"crossway: {sentence}"), refused.stderr
    assert refused.stderr.count("\n") == 1
    assert refused.stdout == ""


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ({"CROSSWAY_PORT": "many"}, "CROSSWAY_PORT: must be a whole number"),
        ({"CROSSWAY_NETWORK": "moon"}, "CROSSWAY_NETWORK: must be 'simulated' or 'live'"),
        (
            {"CROSSWAY_INTENT_LIFE_SECONDS": "10"},
            "CROSSWAY_INTENT_LIFE_SECONDS: must be at least 300",
        ),
    ],
)
def test_a_wrong_setting_is_named_and_exits_with_2(
    tmp_path: Path, setting: dict[str, str], sentence: str
) -> None:
    refused = crossway(tmp_path, "keys", "list", **setting)
    assert (refused.exit_code, refused.stderr) == (2, f"crossway: {sentence}\n")


def test_a_missing_file_is_named_without_a_number_of_the_system(tmp_path: Path) -> None:
    refused = crossway(tmp_path, "audit", "check", "--backup", str(tmp_path / "none.db"))
    assert refused.exit_code == 1
    assert "Errno" not in refused.stderr
    assert "none.db" in refused.stderr


def test_a_reader_that_has_enough_is_no_error(tmp_path: Path) -> None:
    program = str(Path(sys.executable).with_name("crossway"))
    with subprocess.Popen(
        [program, "trigger", "--list"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as listing:
        assert listing.stdout is not None
        assert listing.stderr is not None
        # As `head` does before the command has written anything.
        listing.stdout.close()
        assert listing.stderr.read() == b""


@pytest.mark.parametrize(
    ("typed", "completed"),
    [("int", ["intents"]), ("intents tr", ["trigger"]), ("keys list --lim", ["--limit"])],
)
def test_a_shell_completes_commands_and_options(
    tmp_path: Path, typed: str, completed: list[str]
) -> None:
    program = str(Path(sys.executable).with_name("crossway"))
    asked = {
        "_CROSSWAY_COMPLETE": "complete_bash",
        "COMP_WORDS": f"crossway {typed}",
        "COMP_CWORD": str(len(typed.split())),
    }
    done = subprocess.run(
        [program], env={**os.environ, **asked}, cwd=tmp_path, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert done.stdout.split() == completed
    assert "--install-completion" in crossway(tmp_path, "--help").stdout
