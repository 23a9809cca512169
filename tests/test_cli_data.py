"""Backup, restore and the audit log on the command line."""

import io
import json
import re
import stat
import zipfile
from pathlib import Path

from tests.commands import crossway
from tests.ports import free_port
from tests.processes import new_installation, wait_until


def keys_in(folder: Path) -> str:
    return crossway(folder, "keys", "list").stdout


def make_key(folder: Path, client: str) -> None:
    created = crossway(folder, "keys", "create", "--client", client, "--mode", "test", "--quiet")
    assert created.exit_code == 0, created.stderr


def test_a_restore_returns_the_backed_up_data(tmp_path: Path) -> None:
    make_key(tmp_path, "First")
    copy = tmp_path / "copy.db"
    saved = crossway(tmp_path, "backup", str(copy))
    assert saved.exit_code == 0, saved.stderr
    assert "verified" in saved.stdout
    assert f"Keep {Path('secret.key')}" in saved.stdout.replace(str(tmp_path) + "/", "")
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    again = crossway(tmp_path, "backup", str(copy))
    assert (again.exit_code, again.stderr) == (
        1,
        f"crossway: {copy} is there already: give another name\n",
    )
    make_key(tmp_path, "Second")
    restored = crossway(tmp_path, "restore", str(copy))
    assert restored.exit_code == 0, restored.stderr
    assert "First" in keys_in(tmp_path)
    assert "Second" not in keys_in(tmp_path)
    aside = re.search(r"The previous database is in (\S+)\n", restored.stdout)
    assert aside is not None
    assert Path(aside[1]).stat().st_size > 0


def test_a_running_service_prevents_restores_but_not_backups(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'crossway.db'}"
    copy = tmp_path / "copy.db"
    with new_installation(url, tmp_path) as installation:
        port = free_port()
        installation.start("api", "crossway", "api", "--port", str(port))
        ready = f"http://127.0.0.1:{port}/readyz"
        wait_until("the API answers", lambda: installation.responds("api", ready))
        assert crossway(tmp_path, "backup", str(copy)).exit_code == 0
        refused = crossway(tmp_path, "restore", str(copy))
        assert refused.exit_code == 1
        assert "A service runs on" in refused.stderr
        assert installation.terminate("api") == 0
        assert crossway(tmp_path, "restore", str(copy)).exit_code == 0


def test_on_postgresql_backup_and_restore_name_its_tools(tmp_path: Path) -> None:
    url = "postgresql+psycopg://nobody:nothing@127.0.0.1:1/none"
    for command in ("backup", "restore"):
        said = crossway(tmp_path, command, "x.db", CROSSWAY_DATABASE_URL=url)
        assert said.exit_code == 1
        assert "pg_dump" in said.stderr
        assert "nothing" not in said.stderr


def test_the_audit_log_is_listed_and_checked(tmp_path: Path) -> None:
    make_key(tmp_path, "Shop")
    changed = crossway(
        tmp_path, "clients", "change", "Shop", "--app-fee", "25", "--colour", "#aabbcc"
    )
    assert changed.exit_code == 0, changed.stderr
    listed = crossway(tmp_path, "audit", "list").stdout
    assert "client changed" in listed
    assert "app_fee_bps: 0 → 25" in listed
    checked = crossway(tmp_path, "audit", "check")
    assert checked.exit_code == 0, checked.stdout
    newest = checked.stdout.split()[-1]
    assert crossway(tmp_path, "audit", "check", "--known", newest).exit_code == 0
    other = crossway(tmp_path, "audit", "check", "--known", "0" * 64)
    assert other.exit_code == 1
    assert "No entry has the hash" in other.stdout


def test_a_client_is_created_once_and_listed(tmp_path: Path) -> None:
    assert crossway(tmp_path, "clients", "create", "Corner Shop").exit_code == 0
    again = crossway(tmp_path, "clients", "create", "Corner Shop")
    assert again.stderr == "crossway: name: there is a client Corner Shop already\n"
    wallet = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
    change = ("--rate", "9", "--refund", f"evm={wallet}", "--display-name", "Café")
    assert crossway(tmp_path, "clients", "change", "Corner Shop", *change).exit_code == 0
    listed = json.loads(crossway(tmp_path, "clients", "list", "--json").stdout)[-1]
    assert listed.pop("id")
    assert listed == {
        "name": "Corner Shop",
        "fee_bps": 0,
        "requests_per_minute": 9,
        "refund_addresses": [f"evm={wallet}"],
        "display_name": "Café",
    }
    refused = crossway(tmp_path, "clients", "change", "Corner Shop", "--refund", wallet)
    assert refused.stderr.startswith("crossway: refund must be KIND=ADDRESS")
    nobody = crossway(tmp_path, "clients", "change", "Nobody", "--rate", "9")
    assert nobody.stderr == "crossway: There is no client Nobody\n"


def test_a_key_is_changed_and_rotated_on_the_command_line(tmp_path: Path) -> None:
    make_key(tmp_path, "Shop")
    arguments = ("--scope", "read", "--rate", "5", "--address", "203.0.113.0/24")
    assert crossway(tmp_path, "keys", "change", "1", *arguments).exit_code == 0
    new = crossway(tmp_path, "keys", "rotate", "1", "--overlap", "1", "--quiet")
    assert re.fullmatch(r"cr_test_[A-Za-z0-9_-]{32}\n", new.stdout)
    keys = json.loads(crossway(tmp_path, "keys", "list", "--json").stdout)
    assert [key["state"] for key in keys] == ["expires", "active"]
    for key in keys:
        assert (key["scopes"], key["per_minute"]) == (["read"], 5)
        assert key["addresses"] == ["203.0.113.0/24"]
    refused = crossway(tmp_path, "keys", "change", "2", "--address", "nowhere")
    assert refused.stderr.startswith("crossway: addresses: nowhere is not a network")


def test_statements_and_the_journal_are_printed_as_csv_or_a_workbook(tmp_path: Path) -> None:
    make_key(tmp_path, "Shop")
    statement = crossway(tmp_path, "books", "statement", "--month", "2026-11")
    assert statement.exit_code == 0, statement.stderr
    assert "Result,Revenue less costs,0\r\n" in statement.stdout_bytes.decode()
    days = ("--from", "2026-11-01", "--to", "2026-11-30")
    journal = crossway(tmp_path, "books", "journal", *days)
    assert journal.stdout.startswith("entry,date,time,account,debit,credit,currency")
    for words in (("statement", "--month", "2026-11"), ("journal", *days)):
        book = crossway(tmp_path, "books", *words, "--format", "xlsx")
        assert zipfile.ZipFile(io.BytesIO(book.stdout_bytes)).testzip() is None
    refused = crossway(tmp_path, "books", "statement", "--month", "11")
    assert (refused.exit_code, refused.stderr) == (
        1, "crossway: month must be a year and a month, such as 2026-11\n",
    )  # fmt: skip
    unknown = crossway(tmp_path, "books", "journal", *days, "--format", "pdf")
    assert "format must be one of csv, xlsx" in unknown.stderr
