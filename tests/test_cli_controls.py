"""Stopping, releasing and approving outgoing money on the command line, which is one person."""

import re
from pathlib import Path

from click.testing import Result

from crossway import bootstrap
from crossway.domain.clients import staff_principal
from crossway.settings import Settings
from crossway.usecases.money import emergency_stop
from tests.commands import crossway

DASHBOARD = staff_principal("Operator")


def run(folder: Path, *arguments: str) -> Result:
    return crossway(folder, *arguments)


def ask_on_the_dashboard(folder: Path) -> None:
    service = bootstrap.build(Settings(data_dir=folder))
    try:
        emergency_stop.request_release(service.services, DASHBOARD, "the key was replaced")
    finally:
        service.close()


def test_the_machine_stops_and_releases_with_another_person(tmp_path: Path) -> None:
    refused = run(tmp_path, "release", "--reason", "fine")
    assert (refused.exit_code, refused.stderr) == (1, "crossway: nothing is stopped\n")
    stopped = run(tmp_path, "stop", "--reason", "The key leaked")
    assert (stopped.exit_code, stopped.stdout) == (
        0, "all outgoing money is stopped: nothing more is signed that moves money\n"
    )  # fmt: skip
    assert "reason must say" in run(tmp_path, "release").stderr
    assert run(tmp_path, "release", "--reason", "fine").stdout.startswith("its release is asked")
    # The same person cannot agree with themselves.
    again = run(tmp_path, "release")
    assert again.exit_code == 1
    assert "You asked for this yourself" in again.stderr
    listed = run(tmp_path, "approvals", "list").stdout
    assert re.search(r"1 +Release of the emergency stop +command line +20", listed)
    assert "stopped: The key leaked" in listed
    taken_back = run(tmp_path, "approvals", "decline", "1", "--reason", "not yet")
    assert taken_back.stdout == "Release of the emergency stop: cancelled\n"
    ask_on_the_dashboard(tmp_path)
    released = run(tmp_path, "release")
    assert released.stdout == "released, as Operator asked for: money goes out again\n"
    assert run(tmp_path, "approvals", "list").stdout == "Nothing waits for a second person.\n"


def test_what_another_person_asked_for_is_approved_by_its_number(tmp_path: Path) -> None:
    assert run(tmp_path, "approvals", "approve", "1").stderr == (
        "crossway: There is no such approval\n"
    )
    run(tmp_path, "stop", "--reason", "The key leaked")
    ask_on_the_dashboard(tmp_path)
    approved = run(tmp_path, "approvals", "approve", "1")
    assert approved.stdout == "Release of the emergency stop: carried out\n"
    assert run(tmp_path, "release").stderr == "crossway: nothing is stopped\n"


def test_the_address_book_is_kept_on_the_machine_too(tmp_path: Path) -> None:
    wallet = "0x52908400098527886E0F7030069857D2E4169EE7"
    added = run(tmp_path, "addresses", "add", "BASE_MAINNET", wallet, "--name", "The office")
    assert added.stdout == "The office is in the address book. A new one can be used at once.\n"
    assert run(tmp_path, "addresses", "list", "--format", "csv").stdout == (
        f"id,chain,address,name,usable\n1,BASE_MAINNET,{wallet},The office,now\n"
    )
    again = run(tmp_path, "addresses", "add", "BASE_MAINNET", wallet, "--name", "Twice")
    assert again.stderr == f"crossway: {wallet} is in the address book of Base\n"
    assert run(tmp_path, "addresses", "remove", "1").exit_code == 0
    assert "The address book is empty" in run(tmp_path, "addresses", "list").stdout
    strict = {"CROSSWAY_SECOND_PERSON_ABOVE_USD": "100", "CROSSWAY_ADDRESS_DELAY_HOURS": "24"}
    arguments = ("addresses", "add", "BASE_MAINNET", wallet, "--name", "The office")
    asked = crossway(tmp_path, *arguments, **strict)
    assert asked.stdout == "approval 1: another person has to agree first, on Treasury\n"
