"""Staff on the command line: added with a hidden password, changed, disabled."""

from datetime import UTC, datetime
from pathlib import Path

from click.testing import Result

from crossway import bootstrap
from crossway.domain.second_factors import Authenticator
from crossway.settings import Settings
from tests.commands import crossway

WORDS = "four words nobody expects"


def people(folder: Path, *arguments: str, typed: str = "") -> Result:
    return crossway(folder, "people", *arguments, typed=typed)


def test_staff_are_added_listed_changed_and_disabled(tmp_path: Path) -> None:
    assert "No staff yet: crossway people add NAME --role admin" in people(tmp_path, "list").stdout
    created = people(tmp_path, "add", "Ada", "--role", "admin", typed=f"{WORDS}\n")
    assert (created.exit_code, created.stdout) == (0, "Ada can sign in as admin\n")
    created = people(
        tmp_path, "add", "Bob", "--role", "viewer", "--email", "bob@example.com", "--no-password"
    )
    assert created.exit_code == 0, created.stderr
    assert people(tmp_path, "role", "bob", "treasurer").stdout == "Bob is now treasurer\n"
    assert people(tmp_path, "reset", "Bob", typed=f"{WORDS}\n").exit_code == 0
    assert people(tmp_path, "disable", "Bob").stdout == "Bob can no longer sign in\n"
    listed = people(tmp_path, "list", "--format", "csv").stdout
    assert "Ada,admin,,no,yes,never" in listed
    assert "Bob,treasurer,b…@e….com,no,disabled,never" in listed
    assert WORDS not in listed
    assert people(tmp_path, "disable", "Bob", "--undo").stdout == "Bob can sign in again\n"


def test_invalid_input_is_rejected_in_one_sentence(tmp_path: Path) -> None:
    people(tmp_path, "add", "Ada", "--role", "admin", typed=f"{WORDS}\n")
    for arguments, typed, says in (
        (("add", "Bob", "--role", "viewer"), "short\n", "password must have at least 12"),
        (("add", "Bob", "--role", "viewer"), "", "password must be given on the first line"),
        (("add", "Bob", "--role", "viewer", "--email", "b"), f"{WORDS}\n", "email must be an e-"),
        (("role", "Ada", "viewer"), "", "Ada is the last admin"),
        (("disable", "Nobody"), "", "There is no staff member named Nobody"),
    ):
        done = people(tmp_path, *arguments, typed=typed)
        assert done.exit_code == 1
        assert done.stderr.startswith(f"crossway: {says}"), done.stderr


def test_the_setup_token_is_shown_until_somebody_is_staff(tmp_path: Path) -> None:
    shown = people(tmp_path, "setup-token")
    assert len(bytes.fromhex(shown.stdout.strip())) == 16
    assert people(tmp_path, "setup-token").stdout == shown.stdout
    people(tmp_path, "add", "Ada", "--role", "admin", typed=f"{WORDS}\n")
    refused = people(tmp_path, "setup-token")
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert refused.stderr.startswith("crossway: There is staff already")


def test_a_lost_second_factor_is_reset_on_the_machine(tmp_path: Path) -> None:
    people(tmp_path, "add", "Ada", "--role", "admin", typed=f"{WORDS}\n")
    service = bootstrap.build(Settings(data_dir=tmp_path))
    app = Authenticator(1, service.services.vault.encrypt(b"secret"), 1, datetime.now(UTC))
    service.store.write(lambda unit: unit.second_factors.set_authenticator(app))
    service.close()
    assert "Ada,admin,,yes,yes,never" in people(tmp_path, "list", "--format", "csv").stdout
    reset = people(tmp_path, "reset-second-factor", "ada")
    assert reset.stdout == "Ada has no second factor any more\n"
    assert "Ada,admin,,no,yes,never" in people(tmp_path, "list", "--format", "csv").stdout
    assert people(tmp_path, "reset-second-factor", "Bob").exit_code == 1
